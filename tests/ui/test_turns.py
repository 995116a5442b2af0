"""Turns of drawing: so many at a time, and none for a page that waits."""

import threading

import pytest

from nysviz.ui import turns
from nysviz.ui.turns import aside, turn

PATIENCE_SECONDS = 30.0


@pytest.fixture(autouse=True)
def one_place(monkeypatch):
    monkeypatch.setattr(turns, "_places", threading.Semaphore(1))


def in_a_thread(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


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

    for thread in [in_a_thread(first), in_a_thread(second)]:
        thread.join(PATIENCE_SECONDS)
    assert drawn == ["first begins", "second", "second ends", "first ends"]


def test_a_page_that_fails_gives_its_turn_back_and_a_part_of_one_has_none():
    with pytest.raises(ZeroDivisionError), turn(), aside():
        raise ZeroDivisionError
    with aside():
        pass
    with turn():
        assert not turns._places.acquire(blocking=False)
    assert turns._places.acquire(blocking=False)
