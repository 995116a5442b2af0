"""The page "Approximate": its controls, and the places of its study."""

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.studies.approximate import Approximate
from nysviz.studies.matrices import ORDERS
from nysviz.studies.scene import Scene
from nysviz.ui import page
from nysviz.ui.controls import choose_axes, choose_method, linked_number
from nysviz.ui.inputs import box
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part


@part
def live(scene: Scene) -> None:
    """Map first, then pictures and numbers; what needs an eigen-decomposition fills in when it is there."""
    answer, left, right = page.places(0.66)
    with right:
        controls, numbers, notes = st.container(), st.empty(), st.container()
        options, axes_place = st.columns(2, gap="small")
        with controls:
            choice = choose_method(scene, options)
        with axes_place, st.popover("Axes, order", width="stretch"):
            axes = choose_axes(scene)
            offered = [by for by in ORDERS if by != "label" or scene.data.task == "classification"]
            order = box("Order of the rows", offered, "order", names=ORDERS)
    *pictures, curve = st.columns([0.19, 0.19, 0.19, 0.43], gap="small")
    names = ("picture_K", "picture_approximation", "picture_residual")
    charts = {
        "map": left,
        **dict(zip(names, pictures, strict=True)),
        "spectrum": curve,
        "strip": st.container(),
    }
    study = Approximate(
        scene=scene,
        choice=choice,
        axes=axes,
        order=order,
        # The browser writes where the strip is into the link.
        strip_m=linked_number("approximate_strip"),
        theme=page.theme(),
    )
    text = "approximate" if METHODS[choice.method].data_dependent else "approximate_random_features"
    unfold(study, Places(answer, numbers, notes, charts), text)
