"""Which method for which number of landmarks, or for which budget?"""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.compare import rank, view
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar

RANK = "Relative accuracy at rank d"

page.open_page("Which method for which number of landmarks?")
is_rank = st.session_state.get("compare_what", st.query_params.get("compare_what")) == RANK
scene = shared_sidebar(rank.own_kernel() if is_rank else "")
compared = segments("What is compared", ("Error", RANK), "compare_what", label_visibility="collapsed")
(rank.view if compared == RANK else view.live)(scene)
