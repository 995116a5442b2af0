"""A worker of a distributed sweep is killed: its jobs are done again elsewhere, with the same records."""

import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from nysviz.sweep import run_jobs, sweep_jobs, tidy
from tests.sweep.test_grid import ALL, METHODS, MS, made

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_killed_worker_costs_no_record_and_changes_none():
    pytest.importorskip("distributed")
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.losing_a_worker"],
        cwd=ROOT, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    head, _, table = ran.stdout.partition("\n")
    killed, still_there, count = head.split()
    assert int(killed) > 0 and still_there == "False"
    jobs = sweep_jobs(made(), dict.fromkeys(METHODS, ()), MS, 4, 7, ALL)
    assert int(count) == len(jobs)
    here = tidy([record for finished in run_jobs(jobs) for record in finished.records])
    there = pd.read_csv(io.StringIO(table))
    key = ["method", "m", "repeat", "seed", "measure"]
    pd.testing.assert_frame_equal(there[key], pd.read_csv(io.StringIO(here.to_csv(index=False)))[key])
    for one, other in zip(there["value"], here["value"], strict=True):
        assert one == pytest.approx(other, rel=1e-3, abs=1e-9)
