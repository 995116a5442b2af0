"""nysviz: an interactive laboratory for Nyström low-rank approximation of kernel matrices."""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import lesson_bar
from nysviz.ui.home import pages
from nysviz.ui.page import configure
from nysviz.ui.turns import turn

configure()
# At the top: the sidebar is for the controls that all pages share.
page = st.navigation(pages(), position="top")
# Nothing is drawn on the way to another step of a lesson, so that it takes no turn.
lesson_bar.arrive()
with turn():
    page.run()
