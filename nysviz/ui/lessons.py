"""The page Lessons: the lessons of the folder, the visitor's own, and the format of a file."""

import re
from typing import Any

import streamlit as st

from nysviz.lessons.reading import MOST_BYTES, Lesson, LessonError, content_of, names, read
from nysviz.text import counted
from nysviz.ui import lesson_bar, page, settings
from nysviz.ui.asking import sentences
from nysviz.ui.glossary import glossary, terms
from nysviz.ui.lesson_bar import OWN
from nysviz.ui.markdown import plain

INTRODUCTION = (
    "Ten to fifteen minutes each. You need to know vectors and matrices, and eigenvalues from lesson 1 "
    "onwards. You need not know kernels: lesson 0 explains them. For a lecture of 45 minutes take 0, 1 "
    "and 3."
)


def _draw_card(lesson: Lesson, content: bytes | None) -> None:
    key = f"lessons_card_{lesson.name}"
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="medium", key=key):
        with st.container(width="stretch", key=f"lessons_text_{lesson.name}"):
            number = re.match("[0-9]+(?=-)", lesson.name)
            title = f"{number[0]}. {lesson.title}" if number else lesson.title
            st.markdown(f"**{plain(title)}** :small[:gray[{counted(len(lesson.steps), 'step')}]]")
            st.caption(lesson_bar.linked(lesson.about))
        with st.container(horizontal=True, width="content", vertical_alignment="center", gap="small"):
            with st.container(key=f"nysviz_go_{lesson.name}", width="content"):
                lesson_bar.link("Start", lesson, 1, "play_arrow")
            if content is not None:
                file = content, f"{lesson.name}.toml", "application/toml"
                note = "The lesson's file: change it in any editor and send it below."
                look: dict[str, Any] = {"type": "tertiary", "icon": ":material/download:", "help": note}
                key = f"lessons_file_{lesson.name}"
                st.download_button("File", *file, key=key, on_click="ignore", **look)


def own_lesson() -> None:
    """Take a lesson's file, check it, and keep it in this session."""
    label = f"TOML, up to {MOST_BYTES // 1000} kB"
    with st.expander("Your own lesson"):
        sent = st.file_uploader(label, type=["toml"], key="lessons_file", max_upload_size=1)
        st.markdown((page.TEXTS / "lessons.md").read_text("utf-8"))
    lesson: Lesson | None = st.session_state.get("lesson_own")
    if sent is not None:
        # Read at each drawing: a lesson is a few kB of text.
        lesson = None
        try:
            lesson = read(sent.getvalue(), OWN, lesson_bar.shown_pages(), lesson_bar.knows)
        except LessonError as error:
            _show_problem(sent.name, str(error))
        st.session_state["lesson_own"] = lesson
    if lesson is not None:
        _draw_card(lesson, None)


def _show_problem(name: str, problem: str) -> None:
    st.error(f"{plain(name)} cannot be shown. {plain(problem)}", icon=":material/error:")


def draw() -> None:
    """Draw the page."""
    with sentences():
        if place := lesson_bar.running():
            if settings.is_first_run():
                lesson_bar.go(*place)
            lesson, step = lesson_bar.find(place[0]), place[1]
            with st.container(horizontal=True, vertical_alignment="center", key="nysviz_go_on"):
                st.markdown(f"You are at step {step} of {len(lesson.steps)} of **{plain(lesson.title)}**.")
                lesson_bar.link("Go on", lesson, step, "play_arrow")
                st.button("Leave it", key="lessons_leave", type="tertiary", on_click=lesson_bar.leave)
    st.markdown(INTRODUCTION)
    with st.container(key="lessons_all"):
        for name in names():
            try:
                if name != OWN:
                    _draw_card(lesson_bar.find(name), content_of(name))
            except LessonError as error:
                _show_problem(f"{name}.toml", str(error))
    own_lesson()
    with st.expander(f"Glossary: {len(terms())} terms"):
        st.markdown(glossary())
