"""The queue that all heavy work of the process passes: bounded by cores and memory, fair between sessions.

There are two lanes: what a visitor waits for, with a place a core, and the many jobs of a run that shows
something already, with half as many, since low priority does not keep them from the interpreter's lock. So a
quick answer never waits behind a sweep. A visitor's computation that has taken a second goes on at low
priority, and its place is free again.

The order of a lane is that of start-time fair queueing (Goyal, Vin and Cheng 1996). A session's time in the
lane goes on by the seconds that are spent for it there, and the next place goes to the session with the least
time; one that comes anew begins at the lane's own clock, the time at which the last task began. A task begins
once memory has room for it; kept results are dropped if that makes room. While the first task in line waits
for memory, only small tasks overtake it.
"""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from nysviz.engine.task import LOOK_SECONDS, NobodyWaits, Task, doing
from nysviz.faults import failure
from nysviz.numerics import machine, memory
from nysviz.refusal import Refusal

# Seconds after which an interactive task frees its place, and the most such late tasks for each place.
QUICK_SECONDS, MOST_LATE = 1.0, 2
LOW_PRIORITY = 10
# Least cost of a turn in seconds: two sessions that ask for much alternate from the start.
TURN_COST = 0.001
# A task that began within these seconds may not have allocated its memory yet.
SETTLE_SECONDS = 2.0
# Part of the machine's memory that stays free, for what tasks allocate beyond ``holds``.
SPARE_SHARE = 0.08
# Tasks that hold at most this part of the largest kernel matrix never wait for memory.
SMALL_SHARE = 0.1
# Seconds between returns of freed memory to the system while there is work.
GIVE_BACK_SECONDS = 5.0
NO_THREAD = "The server has too much to do to begin this; try again in a minute."


