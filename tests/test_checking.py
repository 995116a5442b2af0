"""The health check: right on a sound installation, and it finds what is broken."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nysviz import checking
from nysviz.checking import METHODS_CHECKED, Finding, check
from nysviz.nystroem.lowrank import LowRank
from tests.datasets import archive

ROOT = Path(__file__).resolve().parents[1]


def named(findings):
    return {finding.name: finding for finding in findings}


def test_a_sound_installation():
    found = named(check())
    assert set(METHODS_CHECKED) | {"kernel", "jitted loops", "cache", "memory", "data"} <= set(found)
    numerical = [found[name] for name in ("kernel", *METHODS_CHECKED)]
    assert all(finding.good for finding in numerical), numerical
    gaps = [float(re.search(r"difference (\S+)$", finding.sentence)[1]) for finding in numerical]
    assert max(gaps) < 1e-10


def test_a_wrong_factor_is_found(monkeypatch):
    sound = checking.approximate

    def spoilt(*arguments, **settings):
        approximation = sound(*arguments, **settings)
        factor = approximation.factor.copy()
        factor[3] *= 1.0 + 1e-8
        return type("Spoilt", (), {"factor": factor, "landmarks": approximation.landmarks})

    monkeypatch.setattr(checking, "approximate", spoilt)
    found = named(check())
    assert not any(found[name].good for name in METHODS_CHECKED)
    assert found["kernel"].good
    assert isinstance(sound(np.eye(4), checking.Gaussian(1.0), "uniform", 2), LowRank)


def test_a_server_is_asked():
    with archive.running() as server:
        server["/_stcore/health"] = b"ok"
        url = server.address("")
        assert named(check(url))["server"] == Finding("server", True, f"{url}/_stcore/health answers")
    assert not named(check(url))["server"].good


@pytest.mark.slow  # on a sound one: tests/test_wheel.py
def test_the_command_tells_what_is_broken_with_its_exit_code():
    command = [sys.executable, "-W", "error", "-m", "nysviz", "check", "--url", "http://127.0.0.1:9"]
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    broken = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert broken.returncode == 1 and "\nBAD" in broken.stdout, broken.stdout
    assert "Traceback" not in broken.stdout + broken.stderr
