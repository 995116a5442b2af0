"""Lessons while they run: the step in the address, and the bar at the top of the page that the step shows.

A lesson's name and the number of the step stand in the address, ``lesson=3-greedy&step=2``, so that a step
can be shared. The session keeps them as well, since the menu leads to a page without them.

A lecturer sees how many sessions are at the step. The server's owner sets ``NYSVIZ_LECTURER`` to a word; a
link to any page with ``?lecturer=`` and that word shows the count in that session. Counted are the other
sessions of this process; nothing else is known of them.
"""

import hmac
import html
import os
import threading
from functools import lru_cache
from typing import Any

import streamlit as st

from nysviz.lessons.reading import MOST_LESSONS, SIDEBAR, Lesson, Question, Step, content_of, read
from nysviz.refusal import Refusal
from nysviz.root import ROOT
from nysviz.text import counted
from nysviz.ui import settings, streamlit_private
from nysviz.ui.components import source
from nysviz.ui.doors import QUESTIONS
from nysviz.ui.inputs import page_link
from nysviz.ui.markdown import plain
from nysviz.ui.watching import part

# Name of the lesson that was sent in this session.
OWN = "own"
# Number of drawings that the playground was asked to load, and the last one.
LOADED = "playground_loaded"
PAGES = ROOT / "pages"
# Pages that are no part of a lesson and have no bar.
ASIDE = ("home", "lessons")
# The wrong answers to the question of the step that is shown.
TRIES = "lesson_tries"
# Whether a lesson has closed the sidebar.
SHUT = "lesson_shut_sidebar"
# Interval at which the lecturer's count is written anew.
COUNT_SECONDS = 3.0
_lock = threading.Lock()
steps_by_session: dict[str, tuple[str, int]] = {}  # of each session


def knows(page: str, name: str) -> bool:
    """Whether a page, or the sidebar, can have a control of this name."""
    return settings.is_known(name, page)


def shown_pages() -> list[str]:
    """Return the pages that a step may show."""
    return sorted(file.stem for file in PAGES.glob("*.py") if file.stem not in ASIDE)


def find(name: str) -> Lesson:
    """Return a lesson of a folder, or the one sent in this session; ValueError if it cannot be shown."""
    if name != OWN:
        return checked(content_of(name), name)
    lesson: Lesson | None = st.session_state.get("lesson_own")
    if lesson is None:
        raise Refusal("This lesson was sent in another session; send its file on the page Lessons.")
    return lesson


@lru_cache(MOST_LESSONS)
def checked(content: bytes, name: str) -> Lesson:
    """Read a lesson of a folder once: every run of a page asks for it."""
    return read(content, name, shown_pages(), knows)


def state_of(lesson: Lesson, number: int) -> tuple[str, dict[str, Any]]:
    """Return the page of a step, counted from 1, and its settings."""
    number = min(max(number, 1), len(lesson.steps))
    step = lesson.steps[number - 1]
    state: dict[str, Any] = {**step.parameters, "lesson": lesson.name, "step": str(number)}
    if "data" not in step.parameters:
        # A lesson on the student's own data.
        data = {"data", *settings.knobs()}
        state = {name: value for name, value in settings.parameters().items() if name in data} | state
    return step.page, state


def link(label: str, lesson: Lesson, number: int, icon: str, **more: Any) -> None:
    """Draw a link to a step of a lesson."""
    page_link(label, *state_of(lesson, number), icon=f":material/{icon}:", **more)


def go(name: str, number: int) -> None:
    """Show a step of a lesson."""
    settings.go(*state_of(find(name), number))


def load(drawing: str) -> None:
    """Ask the playground, which keeps its drawing in the browser, to load another one."""
    st.session_state[LOADED] = st.session_state.get(LOADED, (0, ""))[0] + 1, drawing


def step_here() -> Step | None:
    """Return the step of the lesson that runs, on its own page."""
    place = running()
    try:
        step = find(place[0]).steps[place[1] - 1] if place else None
    except (Refusal, IndexError):
        return None
    return step if step is not None and step.page == settings.page() else None


