"""nysviz: an interactive laboratory for Nyström low-rank approximation of kernel matrices."""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui.home import DOORS
from nysviz.ui.page import configure

configure()

pages = {"": [st.Page("pages/home.py", title="Home", icon=":material/home:", default=True)]}
for group, doors in DOORS.items():
    pages[group] = [
        st.Page(f"pages/{door.page}.py", title=door.title, icon=f":material/{door.icon}:") for door in doors
    ]
# At the top: the sidebar is for the controls that all pages share.
st.navigation(pages, position="top").run()
