"""The page "Playground": the canvas in the browser, and what the core says of the same drawing."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.kernels import Kernel
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import Selection
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.approximation import factorise
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import residual
from nysviz.playground.drawing import MOST_POINTS, Drawing, first, of_positions
from nysviz.playground.standalone import CSS, HTML, bundle, standalone
from nysviz.refusal import Refusal
from nysviz.text import counted, three_digits
from nysviz.ui import lesson_bar, page
from nysviz.ui.asking import ask, shared
from nysviz.ui.computing import drawn_rows, picture
from nysviz.ui.controls import choose_axes
from nysviz.ui.downloads import measured
from nysviz.ui.inputs import drawer
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


def elsewhere(scene: Scene, drawing: Drawing) -> None:
    """Offer the points of the data set, these points to the other pages, and the page as a file."""
    left, middle, right = st.columns(3, gap="medium")
    with left:
        axes = choose_axes(scene)
        label = f"Take the points of {plain(scene.data.title or scene.data.name)}"
        st.button(label, on_click=_load, args=(scene, axes), key="playground_take", width="stretch")
        st.caption(f"At most {MOST_POINTS} of them. The page's link then holds these points.")
    with middle:
        own: dict[str, Any] = {"disabled": not len(drawing.points), "width": "stretch"}
        if st.button("Use these points", on_click=_use, args=(drawing,), key="playground_use", **own):
            # The sidebar is not part of this fragment.
            st.rerun()
        st.caption(f"Makes these {counted(len(drawing.points), 'point')} the data set of all pages.")
    with right:
        label, file = "This page as one HTML file", ("playground.html", "text/html")
        make = partial(standalone, drawing.text)
        st.download_button(label, make, *file, key="playground_file", on_click="ignore", width="stretch")
        st.caption("It needs no server and no network.")


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


MEASURES = ("relative_frobenius", "relative_spectral", "relative_trace")


@dataclass(frozen=True)
class Board:
    """Errors of landmarks and of the best; the least relative error with one of the points besides.

    ``best`` and ``relative_best`` are Frobenius errors of the best rank, as many as landmarks are distinct.
    ``condition`` is that of W.
    """

    m: int
    rank: int
    errors: nv.Errors
    best: float
    relative_best: float
    next_error: float
    condition: float


def approximation(points: FloatArray, kernel: Kernel, landmarks: FloatArray) -> LowRank:
    """Return K̃ from landmarks anywhere."""
    return factorise(KernelMatrix(points, kernel), Selection(points=landmarks), "playground", len(landmarks))


def next_point(R: FloatArray) -> int:
    """Return the row whose column, as a further landmark, makes the residual R (n, n) smallest; O(n³)."""
    diagonal, squares = np.diag(R), np.einsum("ij,ij->i", R, R)
    # ‖R − R_i R_iᵀ / R_ii‖² = ‖R‖² − 2 R_iᵀ R R_i / R_ii + ‖R_i‖⁴ / R_ii².
    products = np.einsum("ij,ij->i", R @ R, R)
    # What is left of a point's k(x, x) = 1 below this is rounding.
    left = diagonal > 1e-12
    gains = np.zeros(len(R))
    gains[left] = 2 * products[left] / diagonal[left] - (squares[left] / diagonal[left]) ** 2
    return int(gains.argmax())


@shared()
def boards(text: str) -> tuple[Board, ...]:
    """Return the numbers of each canvas of a drawing with points."""
    drawing = Drawing.from_text(text)
    X, kernel, found = drawing.points, drawing.kernel, []
    eigenvalues = nv.spectrum(X, kernel)
    for landmarks in drawing.boards:
        m, a = len(landmarks), approximation(X, kernel, landmarks)
        place = X[next_point(residual(kernel(X), a.factor))]
        more = nv.errors(X, kernel, approximation(X, kernel, np.vstack([landmarks, place])))
        best = best_errors(eigenvalues, len(np.unique(landmarks, axis=0)))[0]
        relative = best / float(np.linalg.norm(eigenvalues))
        condition = float(np.linalg.cond(kernel(landmarks))) if m else 1.0
        errors, next_error = nv.errors(X, kernel, a), more.relative_frobenius
        found.append(Board(m, a.rank, errors, best, relative, next_error, condition))
    return tuple(found)


def disagreements(found: Sequence[Board], sent: object) -> list[str]:
    """Return a sentence for each error that the browser has otherwise than the core."""
    wrong = []
    for board, numbers in zip(found, sent if isinstance(sent, list) else [], strict=False):
        # Two programs agree on an error, as a part of ‖K‖, to so much, and to so much of the condition of W.
        allowed = 1e-6 + 1e-15 * min(board.condition, 1e12)
        for measure in MEASURES if isinstance(numbers, Mapping) else ():
            core, browser = getattr(board.errors, measure), numbers.get(measure)
            if not isinstance(browser, int | float) or not math.isfinite(browser):
                browser = math.inf
            if abs(core - browser) > allowed:
                name = measure.replace("_", " ")
                wrong.append(f"{name}: {browser:.9g} in the browser, {core:.9g} in the core")
    return wrong


def rows(drawing: Drawing, found: Sequence[Board]) -> list[dict[str, object]]:
    """Return the errors of each canvas as tidy records."""
    begin = {"data": "playground", "n": len(drawing.points), "d": 2, "kernel": repr(drawing.kernel)}
    begin |= {"sigma": drawing.sigma}
    records = []
    for name, board in zip("AB", found, strict=False):
        values = {**asdict(board.errors), "best_frobenius": board.best, "rank": board.rank}
        records += measured({**begin, "canvas": name, "m": board.m}, values)
    return records


def python(drawing: Drawing) -> str:
    """Write the script that prints the same numbers."""
    counts = [len(drawing.points), *map(len, drawing.boards)]
    return f'''import numpy as np

import nysviz as nv
from nysviz.nystroem.approximation import factorise
from nysviz.landmarks import Selection
from nysviz.kernels.matrix import KernelMatrix
from nysviz.analysis.spectrum import best_errors
from nysviz.playground.drawing import Drawing

drawing = Drawing.from_text(
    "{drawing.text}"
)
X, kernel = drawing.points, nv.{drawing.kernel!r}  # {", ".join(map(str, counts))}
for canvas, landmarks in zip("AB", drawing.boards):
    a = factorise(KernelMatrix(X, kernel), Selection(points=landmarks), "playground", len(landmarks))
    for measure, value in vars(nv.errors(X, kernel, a)).items():
        print(f"canvas={{canvas}} {{measure}}", value)
    distinct = len(np.unique(landmarks, axis=0))
    print(f"canvas={{canvas}} best_frobenius", best_errors(nv.spectrum(X, kernel), distinct)[0])
    print(f"canvas={{canvas}} rank", a.rank)'''


def answer(found: Sequence[Board]) -> str:
    """Answer the page's question with the numbers of the first canvas."""
    board, times = found[0], ""
    # Below this part of ‖K‖ the best possible error is rounding.
    if board.relative_best > 1e-10:
        times = f", {three_digits(board.errors.frobenius / board.best)} times the best possible"
    return (
        f"Relative Frobenius error **{three_digits(board.errors.relative_frobenius)}** with "
        f"{counted(board.m, 'landmark')}{times}. One more at the best point makes it "
        f"**{three_digits(board.next_error)}**."
    )


