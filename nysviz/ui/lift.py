"""The page "Lift": its controls, and the places of its study."""

from typing import Any

import streamlit as st

from nysviz.kernels import Gaussian
from nysviz.papers.oglic2017 import lift as paper
from nysviz.papers.oglic2017.lift import LANDMARKS
from nysviz.studies.lift import FIRST_METHODS, MORE_REPEATS, REPEATS, Lift, offered_methods
from nysviz.studies.lift_records import row_count
from nysviz.studies.scene import Scene
from nysviz.ui import page, settings
from nysviz.ui.inputs import box, number, several
from nysviz.ui.sidebar.data_choice import OWN_FILE
from nysviz.ui.sidebar.kernel_choice import chosen_kernel
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

AS_NEEDED = "auto"
NEEDED = (
    f"{AS_NEEDED}: {REPEATS} of each method, then {MORE_REPEATS} of those that may be the best "
    "(paired t-tests, 5 %)."
)
VIEWS = {
    "bandwidth": "lift against bandwidth",
    "rank": "lift against rank",
    "seconds": "seconds against error",
}


def choose(scene: Scene) -> Lift:
    """Draw the controls of the page."""
    n, names = row_count(scene.data), offered_methods()
    view = box("Show", VIEWS, "lift_view", names=VIEWS)
    methods = several("Methods", names, "lift_methods", FIRST_METHODS, names)
    # The longest name is that of the landmarks, which must not break in the presentation view.
    widths = {"rank": (0.56, 0.44), "seconds": (0.4, 0.6)}.get(view, (0.26, 0.4, 0.34))
    places = list(st.columns(widths, gap="small", vertical_alignment="bottom"))
    rank = repeats = None
    if view != "rank":
        most_rank, key = max(1, min(500, n // 2)), f"lift_rank_{n}"
        rank = number("Rank k", 1, most_rank, paper.rank_for(n), key, places.pop(0), step=10)
    note = "More landmarks than the rank: the best rank k of what they give is measured."
    rule = box("Landmarks m", LANDMARKS, "lift_landmarks", place=places.pop(0), help=note)
    if view != "seconds":
        choices = (AS_NEEDED, 1, 3, 6, 10, 20)
        chosen: Any = box("Repeats", choices, "lift_repeats", place=places.pop(0), help=NEEDED)
        repeats = None if chosen == AS_NEEDED else chosen
    return Lift(
        scene=scene, view=view, methods=methods, rank=rank, rule=rule, repeats=repeats, theme=page.theme()
    )


def explain_kernel() -> None:
    """Say which kernel the page has if the visitor has chosen another one."""
    chosen = chosen_kernel()
    if chosen == Gaussian.label:
        return
    points = "your points"
    if settings.text("data") == OWN_FILE and "similarities" in st.session_state.get("own_options", {}):
        points = "the points that stand for your similarities"
    st.info(
        f"This page compares bandwidths: it takes the Gaussian kernel of {points}, not the {chosen} kernel. "
        f"Compare and Approximate show the {chosen} kernel.",
        icon=":material/info:",
    )


@part
def live(scene: Scene) -> None:
    """Draw the controls at the right; the chart sharpens at the left as runs come in."""
    about = st.container()
    answer, left, right = page.places(0.66)
    below = st.container()
    with right:
        study = choose(scene)
        numbers, notes = st.container(), st.container()
    with about:
        explain_kernel()
    if not study.schemes:
        left.info("Choose a method on the right.", icon=":material/touch_app:")
        return
    unfold(study, Places(answer, numbers, notes, {"lift": left, "errors": below}), "lift")
