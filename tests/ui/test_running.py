"""How often the results of a run are drawn while they come in."""

from types import SimpleNamespace

import pytest

from nysviz.ui import running
from nysviz.ui.running import DRAW_SECONDS, PAUSE, Shown


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(running, "time", clock)
    return clock


def run(done):
    progress = SimpleNamespace(done=done, total=50, seconds_left=9.0)
    return SimpleNamespace(progress=progress, waits=lambda: False)


def test_the_first_picture_comes_with_three_results_and_the_next_after_a_pause(clock):
    shown = Shown()
    shown.begin(run(0))
    shown.end()
    assert not shown.is_old(run(0)) and not shown.is_old(run(2)) and shown.is_old(run(3))
    shown.begin(run(3))
    assert not shown.is_old(run(4))
    clock.now += 1.1 * DRAW_SECONDS
    assert shown.is_old(run(4)) and not shown.is_old(run(3))
    # A drawing that took long is followed by a longer pause.
    shown.begin(run(4))
    clock.now += 1.0
    shown.end()
    clock.now += PAUSE - 1.5
    assert not shown.is_old(run(9))
    clock.now += 0.6
    assert shown.is_old(run(9))