@st.fragment
def live(scene: Scene) -> None:
    """The canvas, the same numbers from the core when the hand rests, and what leaves the page."""
    place, judgement = page.answer_place(), st.empty()
    # The drawing of the lesson's step where one runs and the link has none.
    step = lesson_bar.step_here()
    start = step.drawing if step and step.drawing else first().text
    data = {"start": start, "load": st.session_state.get(lesson_bar.LOADED, (0, ""))}
    _canvas(key=KEY, data=data, default={"drawing": None}, on_drawing_change=lambda: None)
    drawing, browser = sent()
    label = "Points from the data set, and these points elsewhere"
    drawer(st.expander, label, "playground_elsewhere", partial(elsewhere, scene, drawing))
    if not len(drawing.points):
        place.markdown("There are no points: choose some above the canvas, or spray some with the brush.")
        return
    found = ask(boards, drawing.text, what="Errors of the drawing")
    if found is None:
        return
    if wrong := disagreements(found, browser):
        st.error(f"The browser and the core disagree. {'; '.join(wrong)}.", icon=":material/error:")
    place.markdown(page.unbroken(answer(found)))
    with judgement:
        lesson_bar.judge(found[0].errors.relative_frobenius, found[0].m)
    page.closing("playground", python(drawing), rows(drawing, found))
