"""What is guaranteed, and how loosely?"""

import streamlit as st

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.asking import sentences
from nysviz.ui.bounds import relative, zhang
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import Scene, shared_sidebar

VIEWS = {
    "Zhang: from the quantization error": zhang,
    "Oglic, Li: against the best rank k": relative,
}


@st.fragment
def live(scene: Scene) -> None:
    """One of the two kinds of guarantees."""
    view = segments("Guarantee", VIEWS, "bounds_view", label_visibility="collapsed")
    with sentences():
        VIEWS[view].show(scene)


page.open_page()
live(shared_sidebar())
