"""What a page listens to everywhere: links to a state, an opened claim, another ground, a step, and Esc.

A link with the class ``nysviz-state`` opens within the session, whatever its controls hold now; in a new tab
it is an address like any other.
"""

from __future__ import annotations

import streamlit as st

from nysviz.refusal import Refusal
from nysviz.ui import address, lesson_bar, state
from nysviz.ui.components import component
from nysviz.ui.state import UNBOUND, State

KEY = "nysviz_frame"


_frame = component("frame")


def frame() -> None:
    """Draw what listens; in the presentation view also the button that leaves it."""
    _frame(
        key=KEY,
        data={
            "presentation": state.is_presentation(),
            "moved": (*state.moved(), address.path_of(address.page())),
            "step": ":".join(map(str, lesson_bar.running() or ())),
        },
        width="content",
        on_go_change=_go,
        on_opened_change=_opened,
        on_leave_change=_leave,
        on_ground_change=lambda: None,  # the run that follows draws the charts in the new colours
    )


def _go() -> None:
    link = st.session_state[KEY].get("go")
    if not isinstance(link, str):
        return
    try:
        wanted = State.from_link(link)
    except Refusal as problem:
        st.toast(str(problem), icon=":material/error:")
        return
    state.go(wanted)


def _opened() -> None:
    match st.session_state[KEY].get("opened"):
        case [str(name), str(value)] if name in UNBOUND and len(value) <= address.LONGEST_TEXT:
            state.put(name, value)


def _leave() -> None:
    state.present(False)
