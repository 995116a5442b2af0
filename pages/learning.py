"""Does the classifier or the regression survive?"""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.sidebar.scene import shared_sidebar

VIEWS = ("Classifier (LS-SVM)", "Nyström against random features")

page.open_page("Does the classifier or the regression survive?")
scene = shared_sidebar()
chosen = st.segmented_control(
    "View",
    VIEWS,
    default=VIEWS[0],
    required=True,
    key="learning_view",
    bind="query-params",
    label_visibility="collapsed",
)
# A view is loaded when it is asked for: the page opens sooner.
if chosen == VIEWS[1]:
    from nysviz.ui.learning import features

    features.view(scene)
else:
    from nysviz.ui.learning import ls_svm

    ls_svm.view(scene)
