"""Where should a landmark go?"""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import lesson_bar, page, playground
from nysviz.ui.asking import ask
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """The canvas, the same numbers from the core when the hand rests, and what leaves the page."""
    answer, judgement = page.answer_place(), st.empty()
    playground.canvas()
    drawing, browser = playground.sent()
    playground.elsewhere(scene, drawing)
    if not len(drawing.points):
        answer.markdown("There are no points: choose some above the canvas, or spray some with the brush.")
        return
    found = ask(playground.boards, drawing.text, what="Errors of the drawing")
    if found is None:
        return
    if wrong := playground.disagreements(found, browser):
        st.error(f"The browser and the core disagree. {'; '.join(wrong)}.", icon=":material/error:")
    answer.markdown(page.unbroken(playground.answer(found)))
    with judgement:
        lesson_bar.judge(found[0].errors.relative_frobenius, found[0].m)
    page.closing("playground", playground.python(drawing), playground.rows(drawing, found))


page.open_page("Where should a landmark go?")
live(shared_sidebar("This page has its own kernels and bandwidth, beside the canvas."))
