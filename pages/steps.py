"""How does the algorithm choose?"""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.landmarks import METHODS
from nysviz.ui import page, steps
from nysviz.ui.asking import ask
from nysviz.ui.sidebar.scene import Scene, shared_sidebar


@st.fragment
def live(scene: Scene) -> None:
    """Controls, the answer, the player with its charts, and the explanation."""
    answer = page.answer_place()
    question = steps.controls(scene)
    traces = []
    for method, options in question.methods:
        what = f"Steps of {METHODS[method].label}"
        one = ask(steps.traced, scene, method, question.steps, question.landmarks, options, what=what)
        if one is None:
            return
        traces.append(one)
    n = len(steps.traced_rows(scene))
    if n < scene.data.n:
        st.caption(f"The steps are those on {n} random rows of {scene.data.n}.")
    answer.markdown(page.unbroken(steps.answer(traces)))
    steps.draw(scene, question, traces)
    for one in traces:
        for note in one.notes:
            st.caption(f"{METHODS[one.method].label}: {note}")
    page.closing(
        "steps",
        steps.python(scene, question.methods, question.steps, question.landmarks),
        steps.rows(scene, traces),
    )


page.open_page("How does the algorithm choose?")
live(shared_sidebar())
