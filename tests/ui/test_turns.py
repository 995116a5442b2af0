"""When a page is drawn: one at a time, none that waits, and a run that comes in not too often."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from nysviz.ui import running, turns
from nysviz.ui.running import BESIDE_SECONDS, DRAW_SECONDS, PAUSE, RunSnapshot
from nysviz.ui.turns import aside, turn

PATIENCE_SECONDS = 30.0


def test_a_second_page_is_drawn_once_the_first_is_or_waits():
    drawn, begun, answered = [], threading.Event(), threading.Event()

    def first():
        with turn():
            begun.set()
            drawn.append("first begins")
            with aside():
                assert answered.wait(PATIENCE_SECONDS)
            drawn.append("first ends")

    def second():
        assert begun.wait(PATIENCE_SECONDS)
        with turn():
            drawn.append("second")
            answered.set()
            drawn.append("second ends")

    with ThreadPoolExecutor(2) as pool:
        pool.map(lambda work: work(), (first, second))
    assert drawn == ["first begins", "second", "second ends", "first ends"]


def test_a_page_that_fails_gives_its_turn_back_and_a_part_of_one_has_none():
    with pytest.raises(ZeroDivisionError), turn(), aside():
        raise ZeroDivisionError
    with aside():
        pass
    with turn():
        assert turns.place.locked()
    assert not turns.place.locked()


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(running, "time", clock)
    return clock


def run(done):
    return SimpleNamespace(progress=SimpleNamespace(done=done))


def test_the_first_picture_comes_with_two_results_and_the_next_after_a_pause(clock):
    drawing, at = SimpleNamespace(began=clock.now), clock.now
    snapshot = RunSnapshot(0, False, False, drawing)
    assert not snapshot.is_old(run(0), at) and not snapshot.is_old(run(1), at) and snapshot.is_old(run(2), at)
    snapshot = RunSnapshot(2, False, False, drawing)
    assert not snapshot.is_old(run(3), at)
    clock.now += 1.1 * DRAW_SECONDS
    assert snapshot.is_old(run(3), at) and not snapshot.is_old(run(2), at)
    # What comes beside the answer has doubled, and a longer pause is over, before it is drawn.
    beside = RunSnapshot(2, False, True, drawing)
    assert not beside.is_old(run(4), at)
    clock.now = at + 1.1 * BESIDE_SECONDS
    assert not beside.is_old(run(3), at) and beside.is_old(run(4), at)
    # A drawing that took long is followed by a longer pause.
    snapshot, at = RunSnapshot(3, False, False, SimpleNamespace(began=clock.now)), clock.now + 1.0
    clock.now = at + PAUSE - 0.5
    assert not snapshot.is_old(run(9), at)
    clock.now += 0.6
    assert snapshot.is_old(run(9), at)


def test_a_run_that_ends_while_it_is_drawn_is_drawn_again(monkeypatch):
    class Ending:
        key, done, error, progress = "run", False, None, SimpleNamespace(done=0)
        over = SimpleNamespace(wait=lambda seconds: None)

        def watch(self, drawing, beside):
            pass

    drawn_again, run = [], Ending()
    monkeypatch.setattr(running, "stopped_keys", list)
    monkeypatch.setattr(running, "polled", lambda draw, seconds: lambda *_: drawn_again.append(True))
    snapshot = running.watch(run)
    run.done = True
    running.show_progress(run, "Runs", snapshot)
    assert drawn_again