class Queue:
    """Bounded fair queue with two lanes: ``places`` interactive tasks at once, and half as many long ones.

    ``free_memory`` is called with the bytes that a task lacks, and returns how many it freed.
    """

    def __init__(self, places: int, free_memory: Callable[[float], float] = lambda size: 0.0) -> None:
        self.places, self._free_memory = places, free_memory
        self._lock = threading.RLock()
        self.waiting: list[Task] = []
        self.running: set[Task] = set()
        # Of the interactive lane, and of the long one.
        self._clocks = [0.0, 0.0]
        self._times: tuple[dict[str, float], dict[str, float]] = {}, {}
        self._count = 0
        self._tending, self._gave_back = False, time.monotonic()

    def submit(self, task: Task) -> None:
        """Let a task wait for its turn."""
        with self._lock:
            self._count += 1
            task.arrival, task.order = self._clocks[task.long], self._count
            self.waiting.append(task)
            self._grant()
            if not self._tending and (self.waiting or self.running):
                threading.Thread(target=self._tend, name="nysviz-queue", daemon=True).start()
                self._tending = True

    def is_wanted(self, task: Task) -> bool:
        """Whether other tasks wait for the place of a task."""
        with self._lock:
            all_waiters = [waiting.waiters for waiting in self.waiting if waiting.long == task.long]
        return any(waiters is not task.waiters and waiters.any_newest() for waiters in all_waiters)

    def is_crowded(self) -> bool:
        """Whether more sessions wait for a place than there are places."""
        with self._lock:
            sessions = {name for task in self.waiting for name in task.waiters.sessions()}
        return len(sessions) > self.places

    def missing_bytes(self, task: Task) -> float:
        """Return how many bytes of free memory a task lacks; 0 for a small one."""
        if _is_small(task):
            return 0.0
        with self._lock:
            young = [
                running for running in self.running if running is not task and _age(running) < SETTLE_SECONDS
            ]
        needed_bytes = (
            task.holds + sum(running.holds for running in young) + SPARE_SHARE * machine.limit_bytes()
        )
        return max(0.0, needed_bytes - machine.free_bytes())

    def _rank(self, task: Task) -> tuple[float, int]:
        times = [self._times[task.long].get(session, 0.0) for session in task.waiters.sessions()]
        return max(task.arrival, min(times, default=0.0)), task.order

    def _grant(self) -> None:
        is_blocked = False
        for long in (False, True):
            while self._has_place(long):
                busy = {task.group for task in self.running if task.group is not None}
                able = [
                    task
                    for task in self.waiting
                    if task.long == long
                    and task.group not in busy
                    # A task that the newest drawing of its page did not ask for waits until one does.
                    and task.waiters.any_newest()
                    and (not is_blocked or _is_small(task))
                ]
                if not able:
                    break
                first = min(able, key=self._rank)
                if self._make_room(first):
                    self._begin(first)
                else:
                    is_blocked = True

    def _has_place(self, long: bool) -> bool:
        if long:
            return sum(task.long for task in self.running) < max(1, self.places // 2)
        quick = [task for task in self.running if not task.long]
        late = min(MOST_LATE * self.places, sum(_age(task) > QUICK_SECONDS for task in quick))
        return len(quick) - late < self.places

    def _make_room(self, task: Task) -> bool:
        """Make room for a task; return whether there is enough, or only small tasks run."""
        missing_bytes = self.missing_bytes(task)
        if missing_bytes <= 0 or self._free_memory(missing_bytes) >= missing_bytes:
            return True
        return all(_is_small(running) for running in self.running)

    def _begin(self, task: Task) -> None:
        self.waiting.remove(task)
        self._clocks[task.long] = max(self._clocks[task.long], self._rank(task)[0])
        self._charge(task, TURN_COST)
        task.begun_at = time.monotonic()
        self.running.add(task)
        try:
            threading.Thread(target=self._do, args=(task,), name="nysviz-work", daemon=True).start()
        except RuntimeError as error:
            failure("no thread could be started", error)
            self.running.discard(task)
            task.future.set_exception(Refusal(NO_THREAD))

    def _charge(self, task: Task, seconds: float) -> None:
        times, sessions, (begun, _) = self._times[task.long], task.waiters.sessions(), self._rank(task)
        for session in sessions:
            times[session] = max(begun, times.get(session, 0.0)) + seconds / len(sessions)
        for session in [name for name, used in times.items() if used <= self._clocks[task.long]]:
            del times[session]

    def _do(self, task: Task) -> None:
        # The task outlives its work, whose closure may hold a kernel matrix.
        work, task.work = task.work, None
        assert work is not None
        task.thread = threading.get_native_id()
        if task.long:
            give_way(task.thread)
        try:
            with doing(task):
                task.future.set_result(work())
        except BaseException as error:
            # Whoever keeps the future does not keep half-computed arrays.
            traceback.clear_frames(error.__traceback__)
            task.future.set_exception(error)
        with self._lock:
            self.running.discard(task)
            self._charge(task, _age(task))
            self._grant()

    def _tend(self) -> None:
        """Look after running and waiting tasks until the queue is empty."""
        while True:
            time.sleep(LOOK_SECONDS)
            with self._lock:
                if not self.waiting and not self.running:
                    self._tending = False
                    return
                abandoned = [waiting for waiting in self.waiting if not waiting.waiters.any()]
                self.waiting = [waiting for waiting in self.waiting if waiting not in abandoned]
                for task in self.running:
                    if not task.long and task.thread is not None and _age(task) > QUICK_SECONDS:
                        give_way(task.thread)
                self._grant()
            for task in abandoned:
                task.work = None
                task.future.set_exception(NobodyWaits())
            if time.monotonic() - self._gave_back > GIVE_BACK_SECONDS:
                # Threads that worked leave freed memory behind.
                self._gave_back = time.monotonic()
                memory.give_back()


def _is_small(task: Task) -> bool:
    return task.holds <= SMALL_SHARE * memory.matrix_bytes()


def _age(task: Task) -> float:
    return 0.0 if task.begun_at is None else time.monotonic() - task.begun_at


def give_way(thread: int) -> None:
    """Let the threads that answer visitors go first, where the system has priorities for threads."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, LOW_PRIORITY)
