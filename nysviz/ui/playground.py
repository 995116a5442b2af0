"""The page "Playground": the canvas in the browser, and the core's numbers for the same drawing."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from nysviz.playground.drawing import MOST_POINTS, Drawing, first, of_positions
from nysviz.playground.standalone import CSS, HTML, bundle, standalone
from nysviz.refusal import Refusal
from nysviz.studies.matrices import drawn_rows, picture
from nysviz.studies.playground import Playground, disagreements, entries_sentence
from nysviz.studies.scene import Scene, default_kernel
from nysviz.text import counted
from nysviz.ui import lesson_bar, page, settings
from nysviz.ui.controls import choose_axes
from nysviz.ui.inputs import drawer
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.data_choice import OWN_FILE, choose_data
from nysviz.ui.sidebar.own_file_reading import Sent, look_at, use
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

KEY = "playground_canvas"
FILE = "playground.csv"
CAPTION = (
    "Click to set a landmark, drag to move it; the Delete key removes the chosen one. A ring lies on a data "
    "point, a plus between points. The stronger the colour of a place, the less the landmarks explain it."
)
IFRAME = (
    '<iframe src="playground.html" title="Playground" width="100%" height="800" style="border: 0"></iframe>'
)
# The parameter of a lesson's step that shows, in place of numbers and algorithms, K alone ("matrix") or K, K̃
# and the residual ("matrices") beside the plane.
VIEW = "playground_view"
CAPTION_OF_MATRIX = (
    "Left, points; right, their kernel matrix K, with a row and a column for each point, from the left to "
    "the right of the plane: yellow is 1, dark blue 0. Point at an entry to see its two points; drag a point."
)
# A drawing that the server asks for is loaded once, also where the page was left meanwhile.
GLUE = """
export default function ({data, parentElement, setStateValue}) {
  const root = parentElement.querySelector('.playground');
  root.send = setStateValue;
  if (data.view) root.dataset.view = data.view; else delete root.dataset.view;
  root.dataset.goal = data.goal;
  root.shown ??= mount(root, {start: data.start, onRest: value => root.send('drawing', value)});
  const [count, text] = data.load;
  if (count > (window.nysvizPlayground.loaded ?? 0)) root.shown.load(text);
  window.nysvizPlayground.loaded = count;
  return () => { root.shown?.stop(); root.shown = null; };
}
"""

_canvas = st.components.v2.component("nysviz_playground", html=HTML, css=CSS, js=bundle() + GLUE)


def sent_drawing() -> tuple[Drawing, object]:
    """Return the last drawing that the browser sent, or the first one, and its errors there."""
    state = st.session_state.get(KEY) or {}
    value = state.get("drawing") if isinstance(state, Mapping) else None
    if isinstance(value, Mapping) and isinstance(text := value.get("text"), str):
        try:
            return Drawing.from_text(text), value.get("errors")
        except Refusal:
            pass
    return first(), None


def offer_exports(drawing: Drawing) -> None:
    """Offer the points of a data set, these points to the other pages, and the page as a file."""
    left, middle, right = st.columns(3, gap="medium")
    with left:
        data, options = choose_data()
        scene = Scene(data, default_kernel(data), 0, 1.0, options)
        axes = choose_axes(scene)
        label = f"Take the points of {plain(scene.data.title or scene.data.name)}"
        st.button(label, on_click=_load, args=(scene, axes), key="playground_take", width="stretch")
        st.caption(f"At most {MOST_POINTS} of them. The page's link then holds these points.")
    with middle:
        look: dict[str, Any] = {"disabled": not len(drawing.points), "width": "stretch"}
        if st.button("Use these points", on_click=_use, args=(drawing,), key="playground_use", **look):
            # The choice of data is drawn already.
            settings.redraw()
        st.caption(f"Makes these {counted(len(drawing.points), 'point')} the data set of all pages.")
    with right:
        label, file = "This page as one HTML file", ("playground.html", "text/html")
        make = partial(standalone, drawing.text)
        st.download_button(label, make, *file, key="playground_file", on_click="ignore", width="stretch")
        st.caption(
            "It needs no server and no network. Put beside a page of yours, it is shown there by this line:"
        )
        st.code(IFRAME, None, wrap_lines=True)
    settings.write()


def _load(scene: Scene, axes: tuple[int, int] | None) -> None:
    positions = picture(scene, axes).positions
    if len(positions) > MOST_POINTS:
        positions = positions[drawn_rows(len(positions), MOST_POINTS)]
    lesson_bar.load(of_positions(positions).text)


def _use(drawing: Drawing) -> None:
    """Make the points a data set of this session, as if a file with them had been sent."""
    # It takes the id of the file in the upload box, which would be read again otherwise.
    look_at(Sent(st.session_state.get("own_file_id", FILE), FILE, drawing.csv))
    st.session_state["own_dialog"] = False
    # If they are refused the choice of data says why.
    settings.put("data", OWN_FILE)
    if "own_waiting" in st.session_state:
        use({"target": False, "leave_out": []})


@part
def live() -> None:
    """Draw the canvas, the core's numbers when the hand rests, and the exports."""
    place, judgement = page.answer_place(), st.empty()
    # The drawing of the lesson's step, if the link has none.
    step = lesson_bar.step_here()
    start = step.drawing if step and step.drawing else first().text
    view = str(step.parameters.get(VIEW, "")) if step else ""
    # Whether the step asks for an error to reach by hand.
    goal = bool(step and step.question and step.question.landmarks)
    load = st.session_state.get(lesson_bar.LOADED, (0, ""))
    data = {"start": start, "view": view, "goal": goal, "load": load}
    _canvas(key=KEY, data=data, default={"drawing": None}, on_drawing_change=lambda: None)
    if not settings.is_expert():
        st.caption(CAPTION_OF_MATRIX if view == "matrix" else CAPTION)
    drawing, browser = sent_drawing()
    if view == "matrix":
        place.markdown(entries_sentence(drawing))
        return
    label = "Points from a data set, and these points elsewhere"
    drawer(st.expander, label, "playground_elsewhere", partial(offer_exports, drawing))
    if not len(drawing.points):
        place.markdown("There are no points: choose some above the canvas, or spray some with the brush.")
        return
    study, warning = Playground.of_drawing(drawing), st.container()
    unfold(study, Places(place, place, warning, {}), "playground")
    if not study.has("boards"):
        return
    if sentences := disagreements(study.boards, browser):
        problem = f"The browser and the core disagree. {'; '.join(sentences)}."
        warning.error(problem, icon=":material/error:")
    with judgement:
        board = study.boards[0]
        lesson_bar.judge(board.errors.relative_frobenius, board.m)
