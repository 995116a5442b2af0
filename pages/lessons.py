"""Guided tours: each a few steps over the pages, in the state that shows what the text says."""

import streamlit as st

from nysviz.ui import lessons, page

page.open_page("lessons")
st.markdown("Start with the first lesson.")
lessons.draw()
