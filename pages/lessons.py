"""Guided tours: each a few steps over the pages, in the state that shows what the text says."""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import lessons, page

page.open_page()
st.markdown("Each step of a lesson shows a page with a few sentences and a question.")
lessons.draw()
