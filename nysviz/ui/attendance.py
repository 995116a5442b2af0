"""How many sessions are at a lesson's step: for the lecturer, by a link that only the server's owner makes.

The owner sets ``NYSVIZ_LECTURER`` to a word; a link to any page with ``?lecturer=`` and that word shows the
count in that session. Counted are the other sessions of this process; nothing else is known of them.
"""

import hmac
import os
import threading

import streamlit as st

from nysviz.ui import watching

LOOK_SECONDS = 3.0
_lock = threading.Lock()
_steps: dict[str, tuple[str, int]] = {}


def arrive(lesson: str, step: int) -> None:
    """Take down the step that this session is at."""
    with _lock:
        _steps[watching.drawing().session] = lesson, step
        for session in [one for one in _steps if not watching.is_here(one)]:
            del _steps[session]


def leave() -> None:
    """Take this session out of the count."""
    with _lock:
        _steps.pop(watching.drawing().session, None)


def count(lesson: str, step: int) -> tuple[int, int]:
    """Return how many sessions are at the step, and in the whole lesson."""
    with _lock:
        places = [place for session, place in _steps.items() if watching.is_here(session)]
    return places.count((lesson, step)), sum(name == lesson for name, _ in places)


def is_lecturer() -> bool:
    """Whether this session came by the owner's link, whose word is taken out of the address."""
    asked, word = st.query_params.get("lecturer", ""), os.environ.get("NYSVIZ_LECTURER", "")
    if asked:
        st.session_state["lecturer"] = bool(word) and hmac.compare_digest(asked.encode(), word.encode())
        # An address is projected and passed on.
        del st.query_params["lecturer"]
    return bool(st.session_state.get("lecturer"))


@st.fragment(run_every=LOOK_SECONDS)
def show(lesson: str, step: int) -> None:
    """Write the count, anew every few seconds."""
    here, of = count(lesson, step)
    st.caption(f"{here} of {of} in this lesson are at this step.")
