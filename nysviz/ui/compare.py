"""The page "Compare": controls and places of its views, errors and costs, and accuracies at rank d."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.landmarks import METHODS
from nysviz.papers.farahat2011 import figure1
from nysviz.studies import landmark_counts, matrices
from nysviz.studies.accuracy import (
    OFFERED,
    RankAccuracy,
    few_rows_sentence,
    first_truncated,
    ranks_of,
    rows_of,
)
from nysviz.studies.compare import FIRST_METHODS, SCALES, VIEWS, WITH_ERRORS, MethodComparison
from nysviz.studies.matrices import NORMS
from nysviz.studies.scene import Scene
from nysviz.ui import page
from nysviz.ui.inputs import box, method_label, several
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

AT_HAND = {"with K at hand": True, "with the entries of K that are asked for": False}


def choose_comparison(scene: Scene) -> MethodComparison:
    """Draw the controls for errors and costs."""
    offered, left_out = landmark_counts.offered(scene, list(METHODS))
    settings: dict[str, Any] = {"methods": several("Methods", offered, "compare_methods", FIRST_METHODS)}
    view = settings["view"] = box("Show", VIEWS, "compare_view", names=VIEWS)
    with st.popover("Axes, repeats", width="stretch"):
        left, right = st.columns(2)
    # With many rows a run takes seconds.
    key, repeats, first = "compare_repeats", [3, 5, 10, 20, 50], 10
    if landmark_counts.is_large(scene.data.n):
        key, repeats, first = "compare_few_repeats", [2, 3, 5, 10], 2
    if view in WITH_ERRORS:
        exact = matrices.is_exact(scene)
        norms = [name for name in NORMS if exact or name != "spectral"]
        scales = [name for name in SCALES if exact or name != "best"]
        settings["norm"] = box("Error", norms, "compare_norm", names=NORMS, place=left)
        settings["scale"] = box("Scale", scales, "compare_scale", names=SCALES, place=right)
        settings["repeats"] = box("Repeats", repeats, key, first, place=right)
    # Ten ratios up to the largest one, as in the paper; from 1 % to 10 % at first.
    up_to = box("m / n up to", (2, 5, 10, 20, 50), "compare_up_to", 10, "{:g} %".format, left)
    if left_out:
        st.caption(landmark_counts.few_landmarks_sentence(left_out))
    return MethodComparison(scene=scene, up_to=up_to, theme=page.theme(), **settings)


@part
def comparison(scene: Scene) -> None:
    """Draw the controls at the right; the chart sharpens at the left as runs come in."""
    answer, left, right = page.places(0.66)
    with right:
        study = choose_comparison(scene)
        notes, numbers = st.container(), st.container()
    if not is_chosen(study.methods, left):
        return
    unfold(study, Places(answer, numbers, notes, {"curves": left}), "compare")


def is_chosen(methods: Sequence[str], place: DeltaGenerator) -> bool:
    """Return whether a method is chosen; ask for one if not."""
    if not methods:
        place.info("Choose a method on the right.", icon=":material/touch_app:")
    return bool(methods)


def choose_accuracy(scene: Scene) -> RankAccuracy | None:
    """Draw the controls for accuracies; None if the data have too few rows for any d."""
    ds = ranks_of(scene)
    if not ds:
        st.info(few_rows_sentence(scene))
        return None
    offered = [name for name in OFFERED if METHODS[name].suits(scene.kernel)]
    methods = several("Methods", offered, "compare_rank_methods", figure1.METHODS)
    places = st.columns(3)
    d = box("Rank d", ds, "compare_rank_d", min(figure1.D, ds[-1]), place=places[0])
    # Few rows are always followed up to some multiple of d: one of equal numbers is enough.
    counts = {tuple(figure1.counts_of(rows_of(scene), d, percent)): percent for percent in (5, 10, 20)}
    up_to = 10
    if len(counts) > 1:
        up_to = box("m / n up to", counts.values(), "compare_rank_up_to", up_to, "{:g} %".format, places[2])
    repeats = box("Repeats", (3, 5, 10, 20), "compare_rank_repeats", 5, place=places[1])
    named = methods or ("greedy",)
    truncated = box("Classical rank d for", named, "compare_rank_shown", first_truncated(named), method_label)
    return RankAccuracy(
        scene=scene,
        methods=methods,
        d=d,
        up_to=up_to,
        repeats=repeats,
        truncated=truncated,
        at_hand=AT_HAND[box("Seconds", AT_HAND, "compare_rank_counted")],
        theme=page.theme(),
    )


@part
def accuracy(scene: Scene) -> None:
    """Draw controls at the right, accuracy at the left, the two truncations and seconds below."""
    answer, left, right = page.places(0.66)
    with right:
        study = choose_accuracy(scene)
        notes, numbers = st.container(), st.container()
    if study is None or not is_chosen(study.methods, left):
        return
    first, second = st.columns(2, gap="medium")
    charts = {"accuracy": left, "truncations": first, "seconds": second}
    unfold(study, Places(answer, numbers, notes, charts), "compare_rank")
    if not study.has("times"):
        second.caption("Seconds are taken one run at a time, when the runs above are over.")
