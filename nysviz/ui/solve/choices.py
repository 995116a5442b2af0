"""The controls that both views of the page "Solve" have, and how many landmarks they measure."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from nysviz.landmarks import METHODS
from nysviz.text import grouped
from nysviz.ui import computing
from nysviz.ui.inputs import several, stops
from nysviz.ui.sidebar.scene import Scene

MS = (10, 20, 50, 100, 200, 500)
FIRST_M, FIRST_METHODS = 200, ("uniform", "kmeans", "rpcholesky", "greedy")
# Above so many rows a random sample of them is measured.
MOST_ROWS = 50_000


def part_of(scene: Scene) -> Scene:
    """Return the scene, or random rows of a larger one, which is said."""
    if scene.data.n <= MOST_ROWS:
        return scene
    st.caption(f"The page shows {grouped(MOST_ROWS)} random rows of {grouped(scene.data.n)}.")
    return replace(scene, data=scene.data.sampled(MOST_ROWS), whole=scene.data)


def choose_methods(scene: Scene, key: str, left_out: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Choose the methods that are compared; of many rows those that read all of K only when asked for."""
    offered = [name for name in computing.offered(scene)[0] if name not in left_out]
    if computing.is_exact(scene):
        return several("Methods", offered, key, FIRST_METHODS)
    quick = [name for name in FIRST_METHODS if not METHODS[name].reads]
    return several("Methods", offered, f"{key}_many", quick)


def choose_m(n: int, key: str) -> tuple[int, tuple[int, ...]]:
    """Choose m; return it with all that are measured, the first to be seen before the others."""
    possible = tuple(m for m in MS if m <= n) or (n,)
    m = stops("Landmarks m", possible, f"{key}_{possible[-1]}", min(FIRST_M, possible[-1]))
    return m, tuple(sorted(possible, key=lambda one: (one != FIRST_M, one)))
