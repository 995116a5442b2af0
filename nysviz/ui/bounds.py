"""The page "Bounds": the controls of its two views, and the places of their studies."""

import streamlit as st

from nysviz.papers.oglic2017.lift import LANDMARKS
from nysviz.studies import matrices
from nysviz.studies.bounds import Bounds, why_no_bound
from nysviz.studies.relative_bounds import FIRST_RANK, RelativeBounds, best_by_rank
from nysviz.studies.scene import Scene
from nysviz.ui import page
from nysviz.ui.asking import ask, sentences
from nysviz.ui.controls import choose_method
from nysviz.ui.inputs import segments, stops
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part


@part
@sentences()
def zhang(scene: Scene) -> None:
    """Draw error and bound of one approximation; the curve over m fills in as runs finish."""
    answer, left, right = page.places(0.64)
    with right:
        controls, numbers, notes = st.container(), st.container(), st.container()
        options = st.container()
        with controls:
            choice = choose_method(scene, options)
    if problem := why_no_bound(choice):
        left.info(problem)
        return
    ladder, constant, entry = st.columns(3, gap="medium")
    charts = {"curve": left, "ladder": ladder, "property": constant, "entry": entry}
    study = Bounds(scene=scene, choice=choice, theme=page.theme())
    unfold(study, Places(answer, numbers, notes, charts), "bounds_zhang")


@part
@sentences()
def relative(scene: Scene) -> None:
    """Draw errors over the best of their rank, and guarantees, as the runs come in."""
    answer = page.answer_place()
    part = matrices.exact_part(scene)
    values = ask(matrices.eigenvalues, part.unseeded, label="All eigenvalues of K")
    if values is None:
        return
    ranks = list(best_by_rank(values))
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        rank = stops("Rank k", ranks, "bounds_rank", FIRST_RANK)
        note = "As many landmarks as the rank, or more; then the best rank k of the approximation is taken."
        rule = segments("Landmarks m", LANDMARKS, "bounds_landmarks", help=note)
        numbers, notes = st.container(), st.container()
    study = RelativeBounds(scene=scene, rank=rank, rule=rule, theme=page.theme())
    unfold(study, Places(answer, numbers, notes, {"relative": left}), "bounds_relative")
