"""Where should a landmark go?"""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import lesson_bar, page
from nysviz.ui.asking import ask
from nysviz.ui.playground import component, result, text
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """The canvas, the same numbers from the core when the hand rests, and what leaves the page."""
    answer, judgement = page.answer_place(), st.empty()
    component.canvas()
    drawing, browser = component.sent()
    component.elsewhere(scene, drawing)
    if not len(drawing.points):
        answer.markdown(text.NO_POINTS)
        return
    found = ask(result.boards, drawing.text, what="Errors of the drawing")
    if found is None:
        return
    if wrong := result.disagreements(found, browser):
        st.error(f"The browser and the core disagree. {'; '.join(wrong)}.", icon=":material/error:")
    answer.markdown(page.unbroken(text.answer(found)))
    with judgement:
        lesson_bar.judge(found[0].errors.relative_frobenius, found[0].m)
    page.closing("playground", result.python(drawing), result.rows(drawing, found))


page.open_page("Where should a landmark go?")
live(shared_sidebar(text.OWN_KERNEL))