def leave() -> None:
    """End the lesson; the page stays as it is."""
    with _lock:
        steps_by_session.pop(streamlit_private.session_here(), None)
    for name in ("lesson", "step"):
        settings.put(name, "")


def running() -> tuple[str, int] | None:
    """Return the name of the running lesson and the number of its step, None if none runs."""
    name, number = settings.text("lesson"), settings.text("step")
    return (name, int(number) if number.isdecimal() and len(number) < 4 else 1) if name else None


def bar() -> None:
    """Draw the bar of the running lesson at the top of the page; nothing if none runs."""
    page, place, is_lecturer = settings.page(), running(), _is_lecturer()
    is_linked = page == "home" and settings.is_first_run()
    if place is None and st.session_state.pop(SHUT, False):
        st.set_page_config(initial_sidebar_state="auto")
    if place is None or (page in ASIDE and not is_linked):
        return
    name, number = place
    try:
        lesson = find(name)
        if is_linked:
            # An address that names a lesson and no page.
            go(name, number)
    except Refusal as problem:
        way_on = linked("[Open Lessons](lessons).")
        st.warning(f"{plain(str(problem))} {way_on}", icon=":material/menu_book:")
        leave()
        return
    number = min(max(number, 1), len(lesson.steps))
    settings.put("step", str(number))
    if not is_lecturer:
        with _lock:
            steps_by_session[streamlit_private.session_here()] = name, number
            for session in [
                session for session in steps_by_session if not streamlit_private.is_here(session)
            ]:
                del steps_by_session[session]
    step = lesson.steps[number - 1]
    is_here = page == step.page
    # The lesson takes the sidebar's place beside the picture; a button opens it again.
    st.set_page_config(initial_sidebar_state="collapsed")
    st.session_state[SHUT] = True
    if is_here and settings.is_arrival() and step.drawing:
        load(step.drawing)
    if is_here and (style := hiding_style(step)):
        st.html(style)
    _draw_bar(lesson, number, step, is_here, is_lecturer)


def _draw_bar(lesson: Lesson, number: int, step: Step, is_here: bool, is_lecturer: bool) -> None:
    count, name = len(lesson.steps), lesson.name
    marks = "".join(f'<i class="{"done" if k <= number else ""}"></i>' for k in range(1, count + 1))
    head = (
        f'<p class="nysviz-lesson"><small>Lesson · step {number} of {count}</small>'
        '<span class="nysviz-marks" role="progressbar" aria-label="Steps of the lesson" aria-valuemin="0" '
        f'aria-valuenow="{number}" aria-valuemax="{count}">{marks}</span><b>{html.escape(step.title)}</b></p>'
    )
    with st.container(key="lesson_bar", gap="xsmall"):
        # Its right end is left to Streamlit's own menu and mark of a running page.
        with st.container(key="lesson_head", horizontal=True, gap="small", vertical_alignment="center"):
            st.html(head)
            _draw_buttons(lesson, number, is_here)
        st.markdown(linked(step.text))
        if step.think is not None:
            label = f"**Think:** {step.think.ask}"
            st.expander(label, key=f"lesson_think_{name}_{number}").markdown(step.think.answer)
        if step.question is not None:
            _ask(step.question, f"lesson_answer_{name}_{number}")
        if is_lecturer:
            _draw_count(name, number)


def _is_lecturer() -> bool:
    """Whether this session came by the owner's link, whose word is removed from the address."""
    sent_word, word = st.query_params.get("lecturer", ""), os.environ.get("NYSVIZ_LECTURER", "")
    if sent_word:
        st.session_state["lecturer"] = bool(word) and hmac.compare_digest(sent_word.encode(), word.encode())
        # An address is projected and passed on.
        del st.query_params["lecturer"]
    return bool(st.session_state.get("lecturer"))


@st.fragment(run_every=COUNT_SECONDS)
def _draw_count(lesson: str, step: int) -> None:
    """Write how many sessions are at the step, every ``COUNT_SECONDS``."""
    with _lock:
        places = [place for session, place in steps_by_session.items() if streamlit_private.is_here(session)]
    lesson_count = sum(name == lesson for name, _ in places)
    st.caption(f"{places.count((lesson, step))} of {lesson_count} in this lesson are at this step.")


