"""A Dask cluster for runs of many jobs, where ``NYSVIZ_SCHEDULER`` has its address."""

import os
import threading
import time
from concurrent.futures import Executor
from typing import Any

from nysviz.faults import failure

CONNECT_SECONDS = 5
# Pause before a scheduler that did not answer is tried again.
RETRY_SECONDS = 30.0


class Cluster:
    """The connection to the scheduler at an address such as ``tcp://127.0.0.1:8786``; empty for none."""

    def __init__(self, address: str) -> None:
        self._address, self._lock = address, threading.Lock()
        self._client: Any = None
        self.tried_at: float | None = None

    def executor(self) -> tuple[Executor | None, int]:
        """Return the executor of jobs, and its number of workers; None and 0 without a usable cluster."""
        if not self._address:
            return None, 0
        try:
            with self._lock:
                self._connect()
                workers = len(self._client.scheduler_info()["workers"]) if self._answers() else 0
        except Exception as error:
            failure("the cluster does not answer", error)
            workers = 0
        return (self._client.get_executor(), workers) if workers else (None, 0)

    def _answers(self) -> bool:
        return self._client is not None and self._client.status == "running"

    def _connect(self) -> None:
        from distributed import Client

        now = time.monotonic()
        is_lost = self._client is None or self._client.status == "closed"
        if is_lost and (self.tried_at is None or now - self.tried_at > RETRY_SECONDS):
            self.tried_at = now
            self._client = Client(self._address, timeout=CONNECT_SECONDS, set_as_default=False)

    def warning(self) -> str | None:
        """Say in one sentence that the cluster is lost; None while it answers, or was not needed yet."""
        if self.tried_at is None or self._answers():
            return None
        return "The cluster does not answer; until it does, this server computes by itself."


cluster = Cluster(os.environ.get("NYSVIZ_SCHEDULER", ""))
