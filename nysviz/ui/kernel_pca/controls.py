"""The controls of the page "Kernel PCA" beside those of all pages: rows, view, methods of the curve."""

from __future__ import annotations

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.papers.zhang2008 import table3
from nysviz.text import grouped
from nysviz.ui import computing
from nysviz.ui.sidebar.scene import Scene

VIEWS = {"plane": "two directions", "pairs": "three pairs", "space": "in space"}
FIRST_METHODS = (*table3.COMPARED, "rpcholesky")
# The best rank m is no choice of landmarks, and needs all of the spectrum for each m.
LEFT_OUT = ("svd",)


def choose_rows(scene: Scene) -> Scene:
    """Take a random sample of many rows, or all of them where that is asked for and bearable."""
    part, n = computing.exact_part(scene), grouped(scene.data.n)
    if part is scene:
        return scene
    note = "K is not held then: each of some 40 Lanczos steps evaluates it again."
    if scene.data.n <= computing.READ_ROWS and st.toggle(
        f"All {n} rows", key="kernel_pca_all_rows", bind="query-params", help=note
    ):
        return scene
    st.caption(f"The page shows {part.data.n} random rows of {n}: exact eigenvectors need all of K.")
    return part


def choose_view() -> str:
    """Choose how the embeddings are drawn."""
    chosen = st.segmented_control(
        "Picture",
        tuple(VIEWS),
        default="plane",
        required=True,
        format_func=VIEWS.__getitem__,
        key="kernel_pca_view",
        bind="query-params",
        wrap=True,
        label_visibility="collapsed",
    )
    return chosen or "plane"


def choose_methods(scene: Scene) -> tuple[str, ...]:
    """Choose the methods of the curve."""
    with st.popover("Methods in the curve"):
        chosen = st.multiselect(
            "Methods in the curve",
            [
                name
                for name in (*METHODS, *table3.VARIANTS)
                if name not in LEFT_OUT and METHODS[table3.asked(name)[0]].suits(scene.kernel)
            ],
            default=list(FIRST_METHODS),
            format_func=table3.label_of,
            key="kernel_pca_methods",
            bind="query-params",
            label_visibility="collapsed",
        )
    return tuple(chosen)
