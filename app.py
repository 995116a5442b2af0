"""nysviz: an interactive laboratory for Nyström low-rank approximation of kernel matrices."""

import streamlit as st

from nysviz.ui.page import configure

configure()

PAGES = {
    "Explore": [
        st.Page("pages/approximate.py", title="Approximate", icon=":material/grid_on:", default=True),
        st.Page("pages/steps.py", title="Step by step", icon=":material/footprint:"),
        st.Page("pages/spectrum.py", title="Spectrum", icon=":material/stairs:"),
        st.Page("pages/data.py", title="Data", icon=":material/table_chart:"),
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
    ],
}

st.navigation(PAGES, position="sidebar").run()
