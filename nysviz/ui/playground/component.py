"""The playground as a part of the page: what it sends, and what the page gives to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from nysviz.playground.drawing import MOST_POINTS, Drawing, first, of_positions
from nysviz.playground.standalone import CSS, HTML, bundle, standalone
from nysviz.refusal import Refusal
from nysviz.text import counted
from nysviz.ui import lesson_bar
from nysviz.ui.computing import drawn_rows, picture
from nysviz.ui.controls import choose_axes
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.data_choice import OWN_FILE
from nysviz.ui.sidebar.own_file_reading import Sent, look_at, use
from nysviz.ui.sidebar.scene import Scene

KEY = "playground_canvas"
FILE = "playground.csv"
# A drawing that the server asks for is loaded once, also where the page was left meanwhile.
GLUE = """
export default function ({data, parentElement, setStateValue}) {
  const root = parentElement.querySelector('.playground');
  root.send = setStateValue;
  root.shown ??= mount(root, {start: data.start, onRest: value => root.send('drawing', value)});
  const [count, text] = data.load;
  if (count > (window.nysvizPlayground.loaded ?? 0)) root.shown.load(text);
  window.nysvizPlayground.loaded = count;
  return () => { root.shown?.stop(); root.shown = null; };
}
"""

_canvas = st.components.v2.component("nysviz_playground", html=HTML, css=CSS, js=bundle() + GLUE)


def sent() -> tuple[Drawing, object]:
    """Return the drawing that the browser has sent last, the first one before that, and its errors there."""
    state = st.session_state.get(KEY) or {}
    value = state.get("drawing") if isinstance(state, Mapping) else None
    if isinstance(value, Mapping) and isinstance(text := value.get("text"), str):
        try:
            return Drawing.from_text(text), value.get("errors")
        except Refusal:
            pass
    return first(), None


def canvas() -> None:
    """Draw the playground, with the drawing of the lesson's step where one runs and the link has none."""
    step = lesson_bar.step_here()
    start = step.drawing if step and step.drawing else first().text
    _canvas(
        key=KEY,
        data={"start": start, "load": st.session_state.get(lesson_bar.LOADED, (0, ""))},
        default={"drawing": None},
        on_drawing_change=lambda: None,
    )


def elsewhere(scene: Scene, drawing: Drawing) -> None:
    """Offer the points of the data set, these points to the other pages, and the page as a file."""
    label = "Points from the data set, and these points elsewhere"
    drawer = st.expander(label, key="playground_elsewhere", on_change="rerun")
    if not drawer.open:
        return
    with drawer:
        left, middle, right = st.columns(3, gap="medium")
        with left:
            axes = choose_axes(scene)
            label = f"Take the points of {plain(scene.data.title or scene.data.name)}"
            st.button(label, on_click=_load, args=(scene, axes), key="playground_take", width="stretch")
            st.caption(f"At most {MOST_POINTS} of them. The page's link then holds these points.")
        with middle:
            used = st.button(
                "Use these points",
                on_click=_use,
                args=(drawing,),
                key="playground_use",
                width="stretch",
                disabled=not len(drawing.points),
            )
            st.caption(f"Makes these {counted(len(drawing.points), 'point')} the data set of all pages.")
        with right:
            st.download_button(
                "This page as one HTML file",
                partial(standalone, drawing.text),
                "playground.html",
                "text/html",
                key="playground_file",
                on_click="ignore",
                width="stretch",
            )
            st.caption("It needs no server and no network.")
    if used:
        # The sidebar is not part of this fragment.
        st.rerun()


def _load(scene: Scene, axes: tuple[int, int] | None) -> None:
    positions = picture(scene, axes).positions
    if len(positions) > MOST_POINTS:
        positions = positions[drawn_rows(len(positions), MOST_POINTS)]
    lesson_bar.load(of_positions(positions).text)


def _use(drawing: Drawing) -> None:
    """Make the points a data set of this session, as if a file with them had been sent."""
    # In place of the file that the sidebar's box may hold, which would be looked at anew otherwise.
    look_at(Sent(st.session_state.get("own_file_id", FILE), FILE, drawing.csv))
    st.session_state["own_dialog"] = False
    # Where they are refused the sidebar says why.
    st.session_state["data"] = OWN_FILE
    if "own_waiting" in st.session_state:
        use({"target": False, "leave_out": []})
