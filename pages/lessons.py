"""Guided tours: each a few steps over the pages, in the state that shows what the text says."""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import lessons, page

page.open_page("Where shall I start?")
st.markdown(
    "Each lesson is a walk over the pages: a few sentences, the page in the state that shows it, and a "
    "question. Move whatever you like in between; one button brings the step back."
)
lessons.draw()
