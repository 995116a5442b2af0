"""Which of the papers' claims hold here?"""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.papers.records import Stamp, stamp
from nysviz.ui import claims, page, state
from nysviz.ui.asking import ask


@st.fragment
def table(found: claims.Evidence, files: Stamp) -> None:
    """Counts and filters first, then the claims that are chosen; an opened one can be run again there."""
    counts, filters = st.columns([0.55, 0.45], gap="large")
    with counts:
        st.html(claims.count_table(found.findings))
    with filters:
        chosen = claims.choose(found.findings)
    state.note()
    if not chosen:
        st.info("No claim has this paper and this verdict.", icon=":material/filter_alt:")
        return
    # Links of once files the claim to run again.
    opened = st.query_params.get("claims_open") or st.query_params.get("claims_claim", "")
    names = [claim.id for claim in chosen]
    end = names.index(opened) + 1 if opened in names else len(chosen)
    st.html(claims.claim_table(chosen[:end], found, opened))
    if opened in names:
        with st.container(border=True):
            claims.run_again(chosen[end - 1], found, files)
        if end < len(chosen):
            st.html(claims.claim_table(chosen[end:], found, with_head=False))


page.open_page("Which of the papers' claims hold here?")
files = stamp()
found = ask(claims.judged, files, what="Verdicts from the recorded runs")
if found is not None:
    st.markdown(page.unbroken(claims.answer(found.findings)))
    table(found, files)
    st.subheader("Across the papers", anchor=False)
    st.html(claims.question_table(found))
    rows = claims.rows(found.findings)
    page.closing("claims", claims.PYTHON, rows)
