"""A cluster loses a worker, then its scheduler: no record is lost, and the app goes on by itself."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from nysviz.sweep import run_jobs, sweep_jobs, tidy
from nysviz.ui.work.cluster import Cluster
from tests.browser.serving import free_port
from tests.sweep.test_grid import ALL, METHODS, MS, made

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120.0


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


@pytest.fixture
def processes():
    """A scheduler on loopback and a worker, as one starts them on a department's machines."""
    pytest.importorskip("distributed")
    address, started = f"tcp://127.0.0.1:{free_port()}", []
    dask = Path(sys.executable).with_name("dask")
    for command in (
        ("scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard"),
        ("worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--no-nanny"),
    ):
        here = {**os.environ, "PYTHONPATH": str(ROOT)}
        started.append(subprocess.Popen([dask, *command], env=here, stderr=subprocess.DEVNULL))
    yield address, *started
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_the_app_computes_on_a_cluster_and_by_itself_once_that_is_lost(processes, monkeypatch):
    from streamlit.testing.v1 import AppTest

    from nysviz.ui.work import runs

    address, scheduler, _ = processes
    cluster = Cluster(address)
    monkeypatch.setattr(runs, "cluster", cluster)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while cluster.executor()[0] is None:
        assert time.monotonic() < deadline
        cluster._tried = None
        time.sleep(0.2)
    at = AppTest.from_file(str(ROOT / "pages" / "quantization.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": "Iris"}
    texts, killed = [], False
    while at.run().get("progress") or not texts:
        assert time.monotonic() < deadline
        texts += [bar.proto.text for bar in at.get("progress")]
        if not killed and "on 1 worker of the cluster: " in texts[-1]:
            os.kill(scheduler.pid, signal.SIGKILL)
            killed = True
        time.sleep(0.1)
    assert killed and not at.exception
    assert "of the cluster" not in texts[-1]
    assert "this server computes by itself" in cluster.warning()
