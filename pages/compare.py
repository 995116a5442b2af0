"""Which method for which number of landmarks, or for which budget?"""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from nysviz.sweep import Progress, Record
from nysviz.ui import page
from nysviz.ui.compare import budget_words, parts, pictures, rank, words
from nysviz.ui.compare import rows as compare_rows
from nysviz.ui.compare.rank_question import own_kernel
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.stopping import at_rest
from nysviz.ui.work.runs import Run

RANK = "Relative accuracy at rank d"


@st.fragment
def live(scene: Scene) -> None:
    """Controls at the right; the chart sharpens at the left as runs come in."""
    answer = st.container()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        question = parts.ask(scene)
        table = st.container()
    if not question.methods:
        left.info("Choose a method on the right.", icon=":material/touch_app:")
        return
    run = parts.run_of(scene, question)

    def draw(records: Sequence[Record], progress: Progress) -> None:
        n, theme = scene.data.n, page.theme()
        costs = [record for record in records if "kernel_evaluations" in record.values]
        errors = [record for record in records if "kernel_evaluations" not in record.values]
        values = parts.values_of(errors, question)
        if question.view in ("seconds", "evaluations"):
            answer.markdown(page.unbroken(words.cost_answer(costs, question.view)))
            table.html(words.cost_numbers(question, costs, n))
            title = f"{parts.VIEWS[question.view][:1].upper()}{parts.VIEWS[question.view][1:]}"
            figure = pictures.draw_costs(scene, question, costs, theme, title)
        elif question.view == "budget":
            answer.markdown(page.unbroken(budget_words.answer(question, values, costs)))
            table.html(budget_words.numbers(question, values, costs))
            title = budget_words.title(values, costs)
            figure = pictures.draw_budget(scene, question, values, costs, theme, title)
        else:
            answer.markdown(page.unbroken(words.answer(question, values, n)))
            table.html(words.numbers(question, values, n))
            title = words.title(question, values)
            repeats = max((record.repeat for record in errors), default=0) + 1
            figure = pictures.draw_errors(scene, question, values, theme, title, repeats)
        page.show(figure, "compare", title)

    with left, page.sentences():
        follow(run, draw, what="Runs")
    rows = partial(compare_rows.rows, scene, question, run)
    told, script = seen(scene, question, run), compare_rows.python(scene, question)
    page.closing(told, words.MATHS, script, words.SOURCE, rows)


def seen(scene: Scene, question: parts.Question, run: Run) -> str:
    """What the runs show, once they are over or stopped: before that the chart would soon be ahead of it."""
    if not at_rest(run):
        return words.UNDER_WAY
    errors = [record for record in run.records() if "kernel_evaluations" not in record.values]
    values = parts.values_of(errors, question)
    told = words.seen(question, values, scene.data.n) if errors else ""
    if question.view == "budget":
        costs = [record for record in run.records() if "kernel_evaluations" in record.values]
        told = budget_words.seen(question, values, costs)
    return told if question.view == "error" else f"{told} {words.cost_note()}".strip()


page.open_page("Which method for which number of landmarks?")
is_rank = st.session_state.get("compare_what", st.query_params.get("compare_what")) == RANK
chosen = shared_sidebar(own_kernel() if is_rank else "")
compared = st.segmented_control(
    "What is compared",
    ("Error", RANK),
    default="Error",
    required=True,
    key="compare_what",
    bind="query-params",
    label_visibility="collapsed",
)
if compared == RANK:
    rank.view(chosen)
else:
    live(chosen)
