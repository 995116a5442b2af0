"""Does the classifier or the regression survive?"""

import streamlit as st

from nysviz.ui import page
from nysviz.ui.sidebar.scene import Scene, shared_sidebar

CLASSIFIER = "Classifier (LS-SVM)"
FEATURES = "Nyström against random features"


def features(scene: Scene) -> None:
    """Show linear machines on Nyström and on random Fourier features."""
    # Each view is loaded when it is asked for: the page opens sooner.
    from nysviz.ui.learning import features as learning_features

    learning_features.view(scene)


def classifier(scene: Scene) -> None:
    """Show the LS-SVM, exact and approximate."""
    from nysviz.ui.learning import ls_svm

    ls_svm.view(scene)


VIEWS = {CLASSIFIER: classifier, FEATURES: features}

page.open_page("Does the classifier or the regression survive?")
scene = shared_sidebar()
chosen = st.segmented_control(
    "View",
    list(VIEWS),
    default=CLASSIFIER,
    required=True,
    key="learning_view",
    bind="query-params",
    label_visibility="collapsed",
)
VIEWS[chosen or CLASSIFIER](scene)
