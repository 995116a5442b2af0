"""The page "Spectrum": its controls, and the places of its study."""

from functools import partial

import streamlit as st

from nysviz.studies import landmark_counts, matrices
from nysviz.studies.scene import Scene
from nysviz.studies.spectrum import FIRST_METHODS, Spectrum
from nysviz.ui import page
from nysviz.ui.controls import choose_count
from nysviz.ui.hand import draw_slider, follow, release_bandwidth
from nysviz.ui.inputs import segments, several, stops
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

# λ of the effective dimension: quarters of a decade.
RIDGES = tuple(float(f"{10.0 ** (k / 4):.2g}") for k in range(-32, 1))


def choose_study(scene: Scene) -> Spectrum:
    """Draw the controls of this page, and return what they ask for."""
    # The best rank m has the leading eigenvalues of K itself: nothing to see.
    offered, left_out = ([name for name in names if name != "svd"] for names in matrices.offered(scene))
    # Kernels with other methods have a choice of their own: it may not hold what is not offered.
    key = "spectrum_methods" if "rff" in offered else "spectrum_landmark_methods"
    methods = several("Approximations", offered, key, FIRST_METHODS, max_selections=7)
    if left_out:
        st.caption(landmark_counts.left_out_sentence(left_out))
    m = choose_count(scene.data.n)
    with st.popover("Axis, λ", width="stretch"):
        ranks = segments("Axis of the ranks", ["log", "linear"], "spectrum_ranks")
        label = "λ of the effective dimension d(λ)"
        ridge = stops(label, RIDGES, "spectrum_ridge", 1e-3, "{:.2g}".format)
    return Spectrum(scene=scene, methods=methods, m=m, ridge=ridge, ranks=ranks, theme=page.theme())


@part
def live(scene: Scene) -> None:
    """The spectra first; what takes longer fills in when it is there."""
    answer, left, right = page.places(0.64)
    with left:
        picture, slider = st.container(), st.container()
    with right:
        study = choose_study(scene)
        numbers, notes = st.container(), st.container()
    bandwidths, distances = st.columns([0.5, 0.5], gap="medium")
    # Below all charts, where the progress of frames pushes none of them.
    frames = st.container()
    if not study.has_bandwidth:
        bandwidths.caption("This kernel has no bandwidth to change.")
    charts = {"spectrum": picture, "bandwidths": bandwidths, "distances": distances}
    stops = study.stops
    if stops is None:
        unfold(study, Places(answer, numbers, notes, charts), "spectrum")
        return
    with slider:
        draw_slider("spectrum", stops.slider, partial(release_bandwidth, scene))
    unfold(study, Places(answer, numbers, notes, charts, marks={"spectrum": stops.mark}), "spectrum")
    with frames:
        follow(stops)
