"""The page "Approximate": its controls, the slider below its picture, and the places of its study."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.studies.approximate import Approximate
from nysviz.studies.choice import Choice
from nysviz.studies.entry import entry_of
from nysviz.studies.frames import SIGMA, M, multiples_of
from nysviz.studies.hand import Hand, Measured
from nysviz.studies.matrices import ORDERS
from nysviz.studies.scene import Scene
from nysviz.ui import page
from nysviz.ui.asking import sentences
from nysviz.ui.components import component
from nysviz.ui.controls import choose_axes, choose_method
from nysviz.ui.hand import (
    LABEL,
    PATIENCE_SECONDS,
    draw_slider,
    is_asked,
    release_bandwidth,
    release_count,
    send,
)
from nysviz.ui.inputs import box, segments
from nysviz.ui.running import show_progress, watch
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import acting, part

_marks = component("marks", "canvas")
# Says which cell of a picture of K was clicked.
_cell, CELL = component("cell"), "approximate_entry"


def _release(scene: Scene, along: object, value: object) -> None:
    release_count(scene.data.n, along, value)
    release_bandwidth(scene, along, value)


@part
def follow(hand: Hand, measured: Measured) -> None:
    """Draw the error curve, and send the frames that there are, in a part that draws no other chart again."""
    token, frames = hand.drag.token, {}
    if is_asked(token):
        with sentences():
            run = hand.begin()
            watched = watch(run, beside=True, patience=PATIENCE_SECONDS)
            frames = hand.in_order(run.records())
            page.show(hand.curve(frames, measured.relative_frobenius), "curve", caption=hand.curve_caption)
            show_progress(run, LABEL, watched)
    send(token, frames, hand.words(frames, measured), partial(hand.sent_frames, frames))


@part
def arithmetic(scene: Scene, choice: Choice) -> None:
    """Show how the entry is worked out whose cell was clicked, in a part of its own: no chart is redrawn."""
    st.session_state.setdefault(CELL, ())
    _cell(key="approximate_cell", on_clicked_change=acting(_click))
    match st.session_state[CELL]:
        case [int(i), int(j)] if min(i, j) >= 0 and max(i, j) < scene.data.n:
            with sentences():
                st.html(entry_of(scene, choice, i, j).as_html())


def _click() -> None:
    match st.session_state.get("approximate_cell", {}).get("clicked"):
        case [int(i), int(j)]:
            st.session_state[CELL] = i, j
        case _:
            st.session_state[CELL] = ()


@part
def live(scene: Scene) -> None:
    """Map first, then pictures and numbers; what needs an eigen-decomposition fills in when it is there."""
    answer, left, right = page.places(0.66)
    with left:
        map_place = st.container()
        choose_what, slider = st.columns([0.19, 0.81], gap="small")
    with right:
        controls, numbers, notes = st.container(), st.container(), st.container()
        options, axes_place = st.columns(2, gap="small")
        curve = st.container(key="approximate_curve")
        with controls:
            choice = choose_method(scene, options, with_count=False)
        with axes_place, st.popover("Axes, order", width="stretch"):
            axes = choose_axes(scene)
            offered = [by for by in ORDERS if by != "label" or scene.data.task == "classification"]
            order = box("Order of the rows", offered, "order", names=ORDERS)
    with choose_what:
        note = "What the slider moves: the number of landmarks, or the bandwidth of the kernel."
        kinds = (M, SIGMA) if multiples_of(scene) else (M,)
        drag = segments("Drag", kinds, "approximate_drag", label_visibility="collapsed", help=note)
    *pictures, spectrum = st.columns([0.19, 0.19, 0.19, 0.43], gap="small")
    names = ("picture_K", "picture_approximation", "picture_residual")
    charts = {
        "map": map_place,
        **dict(zip(names, pictures, strict=True)),
        "spectrum": spectrum,
    }
    study = Approximate(scene=scene, choice=choice, axes=axes, order=order, drag=drag, theme=page.theme())
    # Named as on other pages, so that a lesson can take it off the page.
    with slider, st.container(key="ratio"):
        draw_slider("approximate", study.hand.slider, partial(_release, scene))
        _marks(key="approximate_marks", data=study.hand.marks)
    entry = st.container()

    def explain_entry() -> None:
        with entry:
            arithmetic(scene, choice)

    def follow_slider() -> None:
        with curve:
            follow(study.hand, study.measured_here)

    then: dict[str, Callable[[], object]] = {"approximation": explain_entry, "outcome": follow_slider}
    text = "approximate" if METHODS[choice.method].data_dependent else "approximate_random_features"
    unfold(study, Places(answer, numbers, notes, charts, then=then), text, elsewhere=("records",))
