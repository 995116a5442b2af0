"""What do I have, and what bandwidth and m suit it?"""

import streamlit as st

from nysviz.advice.data import DISTANCE_ROWS
from nysviz.ui import estimates, page
from nysviz.ui.data import cards, parts, words
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.stopping import is_stopped, stop_of

# Steps for each distance of the sample, which are sorted, and for each number of the table.
DISTANCE_STEPS, NUMBER_STEPS = 10, 4


def facts_seconds(scene: Scene) -> float:
    """Estimate the time of the distances among sampled rows, and of a look at all columns."""
    pairs, numbers = min(scene.data.n, DISTANCE_ROWS) ** 2, scene.data.n * scene.data.d
    steps = estimates.touch_seconds(DISTANCE_STEPS * pairs + NUMBER_STEPS * numbers)
    return steps + estimates.product_seconds(pairs * scene.data.d)


def one_set(scene: Scene) -> None:
    """Show the chosen set: its distances first, then what they suggest, then its rows."""
    answer = st.empty()
    left, right = st.columns([0.62, 0.38], gap="medium")
    with right:
        target = parts.choose_target()
        suggestions, why, link = st.empty(), st.empty(), st.container()
        table = st.empty()
    sample, curve = st.columns([0.5, 0.5], gap="medium")
    with sample:
        parts.draw_rows(scene)
    below = st.container()
    with left, page.sentences():
        found = parts.facts_later(scene)
        if not page.ready(found, page.ANSWER_SECONDS):
            page.wait_for(found, "Distances", facts_seconds(scene))
            return
        facts = found.result()
        table.html(words.facts_table(scene, facts))
        trials = parts.trials_key(scene, target)
        if is_stopped(trials, "the trials of landmarks"):
            parts.draw_distances(scene, facts, None)
            return
        candidates = parts.candidates_of(scene, facts, target)
        # One short wait for all of them: the distances can be drawn already.
        missing = page.pending([one.found for one in candidates], page.ANSWER_SECONDS)
        if missing or any(one.found.exception() for one in candidates):
            parts.draw_distances(scene, facts, None)
        if missing:
            stop = stop_of(trials)
            seconds = parts.trial_seconds(scene) * len(missing)
            page.wait_for(missing[0], f"Landmarks, bandwidths left: {len(missing)}", seconds, stop)
            return
        suggestion = parts.suggestion_of(scene, candidates, target)
        best = None if suggestion.best is None else candidates[suggestion.best]
        answer.markdown(page.unbroken(words.answer(scene, facts, suggestion, target)))
        parts.draw_distances(scene, facts, best)
        suggestions.html(words.suggestions(scene, suggestion, target))
        why.caption(words.reason(scene, suggestion))
        with link:
            words.offer_link(scene, facts, suggestion)
        with curve:
            parts.draw_trials(scene, suggestion, target)
        with below:
            words.close(scene, facts, suggestion, target)


page.open_page("What do I have, and what bandwidth and m suit it?")
chosen = shared_sidebar()
one_set(chosen)
cards.draw_all(chosen)