@part
def _ask(question: Question, key: str) -> None:
    """Ask and judge at once: the first wrong answer gets a hint, the second one the solution."""
    st.markdown(f"**{question.ask}**")
    answer: float | None = None
    look: dict[str, Any] = {"key": key, "label_visibility": "collapsed"}
    if question.choices:
        numbered = dict(enumerate(question.choices, start=1))
        answer = st.radio(question.ask, numbered, None, format_func=numbered.__getitem__, **look)
    elif not question.landmarks:
        answer = st.number_input(question.ask, value=None, step=None, format="%g", width=240, **look)
    elif question.hint:
        # The error is judged below the plane, while the hand moves.
        st.expander("A hint", key=key).markdown(question.hint)
    if answer is None:
        st.session_state[TRIES] = ()
    elif question.is_right(answer):
        st.success(f"Right. {question.why}", icon=":material/check:")
    else:
        # The step is drawn again for other reasons too: an answer counts once.
        tries = st.session_state[TRIES] = tuple(dict.fromkeys((*st.session_state.get(TRIES, ()), answer)))
        if len(tries) < 2:
            st.info(f"Not yet. {question.hint or 'Try once more.'}", icon=":material/lightbulb:")
        else:
            st.info(f"No: {question.solution}. {question.why}", icon=":material/lightbulb:")


def judge(error: float, m: int) -> None:
    """Say whether the playground's drawing reaches the error that the step asks for."""
    step = step_here()
    if step is None or step.question is None or not step.question.landmarks:
        return
    if step.question.is_reached(error, m):
        st.success(f"Reached. {step.question.why}", icon=":material/check:")
    else:
        goal = f"below {step.question.answer:g} with at most {step.question.landmarks}"
        st.info(
            f"Not yet: error {error:.3f} with {counted(m, 'landmark')}. Goal: {goal}.",
            icon=":material/touch_app:",
        )


def _draw_buttons(lesson: Lesson, number: int, is_here: bool) -> None:
    """Draw the links back, on or to the end, and to the step's settings again, and the way out."""
    with st.container(key="nysviz_go_steps", horizontal=True, gap="small", width="content"):
        if number > 1:
            link("Back", lesson, number - 1, "arrow_back")
        if number < len(lesson.steps):
            link("Next", lesson, number + 1, "arrow_forward")
        else:
            page_link("End", "lessons", {"lesson": "", "step": ""}, icon=":material/check:")
    note: dict[str, Any] = {"help": "Back to this step's settings."}
    if is_here:
        # A drawing on the playground is no setting: its link would lead nowhere new.
        more: dict[str, Any] = {"type": "tertiary", "icon": ":material/replay:", **note}
        state = state_of(lesson, number)
        st.button("This step again", key="lesson_again", on_click=settings.take, args=state, **more)
    else:
        link("To this step's page", lesson, number, "replay", **note)
    look: dict[str, Any] = {"type": "tertiary", "icon": ":material/close:", "help": "Leave the lesson."}
    st.button("Leave the lesson", key="lesson_leave", on_click=leave, **look)


def hiding_style(step: Step) -> str:
    """Return the style that hides the step's controls; a name of letters and digits can close no tag."""
    controls = [f".st-key-{name}" for name in step.hidden if name != SIDEBAR]
    # A label or options that a page draws beside a control go with it, and so does the gap around them.
    around = [f":has(> {control}_{part})" for control in controls for part in ("label", "options")]
    style = f"{', '.join(controls + around)} {{display: none;}}" if controls else ""
    style += source("no_sidebar.css") if SIDEBAR in step.hidden else ""
    return f"<style>{style}</style>" if style else ""


def linked(text: str) -> str:
    """Turn links to pages into addresses; that of the first page is the folder itself."""
    for page in QUESTIONS:
        path = settings.path_of(page) or "./"
        text = text.replace(f"]({page})", f"]({path})").replace(f"]({page}?", f"]({path}?")
    return text
