"""nysviz: an interactive laboratory for Nyström low-rank approximation of kernel matrices."""

import streamlit as st

from nysviz.ui import server

app = st.App(
    server.SCRIPT,
    middleware=server.middleware(),
    lifespan=server.lifespan,
    on_script_error=server.show_error,
)
