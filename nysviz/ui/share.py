"""The bar with a page's question: its link, reset, the view for lectures, its terms.

The bar also has the part that listens to the browser: an opened claim, another ground, a lesson's step, Esc.
"""

from functools import partial
from typing import Any

import streamlit as st

from nysviz.ui import lesson_bar, settings
from nysviz.ui.components import component
from nysviz.ui.glossary import glossary
from nysviz.ui.inputs import drawer, page_link, switch
from nysviz.ui.watching import acting, part

KEY = "nysviz_frame"
# The setting that names the claim opened in the browser.
OPENED = "claims_open"
_copy, _frame = component("copy"), component("frame")


def bar(question: str) -> None:
    """Draw the page's question with its menus at the right."""
    is_presentation, is_expert = settings.is_presentation(), settings.is_expert()
    with st.container(horizontal=True, vertical_alignment="top", gap="small", key="nysviz_bar"):
        st.header(question, anchor=False)
        if is_presentation:
            # The controls of the sidebar, which is not shown; empty on pages without them.
            st.session_state[settings.SIDEBAR_PLACE] = st.container(width="content")
        if not st.context.is_embedded:
            _draw_menus(is_presentation, is_expert)
        step, is_embedded = ":".join(map(str, lesson_bar.running() or ())), bool(st.context.is_embedded)
        _frame(
            key=KEY,
            data={
                "presentation": is_presentation,
                "height": window_height(),
                "step": step,
                "embedded": is_embedded,
                "address": settings.missing_address(),
            },
            width="content",
            on_height_change=lambda: None,  # the run that follows draws the charts in the new size
            on_opened_change=acting(_set_opened),
            on_leave_change=acting(partial(settings.present, False)),
            on_ground_change=lambda: None,  # the run that follows draws the charts in the new colours
        )


def window_height() -> str:
    """Return what the browser says of its window in the presentation view: "low", "middle", or ""."""
    return str(st.session_state.get(KEY, {}).get("height") or "")


def projected_scale() -> float:
    """Return the scale of charts in the presentation view: type has a sixtieth of the window's height."""
    return {"low": 1.0, "middle": 1.2}.get(window_height(), 1.5)


@part
def _draw_menus(is_presentation: bool, is_expert: bool) -> None:
    if (settings.is_presentation(), settings.is_expert()) != (is_presentation, is_expert):
        # A view was entered in this fragment, and all of the page is drawn for it.
        settings.redraw()
    with st.container(horizontal=True, gap="small", width="content"):
        note = "Share: a link to this page as it is now, or the page inside another one."
        drawer(st.popover, "Share", "share_open", _draw_share, icon=":material/share:", help=note)
        note = "Reset, presentation view, expert view."
        # Another menu in each view, so that it is closed in that to which it leads.
        key = "more_presented" if is_presentation else "more_open"
        drawer(st.popover, "More", key, _draw_more, icon=":material/more_horiz:", help=note)
        if terms := glossary(settings.page()):
            draw, note = partial(st.markdown, terms), "The terms of this page."
            drawer(st.popover, "Terms", "terms_open", draw, icon=":material/dictionary:", help=note)


def _draw_share() -> None:
    _copy(key="nysviz_copy")
    st.caption(
        "Who opens it sees the same data, settings and seed, and on Playground the drawn points. The iframe "
        "has neither menus nor sidebar. Pictures come from the camera above each chart. A file of your own "
        "goes with none of them: who opens the link is asked for one. Its features go as numbers. Bookmark "
        "the page in your browser to come back to it."
    )


def _draw_more() -> None:
    state = settings.parameters()
    data = {name: texts for name, texts in state.items() if name == "data" or name in settings.knobs()}
    note = "Sets this page, the kernel, the bandwidth and the seed to their defaults; the data set stays."
    page_link("Reset", settings.page(), data, icon=":material/restart_alt:", help=note)
    st.caption("The browser's Back undoes a change, a reset as well.")
    # It is left by Esc, or by the button that then stands beside the menus.
    if not settings.is_presentation():
        note = "Larger type, and the sidebar in a menu at the top. Esc leaves it."
        look: dict[str, Any] = {"icon": ":material/slideshow:", "width": "stretch", "help": note}
        st.button(
            "Presentation view", key="nysviz_present", on_click=acting(settings.present), args=(True,), **look
        )
    note = 'Without the captions of the charts and without "Try this".'
    switch("Expert view", "expert", help=note)


def _set_opened() -> None:
    match st.session_state[KEY].get("opened"):
        case str(value) if len(value) <= settings.LONGEST_TEXT:
            settings.put(OPENED, value)
