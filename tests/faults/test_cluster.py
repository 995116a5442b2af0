"""A cluster loses a worker, whose jobs the other one does, and its scheduler: the app goes on by itself."""

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
    """A scheduler on loopback and two workers, as one starts them on a department's machines."""
    pytest.importorskip("distributed")
    address, started = f"tcp://127.0.0.1:{free_port()}", []
    dask = Path(sys.executable).with_name("dask")
    worker = ("worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", "--no-nanny")
    port = address.rpartition(":")[2]
    for command in (("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"), worker, worker):
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

    address, scheduler, worker, _ = processes
    cluster = Cluster(address)
    monkeypatch.setattr(runs, "cluster", cluster)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while cluster.executor()[1] < 2:
        assert time.monotonic() < deadline
        cluster._tried = None
        time.sleep(0.2)
    at = AppTest.from_file(str(ROOT / "pages" / "quantization.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": "Iris"}
    # Each with the words that are shown while it is there.
    texts, to_kill = [], [("on 2 workers", worker), ("on 1 worker of", scheduler)]
    while at.run().get("progress") or not texts:
        assert time.monotonic() < deadline
        texts += [bar.proto.text for bar in at.get("progress")]
        if to_kill and to_kill[0][0] in texts[-1]:
            os.kill(to_kill.pop(0)[1].pid, signal.SIGKILL)
        time.sleep(0.1)
    assert not to_kill and not at.exception
    assert "of the cluster" not in texts[-1]
    assert "this server computes by itself" in cluster.warning()
