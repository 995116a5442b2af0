"""The page "Kernel PCA": its controls, and the places of its study."""

from functools import partial

import streamlit as st

from nysviz.papers.zhang2008 import table3
from nysviz.studies import matrices
from nysviz.studies.kernel_pca import METHODS_OF_CURVE, KernelPCA, offered_methods
from nysviz.studies.scene import Scene
from nysviz.ui import page
from nysviz.ui.controls import choose_method
from nysviz.ui.hand import draw_slider, follow, release_count
from nysviz.ui.inputs import segments, several
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

PAIRS = {"1 and 2": (1, 2), "1 and 3": (1, 3), "2 and 3": (2, 3)}


@part
def live(scene: Scene) -> None:
    """Embeddings first, then numbers; the curve over m and the two forms fill in when they are there."""
    answer, left, right = page.places(0.66)
    with left:
        picture, slider = st.container(), st.container(key="ratio")
    with right:
        controls, options = st.container(), st.container()
        with controls:
            choice = choose_method(matrices.exact_part(scene), options, with_count=False)
            directions = PAIRS[segments("Directions", PAIRS, "kernel_pca_pair")]
        numbers, notes = st.container(), st.container()
    below_left, below_right = st.columns([0.56, 0.44], gap="medium")
    with below_left:
        curve = st.container()
        with st.popover("Methods in the curve"):
            methods = several(
                "Methods in the curve",
                offered_methods(scene.kernel),
                "kernel_pca_methods",
                METHODS_OF_CURVE,
                table3.label_of,
                label_visibility="collapsed",
            )
    # Below all charts, where the progress of frames pushes none of them.
    frames = st.container()
    charts = {"embedding": picture, "forms": below_right, "misalignment": curve}
    study = KernelPCA(scene=scene, choice=choice, directions=directions, methods=methods, theme=page.theme())
    stops = study.stops
    with slider:
        draw_slider("kernel_pca", stops.slider, partial(release_count, study.part.data.n))
    unfold(study, Places(answer, numbers, notes, charts, marks={"embedding": stops.mark}), "kernel_pca")
    with frames:
        follow(stops)
