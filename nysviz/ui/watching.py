"""Which drawing of which visitor's page asks: a computation goes on for as long as one waits for it.

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

# How long a computation outlives its drawing, since the next drawing may ask for it again.
GRACE_SECONDS = 2.0
# A page that waits tells of itself at each poll; one in a browser's background does so more seldom.
WATCH_SECONDS = 60.0
# The parts whose callbacks were called since the last run; "" is the page around them.
MOVED_PARTS = "moved_parts"
# Runs of a page's script that may still be going on in threads of their own while a newer one has begun.
REMEMBERED_RUNS = 8


class Drawing:
    """One run of a page's script, or of a live part of it, in one session: it waits for what it asked for."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.began = self.touched = time.monotonic()
        self.over: float | None = None

    def is_newest(self) -> bool:
        """Whether this is what the session's page shows now."""
        lapsed = time.monotonic() - self.touched > WATCH_SECONDS
        return self.over is None and not lapsed and is_here(self.session)

    def waits(self) -> bool:
        """Whether the session still waits, or may ask for the same again in a moment."""
        if self.over is None:
            return self.is_newest()
        return time.monotonic() - self.over <= GRACE_SECONDS and is_here(self.session)

    def touch(self) -> None:
        """Tell that the page is still there."""
        self.touched = time.monotonic()


@dataclass(eq=False)
class PageRun:
    """One run of a page's script, or of a part of it."""

    is_whole: bool


class _Here(threading.local):
    """What this thread draws."""

    run: PageRun | None = None
    part: str = ""


_here = _Here()


def run_here() -> PageRun | None:
    """Return the run that this thread is at; None outside of a page."""
    return _here.run


def acting(act: Callable[P, T]) -> Callable[P, T]:
    """Make a callback that takes down which part's control or news it is about: the part that is drawn here.

    Where something in another part happens in the same moment, the browser asks for one part alone, and what
    the other one has to show would be lost: the part that is drawn has the whole page drawn instead.
    """
    part = _here.part

    def acted(*arguments: P.args, **named_arguments: P.kwargs) -> T:
        _note(part)
        return act(*arguments, **named_arguments)

    return acted


def touch_page() -> None:
    """Take down, in a callback, that the page around the parts has to be drawn anew."""
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
    _here.run = PageRun(is_whole=True)
    try:
        yield
    finally:
        _here.run = None


def named(draw: Callable[P, T]) -> Callable[P, T]:
    """Let what draws a part of a page, or a dialog, be known while it does."""

    @wraps(draw)
    def drawn(*arguments: P.args, **named_arguments: P.kwargs) -> T:
        before = _here.run, _here.part
        if before[0] is None and _take_moved_parts() - {draw.__qualname__}:
            st.rerun()
        _here.run, _here.part = before[0] or PageRun(is_whole=False), draw.__qualname__
        try:
            return draw(*arguments, **named_arguments)
        finally:
            _here.run, _here.part = before

    return drawn


def part(draw: Callable[P, T]) -> Callable[P, T]:
    """Make a function that draws a part of a page, which its controls draw again without the rest."""
    return st.fragment(named(draw))


@dataclass
class _Session:
    """The newest drawings of one session by the part of the page."""

    # Of the runs only which is which is remembered: each holds all that its page was drawn with.
    runs: list[weakref.ref[PageRun]] = field(default_factory=list)
    drawings: dict[str, tuple[weakref.ref[PageRun], Drawing]] = field(default_factory=dict)


_lock = threading.Lock()
_sessions: dict[str, _Session] = {}
# Stands for a program that asks from outside any session.
_program = Drawing("")


def drawing() -> Drawing:
    """Return the drawing that this thread is at; a newer run of the same part ends the older one's.

    Without a session it is the program's.
    """
    name, run, part = session_here(), _here.run or PageRun(is_whole=True), _here.part
    if not name:
        _program.touch()
        return _program
    with _lock:
        if name not in _sessions:
            for gone in [known for known in _sessions if not is_here(known)]:
                del _sessions[gone]
        session = _sessions.setdefault(name, _Session())
        if not any(run is known() for known in session.runs):
            session.runs = [*session.runs[1 - REMEMBERED_RUNS :], weakref.ref(run)]
            if run.is_whole:
                for _, old in session.drawings.values():
                    old.over = time.monotonic()
                session.drawings.clear()
        at, known = session.drawings.get(part, (None, None))
        if known is not None and at is not None and at() is run:
            known.touch()
            return known
        fresh = Drawing(name)
        if run is not session.runs[-1]():
            # A run that was overtaken: nobody sees what it still asks for.
            fresh.over = 0.0
            return fresh
        if known is not None:
            known.over = time.monotonic()
        session.drawings[part] = weakref.ref(run), fresh
        return fresh


def leave_run() -> None:
    """End this run of a page's script if a newer one has come: any look at the session's state does it."""
    if session_here():
        st.session_state.get("settings_page")
