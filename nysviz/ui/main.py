"""The app: a visitor's run of it draws the menu, and the page that was chosen there."""

import streamlit as st

from nysviz.ui import settings, watching
from nysviz.ui.home import pages
from nysviz.ui.page import configure
from nysviz.ui.turns import turn

configure()
# At the top: the sidebar is for the controls that all pages share.
page = st.navigation(pages(), position="top")
with turn(), watching.whole_page():
    page.run()
    settings.write()
