"""Which method for which number of landmarks, or for which budget?"""

from collections.abc import Sequence
from functools import partial

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.sweep import Progress, Record
from nysviz.ui import page
from nysviz.ui.compare import rank, result, view
from nysviz.ui.compare.view import choose
from nysviz.ui.inputs import segments
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar

RANK = "Relative accuracy at rank d"


@st.fragment
def live(scene: Scene) -> None:
    """Controls at the right; the chart sharpens at the left as runs come in."""
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        question = choose(scene)
        table = st.container()
    if not question.methods:
        left.info("Choose a method on the right.", icon=":material/touch_app:")
        return
    run = result.run_of(scene, question)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        n = scene.data.n
        values = result.values_of(records, question)
        if question.view == "error":
            what = f"mean {result.NORMS[question.norm]} error"
            said, numbers = result.method_answer(what, values, n)
            view.draw_errors(scene, question, records, values)
        elif question.view == "budget":
            points = result.points_of(values, records)
            said, numbers = result.budget_answer(question, *result.best_within_budget(points))
            view.draw_budget(scene, question, points)
        else:
            said, numbers = result.costs_answer(question, records, n)
            view.draw_costs(scene, question, records)
        answer.markdown(page.unbroken(said))
        table.html(numbers)

    with left, page.sentences():
        follow(run, draw, what="Runs")
    rows = partial(result.rows, scene, question, run)
    script = result.python(scene, question)
    page.closing("compare", script, rows)


page.open_page("Which method for which number of landmarks?")
is_rank = st.session_state.get("compare_what", st.query_params.get("compare_what")) == RANK
scene = shared_sidebar(rank.own_kernel() if is_rank else "")
compared = segments("What is compared", ("Error", RANK), "compare_what", label_visibility="collapsed")
(rank.view if compared == RANK else live)(scene)
