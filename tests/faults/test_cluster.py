"""A cluster loses a worker: the others do its jobs. It loses its scheduler: the app goes on by itself."""

import math
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nysviz.engine.cluster import Cluster
from nysviz.sweep import run_jobs, tidy
from tests.browser.serving import free_port
from tests.sweep.test_grid import grid, records_of, same

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120.0
pytestmark = pytest.mark.slow


@pytest.fixture
def processes():
    """A scheduler on loopback and two workers, as one starts them on a department's machines."""
    pytest.importorskip("distributed")
    address, started = f"tcp://127.0.0.1:{free_port()}", []
    dask = Path(sys.executable).with_name("dask")
    worker = ("worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--no-nanny")
    for command in (
        ("scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard"),
        worker,
        worker,
    ):
        here = {**os.environ, "PYTHONPATH": str(ROOT)}
        started.append(subprocess.Popen([dask, *command], env=here, stderr=subprocess.DEVNULL))
    yield address, *started
    for process in started:
        process.kill()
        process.wait()


def reached(address):
    """Return the cluster at the address and its executor, once both workers are there."""
    cluster, deadline = Cluster(address), time.monotonic() + PATIENCE_SECONDS
    while cluster.executor()[1] < 2:
        assert time.monotonic() < deadline
        cluster.tried_at = -math.inf  # at once again
        time.sleep(0.2)
    return cluster, cluster.executor()[0]


@pytest.mark.parametrize("kill", [False, True])
def test_the_same_records_on_a_cluster_also_where_a_worker_is_killed(processes, kill):
    address, _, worker, _ = processes
    (cluster, executor), records = reached(address), []
    for finished in run_jobs(grid(), executor):
        if kill and not records:
            worker.kill()
        records += finished.records
    same(tidy(records_of(grid())), tidy(records))
    assert cluster.executor()[1] == 2 - kill


def test_the_app_computes_on_a_cluster_and_by_itself_once_that_is_lost(processes, monkeypatch):
    from streamlit.testing.v1 import AppTest

    from nysviz.engine import runs

    address, scheduler, *_ = processes
    cluster, _ = reached(address)
    monkeypatch.setattr(runs, "cluster", cluster)
    at = AppTest.from_file(str(ROOT / "pages" / "quantization.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": "Iris"}
    texts, killed, deadline = [], False, time.monotonic() + PATIENCE_SECONDS
    while at.run().get("progress") or not texts:
        assert time.monotonic() < deadline
        texts += [bar.proto.text for bar in at.get("progress")]
        if not killed and texts and "on 2 workers of the cluster: " in texts[-1]:
            scheduler.kill()
            killed = True
        time.sleep(0.1)
    assert killed and not at.exception
    assert "of the cluster" not in texts[-1]
    assert "this server computes by itself" in cluster.warning()
