"""Sessions that ask, and work that ends when it is told to."""

from __future__ import annotations

import threading
import time

from nysviz.engine.task import Task, Waiters, current

# Only what hangs comes near it.
PATIENCE_SECONDS = 60.0


def until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Session:
    """What one session shows: ``newest`` while its page was not drawn anew, ``here`` until it is gone."""

    def __init__(self, name="anna"):
        self.session, self.newest, self.here = name, True, True

    def is_newest(self):
        return self.newest and self.here

    def waits(self):
        return self.here


class Work:
    """Computations that note their names as they begin, and end one by one when they are let go."""

    def __init__(self, queue=None):
        self.queue, self.began, self.go = queue, [], threading.Semaphore(0)
        self.lock, self.inside, self.most = threading.Lock(), 0, 0

    def of(self, name):
        """Return the work with this name; it looks at checkpoints whether anybody waits."""

        def compute():
            with self.lock:
                self.began.append(name)
                self.inside += 1
                self.most = max(self.most, self.inside)
            deadline = time.monotonic() + PATIENCE_SECONDS
            try:
                while not self.go.acquire(timeout=0.01):
                    assert time.monotonic() < deadline
                    if (task := current()) is not None:
                        task.checkpoint()
            finally:
                with self.lock:
                    self.inside -= 1
            return name

        return compute

    def ask(self, session, name, **settings):
        waiters = Waiters()
        waiters.add(session if isinstance(session, Session) else Session(session))
        task = Task(self.of(name), waiters, **settings)
        self.queue.submit(task)
        return task

    def one_more(self):
        known = len(self.began)
        self.go.release()
        until(lambda: len(self.began) > known)

    def stays(self, inside):
        """Wait for so many computations at once, and see that no further one begins."""
        until(lambda: self.inside == inside)
        time.sleep(0.1)
        assert self.inside == inside
