"""Three experiments a page, under its pictures: a question first, a link that does it, and the reason.

They are lessons of one page, in ``texts/try``, so that a lecturer can copy a step.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from nysviz.lessons.reading import Lesson, Question, Step
from nysviz.ui import lesson_bar, settings
from nysviz.ui.inputs import drawer, page_link
from nysviz.ui.watching import part

FOLDER = Path(__file__).parent / "texts" / "try"
OPEN = "try_open"


def experiments(page: str) -> Lesson | None:
    """Return the experiments of a page, None if it has none."""
    file = FOLDER / f"{page}.toml"
    return lesson_bar.checked(file.read_bytes(), page) if file.is_file() else None


def draw(only_open: bool = False) -> None:
    """Draw the page's experiments behind their label; with ``only_open`` only if they are open already.

    While a page computes they stay, with the visitor's answers. A lesson has questions of its own.
    """
    lesson = experiments(settings.page())
    is_aside = settings.is_expert() or lesson_bar.running() is not None
    if lesson is not None and not is_aside and (st.session_state.get(OPEN) or not only_open):
        _draw_drawer(lesson)


@part
def _draw_drawer(lesson: Lesson) -> None:
    def show() -> None:
        columns = st.columns(len(lesson.steps), gap="medium")
        for number, (column, step) in enumerate(zip(columns, lesson.steps, strict=True), start=1):
            if step.question is not None:
                with column:
                    _draw_step(step, step.question, f"try_{lesson.name}_{number}")

    drawer(st.expander, "Try this", OPEN, show)


def _draw_step(step: Step, question: Question, key: str) -> None:
    st.markdown(f"**{question.ask}**")
    numbered = dict(enumerate(question.choices, start=1))
    look: dict[str, Any] = {"format_func": numbered.__getitem__, "label_visibility": "collapsed"}
    answer = st.radio(question.ask, numbered, None, key=f"{key}_answer", **look)
    with st.container(key=f"nysviz_go_{key}"):
        _draw_link(step, key)
    st.caption(lesson_bar.linked(step.text))
    if answer is None:
        return
    if question.is_right(answer):
        st.success(f"Right. {question.why}", icon=":material/check:")
    else:
        st.info(f"Not quite. **{question.solution}.** {question.why}", icon=":material/lightbulb:")


def _draw_link(step: Step, key: str) -> None:
    """Draw the link to the experiment, or a button for a drawing, which is in no address."""
    icon = ":material/play_arrow:"
    if not step.drawing:
        page_link(step.title, step.page, step.parameters, icon=icon)
    elif st.button(step.title, key=f"{key}_load", icon=icon):
        lesson_bar.load(step.drawing)
        settings.redraw()
