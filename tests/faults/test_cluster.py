"""A cluster loses its scheduler: the app goes on by itself. (A lost worker: tests/sweep/test_grid.py.)"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nysviz.engine.cluster import Cluster
from tests.browser.serving import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120.0


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

    from nysviz.engine import runs

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
