"""Which of the papers' claims hold here?"""

import streamlit as st

from nysviz.ui import page, state
from nysviz.ui.claims import across, parts, words
from nysviz.ui.claims import rows as claims_rows


@st.fragment
def table(found: parts.Evidence) -> None:
    """Counts and filters first, then the claims that are chosen."""
    counts, filters = st.columns([0.55, 0.45], gap="large")
    with counts:
        st.html(words.count_table(found.findings))
    with filters:
        claims = parts.choose(found.findings)
    state.note()
    if claims:
        opened = st.query_params.get("claims_open", "")
        st.html(words.claim_table(claims, found.findings, found.origins, opened))
    else:
        st.info("No claim has this paper and this verdict.", icon=":material/filter_alt:")


@st.fragment
def again(found: parts.Evidence) -> None:
    """One claim's experiment, live."""
    parts.run_again(found)


def whole(found: parts.Evidence) -> None:
    """The page once the claims are judged."""
    st.markdown(page.unbroken(words.answer(found.findings)))
    st.caption("Open a claim to see what was tested, on which data, with which numbers.")
    table(found)
    st.subheader("Across the papers, claimed by none", anchor=False)
    st.html(across.question_table(found.answers, found.origins))
    again(found)
    rows = claims_rows.rows(found.findings)
    page.closing(words.seen(found.findings), words.MATHS, claims_rows.PYTHON, words.SOURCE, rows)


page.open_page("Which of the papers' claims hold here?")
with page.sentences():
    judged = parts.evidence_later()
    if page.ready(judged, page.ANSWER_SECONDS):
        whole(judged.result())
    else:
        page.wait_for(judged, "Judging the claims by the recorded runs", parts.JUDGING_SECONDS)
