"""The page "Quantization": its controls, and the places of its study."""

import streamlit as st

from nysviz.papers.zhang2008.figure2 import OFFERED
from nysviz.studies import landmark_counts
from nysviz.studies.quantization import FIRST_METHODS, REPEATS, Quantization, run_seeds
from nysviz.studies.scene import Scene
from nysviz.ui import page, settings
from nysviz.ui.controls import choose_count
from nysviz.ui.inputs import several, slider
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

CLICKED = "quantization_run"  # the run that was clicked, in the address


def choose(scene: Scene) -> Quantization:
    """Draw the page's own controls."""
    offered, left_out = landmark_counts.offered(scene, OFFERED)
    # More colours at once than a reader can tell apart help nobody.
    methods = several("Methods", offered, "quantization_methods", FIRST_METHODS, max_selections=8)
    m = choose_count(scene.data.n)
    runs, key = (10, 100, REPEATS, 10), "quantization_runs"
    if landmark_counts.is_large(scene.data.n):
        # A run takes seconds; few points still say which way the cloud lies.
        runs, key = (3, 20, 5, 1), "quantization_few_runs"
    note = "Each with a seed of its own. A method without randomness runs once."
    repeats = slider("Runs per method", *runs[:3], key, step=runs[3], help=note)
    if left_out:
        st.caption(landmark_counts.left_out_sentence(left_out))
    if left_out_mixtures := landmark_counts.mixtures_sentence(methods, (m,)):
        st.caption(left_out_mixtures)
    runs_by_name = {
        run_name(method, seed, m): (method, seed)
        for method in methods
        for seed in run_seeds(method, repeats, scene.seed)
    }
    return Quantization(
        scene=scene,
        methods=methods,
        m=m,
        repeats=repeats,
        shown_run=runs_by_name.get(settings.text(CLICKED)),
        theme=page.theme(),
    )


def run_name(method: str, seed: int, m: int) -> str:
    """Name a run in the address."""
    return f"{method}-{seed}-{m}"


def keep_click(study: Quantization) -> None:
    """Put the run that was clicked into the address."""
    for point in st.session_state["runs"]["selection"]["points"]:
        # Emptied whenever the chart is drawn anew: what was clicked stays until something else is. The ring
        # has no data of its own.
        if data := point.get("customdata"):
            method = study.compared_methods[point["curve_number"]]
            settings.put(CLICKED, run_name(method, int(data[1]), study.m))


@part
def live(scene: Scene) -> None:
    """Points come in as runs finish; then the run that was clicked, or the best one, is shown on the data."""
    answer, left, right = page.places(0.6)
    with right:
        study = choose(scene)
        numbers, notes = st.container(), st.container()
    below = st.columns(2, gap="medium")
    if not study.methods:
        left.info("Choose a method to see its runs.", icon=":material/scatter_plot:")
        return
    charts = {"runs": left, "map": below[0], "deviations": below[1]}
    clicks = {"runs": lambda: keep_click(study)}
    unfold(study, Places(answer, numbers, notes, charts, clicks), "quantization")
