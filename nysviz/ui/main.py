"""The app: a visitor's run of it draws the menu, and the page that was chosen there."""

import streamlit as st

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
