"""Which drawing of which visitor's page asks: a computation goes on for as long as one waits for it.

A session is an opaque token here: it decides whose turn it is and is no part of any key or result.
"""

import threading
import time
import weakref
from dataclasses import dataclass, field

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

# How long a computation outlives its drawing, since the next drawing may ask for it again.
GRACE_SECONDS = 2.0
# A page that waits tells of itself at each poll; one in a browser's background does so more seldom.
WATCH_SECONDS = 60.0
# Runs of a page's script that may still be going on in threads of their own while a newer one has begun.
REMEMBERED_RUNS = 8


class Drawing:
    """One run of a page's script, or of a live part of it, in one session: it waits for what it asked for."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.touched = time.monotonic()
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


def is_here(session: str) -> bool:
    """Whether a session's browser is connected; a session of no server always is."""
    if not Runtime.exists():
        return True
    return Runtime.instance().is_active_session(session)


@dataclass
class _Session:
    """The newest drawings of one session by the part of the page."""

    # Of the runs only which is which is remembered: each holds all that its page was drawn with.
    runs: list[weakref.ref[object]] = field(default_factory=list)
    drawings: dict[str | None, tuple[weakref.ref[object], Drawing]] = field(default_factory=dict)


_lock = threading.Lock()
_sessions: dict[str, _Session] = {}
# Stands for a program that asks from outside any session.
_program = Drawing("")


def drawing() -> Drawing:
    """Return the drawing that this thread is at; a newer run of the same part ends the older one's.

    Without a session it is the program's.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        _program.touch()
        return _program
    # Streamlit makes this object anew for each run of a script or of fragments, and keeps it for the run.
    run = context.parallel_coordinator
    part = ThreadState.get().fragment_id
    with _lock:
        if context.session_id not in _sessions:
            for gone in [one for one in _sessions if not is_here(one)]:
                del _sessions[gone]
        session = _sessions.setdefault(context.session_id, _Session())
        if not any(run is one() for one in session.runs):
            session.runs = [*session.runs[1 - REMEMBERED_RUNS :], weakref.ref(run)]
            if not context.fragment_ids_this_run:
                for _, old in session.drawings.values():
                    old.over = time.monotonic()
                session.drawings.clear()
        at, known = session.drawings.get(part, (None, None))
        if known is not None and at is not None and at() is run:
            known.touch()
            return known
        fresh = Drawing(context.session_id)
        if run is not session.runs[-1]():
            # A run that was overtaken: nobody sees what it still asks for.
            fresh.over = 0.0
            return fresh
        if known is not None:
            known.over = time.monotonic()
        session.drawings[part] = weakref.ref(run), fresh
        return fresh


def leave_run() -> None:
    """End this run of a page's script if Streamlit wants it to end, as any of its own calls would."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        context.yield_check()
