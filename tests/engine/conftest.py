"""Sessions that ask, and work that ends when it is told to."""

from __future__ import annotations

import threading
import time

import pytest

from nysviz.engine.queue import Queue
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
        self.queue, self.began, self.ended, self.most = queue, [], [], 0
        self.go = threading.Semaphore(0)

    @property
    def inside(self):
        return len(self.began) - len(self.ended)

    def of(self, name):
        """Return the work with this name; it looks at checkpoints whether anybody waits."""

        def is_let_go():
            if (task := current()) is not None:
                task.checkpoint()
            return self.go.acquire(blocking=False)

        def compute():
            self.began.append(name)
            self.most = max(self.most, self.inside)
            try:
                until(is_let_go)
            finally:
                self.ended.append(name)
            return name

        return compute

    def ask(self, name, session=None, **settings):
        """Ask in a session, by default that of the name's first word."""
        waiters = Waiters()
        waiters.add(session or Session(name.split()[0]))
        task = Task(self.of(name), waiters, **settings)
        self.queue.submit(task)
        return task

    def one_more(self):
        known = len(self.began)
        self.go.release()
        until(lambda: len(self.began) > known)

    def end(self):
        self.go.release(1_000)
        until(lambda: not self.queue.running and not self.queue.waiting)

    def stays(self, inside):
        """Wait for ``inside`` computations at once, and see that no further one begins."""
        until(lambda: self.inside == inside)
        time.sleep(0.25)
        assert self.inside == inside


@pytest.fixture
def work():
    made = Work(Queue(1))
    yield made
    made.end()
