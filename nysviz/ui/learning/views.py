"""The views of the page "Learning", of which those are offered that the data allow."""

import streamlit as st

from nysviz.studies.scene import Scene
from nysviz.ui.controls import why_not_learned
from nysviz.ui.inputs import segments
from nysviz.ui.learning import features, ls_svm
from nysviz.ui.sidebar.scene import keep_choices

# Each with why the data do not allow it.
CLASSIFIER, FEATURES = "Classifier (LS-SVM)", "Random features"
VIEWS = {CLASSIFIER: (ls_svm.view, ls_svm.why_not), FEATURES: (features.view, why_not_learned)}


def show(scene: Scene) -> None:
    """Draw the chosen view; one sentence where the data allow none."""
    refusals = {name: why_not(scene.data) for name, (_, why_not) in VIEWS.items()}
    offered = [name for name, refusal in refusals.items() if not refusal]
    if not offered:
        st.info(refusals[FEATURES], icon=":material/info:")
        return
    if len(offered) == len(VIEWS):
        view = segments("View", VIEWS, "learning_view", label_visibility="collapsed")
    else:
        keep_choices(["learning_view"])
        (view,) = offered
        st.caption(" ".join(f"{name} is not shown. {text}" for name, text in refusals.items() if text))
    VIEWS[view][0](scene)
