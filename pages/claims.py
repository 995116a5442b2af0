"""Which of the papers' claims hold?"""

import streamlit as st

from nysviz.papers.records import stamp
from nysviz.ui import claims, page
from nysviz.ui.asking import ask

page.open_page()
files = stamp()
if found := ask(claims.judged, files, what="Verdicts from the recorded runs"):
    st.markdown(page.unbroken(claims.answer(found.outcomes)))
    claims.live(found, files)
    st.subheader("Across the papers", anchor=False)
    st.html(claims.question_table(found))
    page.closing("claims", claims.PYTHON, claims.rows(found.outcomes))
