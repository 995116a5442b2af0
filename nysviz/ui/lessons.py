"""The page Lessons: the lessons at hand, one's own, and how a file looks."""

from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from nysviz.lessons.reading import MOST_BYTES, MOST_STEPS, Lesson, LessonError, content_of, names, read
from nysviz.ui import lesson_bar, page
from nysviz.ui.glossary import glossary, terms
from nysviz.ui.lesson_bar import OWN
from nysviz.ui.markdown import plain

FORMAT = f"""
A lesson is a TOML file: `title`, `about`, and up to {MOST_STEPS} steps. Download one above and change it.

- **A state.** Set a page up as you want it and look at its address: of
  `compare?data=Iris+flowers&compare_norm=trace`, the page is `page = "compare"`, and `data = "Iris flowers"`
  and `compare_norm = "trace"` stand below `[step.parameters]`. What is not named has its default; without
  `data`, the data set at hand stays.
- **Text.** A few sentences in Markdown, with formulas between dollar signs (a backslash is written twice)
  and links to pages: `[the spectrum](spectrum?bandwidth=4)`. HTML, pictures and other links are refused.
- **Hidden controls.** `hidden = ["kernel", "seed"]` takes controls off the page, by the names that they have
  in the address; `hidden = ["sidebar"]` takes the whole sidebar off.
- **A question.** Below `[step.question]` stand `ask`, `why`, and `choices = ["…", "…"]` with `right = 1`, the
  number of the right one, or a number `answer` with its `tolerance`. It is answered at once, and not stored.
- **On the playground.** `drawing = "…"`, which is what stands behind `#d=` in its address, and questions with
  `below = 0.3` and `landmarks = 5`: the relative Frobenius error to reach with at most so many.
- **Sharing.** What you send stays in your session. For everybody: set the variable `NYSVIZ_LESSONS` to a
  folder of such files before the app starts. The address of a step leads others to it.
"""


def resume(name: str, number: int) -> None:
    """Offer to go on with the lesson that runs in this session."""
    lesson = lesson_bar.find(name)
    with st.container(horizontal=True, vertical_alignment="center", key="lessons_resume"):
        st.markdown(f"You are at step {number} of {len(lesson.steps)} of **{plain(lesson.title)}**.")
        st.button("Go on", key="lessons_go_on", type="primary", on_click=lesson_bar.ask, args=(name, number))
        st.button("Leave it", key="lessons_leave", type="tertiary", on_click=lesson_bar.leave)


def _card(lesson: Lesson, content: bytes | None) -> None:
    key = f"lessons_card_{lesson.name}"
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="medium", key=key):
        with st.container(width="stretch", key=f"lessons_text_{lesson.name}"):
            st.markdown(f"**{plain(lesson.title)}** :small[:gray[{len(lesson.steps)} steps]]")
            st.caption(lesson_bar.linked(lesson.about))
        with st.container(horizontal=True, width="content", vertical_alignment="center", gap="small"):
            key, icon, first = f"lessons_start_{lesson.name}", ":material/play_arrow:", (lesson.name, 1)
            st.button("Start", key=key, type="primary", icon=icon, on_click=lesson_bar.ask, args=first)
            if content is not None:
                file = content, f"{lesson.name}.toml", "application/toml"
                note = "The lesson's file: change it in any editor and send it below."
                look: dict[str, Any] = {"type": "tertiary", "icon": ":material/download:", "help": note}
                key = f"lessons_file_{lesson.name}"
                st.download_button("File", *file, key=key, on_click="ignore", **look)


def own_lesson() -> None:
    """Take a lesson's file, check it, and keep it in this session."""
    st.subheader("Your own lesson", anchor=False)
    label = f"A lesson's file, TOML, up to {MOST_BYTES // 1000} kB"
    sent = st.file_uploader(label, type=["toml"], key="lessons_file", max_upload_size=1)
    if sent is not None:
        if st.session_state.get("lesson_file_id") != sent.file_id:
            _take(sent)
        if problem := st.session_state.get("lesson_problem"):
            _problem(sent.name, problem)
    own: Lesson | None = st.session_state.get("lesson_own")
    if own is not None:
        _card(own, None)
    with st.expander("How to write a lesson"):
        st.markdown(FORMAT)


def _take(sent: UploadedFile) -> None:
    """Read a lesson's file, once for all runs of the page that show it."""
    state = st.session_state
    state["lesson_own"] = state["lesson_problem"] = None
    try:
        state["lesson_own"] = read(sent.getvalue(), OWN, lesson_bar.shown_pages(), lesson_bar.knows)
    except LessonError as error:
        state["lesson_problem"] = str(error)
    state["lesson_file_id"] = sent.file_id


def _problem(name: str, problem: str) -> None:
    st.error(f"{plain(name)} cannot be shown. {plain(problem)}", icon=":material/error:")


def draw() -> None:
    """Draw the page."""
    with page.sentences():
        if st.query_params.get("lesson") and (asked := lesson_bar.running()):
            lesson_bar.go(*asked)
    with page.sentences():
        if held := st.session_state.get("lesson"):
            resume(*held)
    with st.container(key="lessons_all"):
        for name in names():
            try:
                if name != OWN:
                    _card(lesson_bar.find(name), content_of(name))
            except LessonError as error:
                _problem(f"{name}.toml", str(error))
    own_lesson()
    st.subheader("Glossary", anchor=False)
    with st.expander(f"The {len(terms())} terms of all pages"):
        st.markdown(glossary())
