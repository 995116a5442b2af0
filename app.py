"""nysviz: an interactive laboratory for Nyström low-rank approximation of kernel matrices."""

import streamlit as st

from nysviz.ui.page import configure

configure()

PAGES = {
    "Explore": [
        st.Page("pages/approximate.py", title="Approximate", icon=":material/grid_on:", default=True),
    ],
}

st.navigation(PAGES, position="sidebar").run()
