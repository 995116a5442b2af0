"""How long another thread has to stand still while a call runs."""

import itertools
import threading
import time

TICK = 0.002
# Calls that take less say nothing.
LEAST_SECONDS = 0.1
TRIES = 10


def longest_pause(call):
    """Return the longest time in which another thread did not wake up during a call, and the call's time."""
    ticks, awake, over = [], threading.Event(), threading.Event()

    def tick():
        while not over.is_set():
            time.sleep(TICK)
            ticks.append(time.perf_counter())
            awake.set()

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        assert awake.wait(60)
        begin = time.perf_counter()
        call()
        end = time.perf_counter()
    finally:
        over.set()
        thread.join()
    moments = [begin, *(moment for moment in ticks if begin < moment < end), end]
    return max(b - a for a, b in itertools.pairwise(moments)), end - begin


def assert_others_go_on(prepare, size):
    """Of some calls, each as long as it takes to tell, one lets the other thread wake up within its middle.

    A call that holds the interpreter lock stops the other thread for nearly all of its time, each time.
    ``prepare(size)`` returns the call.
    """
    seen = []
    for _ in range(TRIES):
        pause, seconds = longest_pause(prepare(size))
        if seconds >= LEAST_SECONDS and pause < 0.5 * seconds:
            return
        seen.append(f"{pause:.3f} of {seconds:.3f} s at {size} rows")
        size = int(1.4 * size) if seconds < 4 * LEAST_SECONDS else size
    raise AssertionError(f"Another thread stood still for {', '.join(seen)}.")
