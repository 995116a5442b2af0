"""How does the algorithm choose?"""

import streamlit as st

from nysviz.ui import page
from nysviz.ui.sidebar.scene import Scene, shared_sidebar
from nysviz.ui.steps import parts, words


@st.fragment
def live(scene: Scene) -> None:
    """Choices, the answer, the player with its charts, and the words."""
    answer = st.empty()
    choice = parts.choose(scene)
    with page.sentences():
        films = parts.films_of(scene, choice)
        answer.markdown(page.unbroken(words.answer(films)))
        parts.draw(scene, choice, films)
        for film in films:
            for note in film.trace.notes:
                st.caption(f"{film.label}: {note}")
        drawn = len(films[0].rows)
        words.close(scene, films, drawn, parts.python_of(scene, choice))


page.open_page("How does the algorithm choose?")
live(shared_sidebar())
