"""nysviz: an interactive laboratory for Nyström low-rank approximation of kernel matrices."""

import streamlit as st

from nysviz.ui.page import configure

configure()

PAGES = {
    "": [
        st.Page("pages/home.py", title="Home", icon=":material/home:", default=True),
    ],
    "Explore": [
        st.Page("pages/approximate.py", title="Approximate", icon=":material/grid_on:"),
        st.Page("pages/steps.py", title="Step by step", icon=":material/footprint:"),
        st.Page("pages/spectrum.py", title="Spectrum", icon=":material/stairs:"),
        st.Page("pages/data.py", title="Data", icon=":material/table_chart:"),
        st.Page("pages/recommend.py", title="Recommend", icon=":material/recommend:"),
    ],
    "The papers": [
        st.Page("pages/compare.py", title="Compare", icon=":material/stacked_line_chart:"),
        st.Page("pages/quantization.py", title="Quantization", icon=":material/bubble_chart:"),
        st.Page("pages/lift.py", title="Lift", icon=":material/trending_up:"),
        st.Page("pages/two_balls.py", title="Two balls", icon=":material/join:"),
        st.Page("pages/kernel_pca.py", title="Kernel PCA", icon=":material/scatter_plot:"),
        st.Page("pages/learning.py", title="Learning", icon=":material/school:"),
        st.Page("pages/bounds.py", title="Bounds", icon=":material/verified_user:"),
    ],
    "Evidence": [
        st.Page("pages/claims.py", title="Claims", icon=":material/fact_check:"),
        st.Page("pages/tournament.py", title="Tournament", icon=":material/emoji_events:"),
    ],
    "Learn": [
        st.Page("pages/lessons.py", title="Lessons", icon=":material/menu_book:"),
    ],
}

st.navigation(PAGES, position="top").run()
