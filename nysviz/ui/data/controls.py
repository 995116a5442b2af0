"""The control of the page "Data", and the buttons that take its suggestion along."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from nysviz.advice.trial import TARGETS
from nysviz.ui.controls import stop_for
from nysviz.ui.data.result import Candidate, Facts

FIRST_TARGET = 0.1


def choose_target() -> float:
    """Draw this page's one control: the error that landmarks shall reach."""
    return float(
        st.select_slider(
            "Part of the trace of K that may be left",
            sorted(TARGETS),
            value=FIRST_TARGET,
            format_func=lambda value: f"{100 * value:g} %",
            key="data_target",
            bind="query-params",
        )
    )


def offer(n: int, facts: Facts, best: Candidate) -> None:
    """Offer to take over the suggested settings, and to go to the pages that use them."""
    m = best.needed.m or 1
    settings: dict[str, object] = {"ratio": stop_for(n, m)[0], "method": "rpcholesky"}
    if best.sigma is not None:
        settings["bandwidth"] = facts.multiple(best.sigma)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        # A link alone does not do: controls that have a value keep it, whatever a link says.
        st.button(
            f"Take these, m = {m}",
            key="data_take",
            icon=":material/check:",
            on_click=st.session_state.update,
            args=(settings,),
        )
        # A page that runs alone has no other page to go to.
        with suppress(StreamlitPageNotFoundError):
            st.page_link("pages/approximate.py", label="Open Approximate", icon=":material/grid_on:")
            st.page_link("pages/recommend.py", label="Which method? Recommend", icon=":material/recommend:")
