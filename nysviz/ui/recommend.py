"""The page "Recommend": its controls, the places of its study, and where it leads."""

from typing import Any

import streamlit as st

from nysviz.advice.recommendation import NORM_NAMES
from nysviz.landmarks import METHODS
from nysviz.studies.recommend import GOALS, RecommendationStudy, default_methods, offered_methods
from nysviz.studies.scene import Scene
from nysviz.ui import page, settings
from nysviz.ui.bandwidth import bandwidth_text
from nysviz.ui.controls import stop_text, why_not_learned
from nysviz.ui.inputs import box, number, page_link, segments, several, stops
from nysviz.ui.running import at_rest
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

# The finding across data sets on which each goal's advice rests, and why.
FINDING_OF = {
    "copy": (
        "What do I take?",
        "Which method is fastest depends on the decay of the eigenvalues and on the cost of the kernel: so "
        "each is tried on your rows.",
    ),
    "predict": (
        "How small an error is enough?",
        "A small error of K̃ is not yet a good prediction: so landmarks are chosen by the loss, not by the "
        "error.",
    ),
}
# Evenly spaced in log.
TARGETS = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)


def choose(scene: Scene, goal: str) -> RecommendationStudy:
    """Draw the controls of the goal to copy K; that to predict has none."""
    if goal == "predict":
        return RecommendationStudy(scene=scene, goal=goal, theme=page.theme())
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
        goal=goal,
        target=target,
        norm=norm,
        methods=methods,
        seconds=seconds,
        memory=None if megabytes is None else 1e6 * megabytes,
        theme=page.theme(),
    )


def offer(study: RecommendationStudy) -> None:
    """Draw the link that takes the advice: the page Approximate with its method, m and bandwidth."""
    if (advice := study.advice) is None:
        return
    parameters = {
        **settings.sidebar_parameters(),
        "method": METHODS[advice.method].label,
        "ratio": stop_text(study.scene.data.n, advice.m),
    }
    if (multiple := study.advised_multiple) is not None:
        parameters["bandwidth"] = bandwidth_text(multiple)
    text, icon = f"Take {study.advised_settings}", ":material/grid_on:"
    note = f"Opens Approximate with {METHODS[advice.method].label} and these."
    page_link(text, "approximate", parameters, icon=icon, width="stretch", help=note)


@part
def live(scene: Scene) -> None:
    """Ask for the goal, compare methods or bandwidths, and draw the link that takes the advice."""
    refusal = why_not_learned(scene.data)
    first = "copy" if refusal else "predict"
    goal = segments("Copy K, or predict?", GOALS, "recommend_goal", GOALS, first)
    if goal == "predict" and refusal:
        st.info(refusal, icon=":material/info:")
        return
    answer, left, right = page.places(0.66)
    with right:
        study = choose(scene, goal)
        numbers, links = st.container(), st.container(key="nysviz_go")
    if not study.methods:
        return
    below, code = st.container(), st.container()
    charts = {"errors": left, "bandwidths": below}
    if goal == "predict":
        charts = {"loss_by_bandwidth": left, "loss_by_landmarks": below}
    unfold(study, Places(answer, numbers, links, charts), "recommend")
    order = ("extended", "losses") if goal == "predict" else ("verified", "screened")
    run = next((study.computed[name] for name in order if study.has(name)), None)
    if run is None or not at_rest(run):
        return
    with links:
        offer(study)
        about, why = FINDING_OF[goal]
        link = {"findings_about": about}
        page_link(f"Findings: {about}", "findings", link, icon=":material/emoji_events:", help=why)
    if study.pipeline:
        code.caption("In scikit-learn:")
        code.code(study.pipeline, language=None)  # the colours of Python here are too pale to be read
