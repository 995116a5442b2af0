"""What do I have, and what bandwidth and m suit it?"""

from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.asking import ask
from nysviz.ui.data import cards, one_set
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


def chosen_set(scene: Scene) -> None:
    """Show the chosen set: its distances first, then what they suggest, then its rows."""
    answer = page.answer_place()
    left, right = st.columns([0.62, 0.38], gap="medium")
    with right:
        target = one_set.choose_target()
        suggestions, link, table = st.empty(), st.container(), st.empty()
    first_rows, curve = st.columns([0.5, 0.5], gap="medium")
    below = st.container()
    with left:
        distances = st.container()
        facts = ask(one_set.facts, scene.data, what="Distances between rows")
        if facts is None:
            return
        table.html(one_set.facts_table(scene, facts))
        suggestion = ask(one_set.suggestion, scene, target, what="Landmarks for each bandwidth")
    best = None if suggestion is None else suggestion.best
    with distances:
        one_set.draw_distances(scene, facts, best)
    with first_rows:
        one_set.draw_rows(scene)
    if suggestion is None:
        return
    answer.markdown(page.unbroken(one_set.answer(scene, facts, suggestion, target)))
    suggestions.html(one_set.suggestions(scene, suggestion, target))
    with link:
        st.caption("Why this bandwidth", help=one_set.REASON)
        if best is not None:
            one_set.offer(scene.data.n, facts, best)
    with curve:
        one_set.draw_trials(scene, suggestion, target)
    with below:
        rows = partial(one_set.rows, scene, facts, suggestion, target)
        page.closing("data", one_set.python(scene, suggestion, target), rows)


page.open_page("What do I have, and what bandwidth and m suit it?")
chosen = shared_sidebar()
chosen_set(chosen)
cards.draw_all(chosen)
