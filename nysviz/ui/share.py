"""Beside the question of a page: its link, undo, reset, bookmarks, the view for lectures, its terms.

There also stands what each page listens to: links to a state, an opened claim, another ground, a step, and
Esc. A link with the class ``nysviz-state`` opens within the session, whatever its controls hold now; in a new
tab it is an address like any other.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from nysviz.refusal import Refusal
from nysviz.ui import address, lesson_bar, state
from nysviz.ui.bookmarks import bookmarks
from nysviz.ui.components import component
from nysviz.ui.glossary import glossary
from nysviz.ui.inputs import drawer
from nysviz.ui.state import SETTINGS, UNBOUND, State

KEY = "nysviz_frame"
_copy, _frame = component("copy"), component("frame")


def bar(question: str) -> None:
    """Draw the page's question with its two menus at the right."""
    with st.container(horizontal=True, vertical_alignment="top", gap="small", key="nysviz_bar"):
        st.header(question, anchor=False)
        if state.is_presentation():
            # The controls of the sidebar, which is not shown; empty on pages without them.
            st.session_state[SETTINGS] = st.container(width="content")
        _menus(state.is_presentation())
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
            on_leave_change=lambda: state.present(False),
            on_ground_change=lambda: None,  # the run that follows draws the charts in the new colours
        )


@st.fragment
def _menus(is_presentation: bool) -> None:
    if state.is_presentation() != is_presentation:
        # The view was entered in this fragment, and all of the page is drawn for it.
        st.rerun()
    with st.container(horizontal=True, gap="small", width="content"):
        note = "Share: a link to this page as it is now."
        drawer(st.popover, "Share", "share_open", _share, icon=":material/share:", help=note)
        note = "Undo, reset, presentation view, bookmarks."
        # Another menu in each view, so that it is closed in that to which it leads.
        key = "more_presented" if is_presentation else "more_open"
        drawer(st.popover, "More", key, _more, icon=":material/more_horiz:", help=note)
        if terms := glossary(address.page()):
            draw, note = partial(st.markdown, terms), "The terms of this page."
            drawer(st.popover, "Terms", "terms_open", draw, icon=":material/dictionary:", help=note)


def _share() -> None:
    _copy(key="nysviz_copy")
    st.caption(
        "Who opens it sees the same data, settings and seed, and on Playground the drawn points. A file of "
        "your own is not in it: who opens the link is asked for one. Its features go as numbers."
    )


def _more() -> None:
    def button(label: str, key: str, icon: str, on_click: Callable[[], None], note: str = "") -> None:
        look: dict[str, Any] = {"icon": f":material/{icon}:", "width": "stretch", "help": note or None}
        st.button(label, key=f"nysviz_{key}", on_click=on_click, **look)

    # Never greyed out: a control in a fragment changes what can be undone and does not draw this anew.
    back, forward = st.columns(2)
    with back:
        note = "Takes back the last change on this page. The browser's Back leads to the page before."
        button("Undo", "undo", "undo", state.undo, note)
    with forward:
        button("Redo", "redo", "redo", state.redo)
    note = "Sets this page, the kernel, the bandwidth and the seed to their defaults; the data set stays."
    button("Reset", "reset", "restart_alt", state.reset, note)
    # It is left by Esc, or by the button that then stands beside the menus.
    if not state.is_presentation():
        note = "Larger type, and the sidebar in a menu at the top. Esc leaves it."
        button("Presentation view", "present", "slideshow", lambda: state.present(True), note)
    drawer(st.expander, "Bookmarks", "bookmarks_open", bookmarks)


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
