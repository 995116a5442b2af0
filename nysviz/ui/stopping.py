"""Stop what is waited for, and go on: the sessions' wishes, which outlive the drawings of a page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable

import streamlit as st

from nysviz.ui.work.runs import Run
from nysviz.ui.work.tickets import current

# A session's wishes that are remembered, the latest ones.
REMEMBERED = 16


def stop_of(key: Hashable) -> threading.Event:
    """Return what stops this computation in this session: the same event at every drawing."""
    events: dict[Hashable, threading.Event] = st.session_state.setdefault("stops", {})
    if key not in events:
        events[key] = threading.Event()
        for old in list(events)[:-REMEMBERED]:
            del events[old]
    return events[key]


def is_stopped(key: Hashable, what: str) -> bool:
    """Whether this session has stopped it; then say so, with a button that asks for it again."""
    if not stop_of(key).is_set():
        return False
    st.info(f"Stopped: {what}. Move a control for another question, or go on.", icon=":material/stop_circle:")
    # A fresh event: what is still ending notices the old one.
    st.button(
        "Go on",
        key="go_on",
        icon=":material/play_circle:",
        on_click=lambda: st.session_state["stops"].pop(key, None),
    )
    return True


def checkpoint(stop: threading.Event | None, m: int) -> Callable[[], None]:
    """Return what a computation with m landmarks calls between its blocks: it raises once it was stopped."""
    started = time.monotonic()
    ticket = current()

    def check() -> None:
        # The event is that of the session that asked first: others who wait for the same go on.
        if stop is not None and stop.is_set() and not (ticket is not None and ticket.is_seen()):
            raise ValueError(
                f"Stopped after {time.monotonic() - started:.1f} s, with m = {m}. Choose fewer landmarks, "
                "or move a control to start again."
            )

    return check


def at_rest(run: Run) -> bool:
    """Whether a run is over, or was stopped by this session."""
    return run.done or run.key in st.session_state.get("stopped_runs", [])
