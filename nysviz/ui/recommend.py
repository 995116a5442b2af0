"""The page "Recommend": its controls, the places of its study, and where it leads."""

from typing import Any

import streamlit as st

from nysviz.advice.recommendation import NORM_NAMES
from nysviz.studies.recommend import RecommendationStudy, default_methods, offered_methods
from nysviz.studies.scene import Scene
from nysviz.ui import page, settings
from nysviz.ui.bandwidth import bandwidth_text
from nysviz.ui.controls import stop_text
from nysviz.ui.inputs import box, number, page_link, several, stops
from nysviz.ui.running import at_rest
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

# Evenly spaced in log.
TARGETS = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)


def choose(scene: Scene) -> RecommendationStudy:
    """Draw the controls of the page."""
    left, right = st.columns(2)
    note = "Part of K, in the norm beside, that may be left."
    target = stops("Target error", TARGETS, "recommend_target", 0.1, "{:g}".format, left, help=note)
    norm = box("Norm", NORM_NAMES, "recommend_norm", names=NORM_NAMES, place=right)
    with st.popover("Methods, limits", width="stretch"):
        limit: dict[str, Any] = {"format": "%g", "placeholder": "any"}
        limit["help"] = "What one approximation of all rows may take on this machine."
        seconds = number("Seconds at most", 0.001, 1e6, None, "recommend_seconds", **limit)
        limit["help"] = "Memory that it may hold beside the data while it is made."
        megabytes = number("MB at most", 0.01, 1e6, None, "recommend_memory", **limit)
        offered, first = offered_methods(scene.kernel, norm), default_methods(scene)
        methods = several("Methods", offered, "recommend_methods", first, label_visibility="collapsed")
    if not methods:
        st.info("Choose a method.", icon=":material/touch_app:")
    return RecommendationStudy(
        scene=scene,
        target=target,
        norm=norm,
        methods=methods,
        seconds=seconds,
        memory=None if megabytes is None else 1e6 * megabytes,
        theme=page.theme(),
    )


def offer(study: RecommendationStudy) -> None:
    """Draw the links that take the recommendation, and a bandwidth that suits better."""
    best = study.recommendation.best
    if best is not None:
        ratio = stop_text(study.scene.data.n, best.m)
        wanted = {**settings.sidebar_parameters(), "method": best.label, "ratio": ratio}
        text, icon = f"Open in Approximate, m = {best.m}", ":material/grid_on:"
        page_link(text, "approximate", wanted, icon=icon, width="stretch")
    if (text := study.better_label) and study.better_multiple is not None:
        wanted = {**settings.parameters(), "bandwidth": bandwidth_text(study.better_multiple)}
        page_link(text, "recommend", wanted, icon=":material/swap_horiz:", width="stretch")


@part
def live(scene: Scene) -> None:
    """Methods on parts of the rows, the first ones on all rows, other bandwidths; then what follows."""
    answer, left, right = page.places(0.66)
    with right:
        study = choose(scene)
        numbers, links = st.empty(), st.container(key="nysviz_go")
    if not study.methods:
        return
    below, code = st.container(), st.container()
    places = Places(answer, numbers, links, {"errors": left, "bandwidths": below})
    unfold(study, places, "recommend")
    run = study.computed.get("verified", study.computed.get("screened"))
    if run is None or not at_rest(run):
        return
    with links:
        offer(study)
    if study.pipeline:
        code.caption("In scikit-learn:")
        code.code(study.pipeline, language=None)  # the colours of Python here are too pale to be read
