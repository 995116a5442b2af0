"""The view "Relative accuracy at rank d" of the page Compare (Farahat, Ghodsi and Kamel 2011, figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from nysviz.sweep import Progress, Record
from nysviz.sweep.ranking import by_method
from nysviz.ui import page
from nysviz.ui.compare import rank_pictures, rank_rows
from nysviz.ui.compare import rank_words as words
from nysviz.ui.compare.rank_question import Question, accuracy_run, ask, seconds_run
from nysviz.ui.compare.rank_seen import seen
from nysviz.ui.compare.words import UNDER_WAY
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, loading_code
from nysviz.ui.stopping import at_rest
from nysviz.ui.work.runs import Run


@st.fragment
def view(scene: Scene) -> None:
    """Controls at the right; accuracy at the left, seconds and the two truncations below."""
    answer = st.container()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        question = ask(scene)
        table = st.container()
    if question is None:
        return
    if not question.methods:
        left.info("Choose a method on the right.", icon=":material/touch_app:")
        return
    below = st.columns(2, gap="medium")
    truncations = below[0].container()
    run = accuracy_run(question)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        best = by_method(records, f"relative_accuracy_{question.d}")
        classical = by_method(records, f"classical_accuracy_{question.d}")
        answer.markdown(page.unbroken(words.answer(question, best, bool(records))))
        table.html(words.numbers(question, best))
        title = words.title(question, best)
        page.show(rank_pictures.draw_accuracy(question, best, page.theme(), title), "compare_rank", title)
        title = words.truncation_title(question, best, classical)
        with truncations:
            figure = rank_pictures.draw_truncations(question, best, classical, page.theme(), title)
            page.show(figure, "compare_rank_truncations", title)

    with left, page.sentences():
        follow(run, draw, what="Runs")
    # Seconds are those of one run at a time: they are taken when the others are over.
    runs = [run]
    if run.done and run.problem is None:
        runs.append(_seconds(question, below[1]))
    else:
        below[1].caption("Seconds are taken one run at a time, when the runs above are over.")
    load = loading_code(scene) if question.data is scene.data else f'nv.load("{question.data.name}")'
    script = rank_rows.python(question, load, with_seconds=len(runs) > 1)
    rows = partial(rank_rows.rows, question, runs)
    # Before runs are over or stopped the charts would soon be ahead of the words.
    costs = [record for one in runs[1:] if at_rest(one) for record in one.records()]
    told = seen(question, run.records(), costs) if at_rest(run) else UNDER_WAY
    page.closing(told, words.MATHS, script, words.SOURCE, rows)


def _seconds(question: Question, place: st.delta_generator.DeltaGenerator) -> Run:
    run = seconds_run(question)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        values = by_method(records, "seconds")
        title = words.seconds_title(question, values)
        page.show(
            rank_pictures.draw_seconds(question, values, page.theme(), title), "compare_rank_seconds", title
        )

    with place, page.sentences():
        follow(run, draw, what="Seconds, one run at a time")
    return run
