"""Drawings of pages that wait for computations: a computation goes on while one of them waits.

A page is drawn as a whole, or one of its parts (``part``) alone. A session is an opaque token here: it
decides whose turn it is and is no part of any key or result.
"""

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from nysviz.ui.streamlit_private import is_here, session_here

P = ParamSpec("P")
T = TypeVar("T")

# Seconds that a computation outlives its drawing: the next drawing may ask for it again.
GRACE_SECONDS = 2.0
# A waiting page reports at each poll; one in a browser's background reports less often.
WATCH_SECONDS = 60.0
# The parts whose callbacks were called since the last run; "" is the page around them.
MOVED_PARTS = "moved_parts"
# Runs of a page's script that may still be going on in threads of their own while a newer one has begun.
REMEMBERED_RUNS = 8


class PageDrawing:
    """One run of a page's script, or of a live part of it, in one session, which waits for its questions."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.began = self.touched = time.monotonic()
        self.over: float | None = None

    def is_newest(self) -> bool:
        """Whether the session's page shows this drawing now."""
        lapsed = time.monotonic() - self.touched > WATCH_SECONDS
        return self.over is None and not lapsed and is_here(self.session)

    def waits(self) -> bool:
        """Whether the session still waits, or may ask for the same again in a moment."""
        if self.over is None:
            return self.is_newest()
        return time.monotonic() - self.over <= GRACE_SECONDS and is_here(self.session)

    def touch(self) -> None:
        """Record that the page is still open."""
        self.touched = time.monotonic()


@dataclass(eq=False)
class PageRun:
    """One run of a page's script, or of a part of it."""

    is_whole: bool


class _ThreadState(threading.local):
    """The run and the part of a page that this thread draws."""

    run: PageRun | None = None
    part: str = ""


_thread = _ThreadState()


def run_here() -> PageRun | None:
    """Return the run that this thread is at; None outside of a page."""
    return _thread.run


def acting(act: Callable[P, T]) -> Callable[P, T]:
    """Make a callback that records the part of the page to which it belongs: the part that is drawn here.

    If two parts have events at the same moment, the browser asks for one part alone, and the other one would
    not be redrawn: the part that is drawn redraws the whole page instead.
    """
    part = _thread.part

    def act_and_note(*arguments: P.args, **named_arguments: P.kwargs) -> T:
        _note(part)
        return act(*arguments, **named_arguments)

    return act_and_note


def touch_page() -> None:
    """Record, in a callback, that the page around the parts has to be drawn anew."""
    _note("")


def _note(part: str) -> None:
    st.session_state.setdefault(MOVED_PARTS, set()).add(part)


def _take_moved_parts() -> set[str]:
    moved: set[str] = st.session_state.pop(MOVED_PARTS, set())
    return moved


@contextmanager
def whole_page() -> Iterator[None]:
    """Draw all of a page in this thread."""
    _take_moved_parts()
    _thread.run = PageRun(is_whole=True)
    try:
        yield
    finally:
        _thread.run = None


def named(draw: Callable[P, T]) -> Callable[P, T]:
    """Make a function record that it draws its part of a page, or a dialog, while it does."""

    @wraps(draw)
    def draw_named(*arguments: P.args, **named_arguments: P.kwargs) -> T:
        last_run, last_part = _thread.run, _thread.part
        if last_run is None and _take_moved_parts() - {draw.__qualname__}:
            st.rerun()
        _thread.run, _thread.part = last_run or PageRun(is_whole=False), draw.__qualname__
        try:
            return draw(*arguments, **named_arguments)
        finally:
            _thread.run, _thread.part = last_run, last_part

    return draw_named


def part(draw: Callable[P, T]) -> Callable[P, T]:
    """Make a function that draws a part of a page, which its controls draw again without the rest."""
    return st.fragment(named(draw))


@dataclass
class _Session:
    """The newest drawings of one session by the part of the page."""

    # Weak references: a run holds all that its page was drawn with.
    runs: list[weakref.ref[PageRun]] = field(default_factory=list)
    drawings: dict[str, tuple[weakref.ref[PageRun], PageDrawing]] = field(default_factory=dict)


_lock = threading.Lock()
sessions: dict[str, _Session] = {}
# Stands for a program that asks from outside any session.
_program = PageDrawing("")


def drawing() -> PageDrawing:
    """Return the drawing that this thread is at; a newer run of the same part ends the older one's.

    Without a session it is the program's.
    """
    name, run, part = session_here(), _thread.run or PageRun(is_whole=True), _thread.part
    if not name:
        _program.touch()
        return _program
    with _lock:
        if name not in sessions:
            for closed_name in [key for key in sessions if not is_here(key)]:
                del sessions[closed_name]
        session = sessions.setdefault(name, _Session())
        if not any(run is reference() for reference in session.runs):
            session.runs = [*session.runs[1 - REMEMBERED_RUNS :], weakref.ref(run)]
            if run.is_whole:
                for _, last_drawing in session.drawings.values():
                    last_drawing.over = time.monotonic()
                session.drawings.clear()
        last_run, newest = session.drawings.get(part, (None, None))
        if newest is not None and last_run is not None and last_run() is run:
            newest.touch()
            return newest
        new_drawing = PageDrawing(name)
        if run is not session.runs[-1]():
            # A newer run has begun: nobody sees the results of this one.
            new_drawing.over = 0.0
            return new_drawing
        if newest is not None:
            newest.over = time.monotonic()
        session.drawings[part] = weakref.ref(run), new_drawing
        return new_drawing


def leave_run() -> None:
    """End this run of a page's script if a newer one has come: any look at the session's state does it."""
    if session_here():
        st.session_state.get("settings_page")
