"""What both views of the page "Solve" have: controls, the order of what is measured, and lines against m."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from nysviz.figures.traces import Line
from nysviz.landmarks import METHODS
from nysviz.studies import matrices
from nysviz.studies.scene import Scene
from nysviz.sweep import Job
from nysviz.text import grouped
from nysviz.ui.inputs import several, stops

MS = (10, 20, 50, 100, 200, 500)
FIRST_M, FIRST_METHODS = 200, ["uniform", "kmeans", "rpcholesky", "greedy"]
MOST_ROWS = 50_000  # above so many rows a random sample of them is measured
EXACT, NONE = "exact", "none"  # the ends, which have no landmarks: K itself, and no preconditioner


@dataclass(frozen=True)
class Question:
    """Methods at several m, one of which is shown, and μ / tr K or the variance of the noise."""

    methods: tuple[str, ...]
    m: int
    ms: tuple[int, ...]
    level: float

    def jobs(
        self, key: tuple[Hashable, ...], ends: Sequence[str], work: Callable[[str, int], tuple[Any, ...]]
    ) -> list[Job]:
        """Return a job for each method and m, the ends after the first m."""
        first, *others = self.ms
        runs = [(method, first) for method in self.methods] + [(end, 0) for end in ends]
        runs += [(method, m) for m in others for method in self.methods]
        return [
            Job((*key, self.level, method, m), (key[0], m == 0), 1.0 + m / 100.0, partial(work, method, m))
            for method, m in runs
        ]


def at(records: Sequence[Any], m: int) -> list[Any]:
    """Return the records of the chosen m, and the ends."""
    return [one for one in records if one.m in (m, 0)]


def end_of(records: Sequence[Any], method: str) -> Any:
    """Return the record of an end, None before it is there."""
    return next((one for one in records if one.method == method), None)


def curves(
    question: Question, records: Sequence[Any], value: Callable[[Any], float], write: Callable[[float], str]
) -> list[Line]:
    """Return a line against m for each method that has a record."""
    lines = []
    for method in question.methods:
        found = sorted((one for one in records if one.method == method), key=lambda one: one.m)
        if found:
            x, y = np.array([(one.m, value(one)) for one in found], dtype=float).T
            label = METHODS[method].brief
            hover = [f"{label}, m = {one.m}<br>{write(value(one))}" for one in found]
            lines.append(Line(method, label, x, y, y, y, hover))
    return lines


def part_of(scene: Scene) -> Scene:
    """Return the scene, or random rows of a larger one, which is said."""
    if scene.data.n <= MOST_ROWS:
        return scene
    st.caption(f"The page shows {grouped(MOST_ROWS)} random rows of {grouped(scene.data.n)}.")
    return matrices.part_of(scene, MOST_ROWS)


def choose(
    scene: Scene, n: int, key: str, left_out: tuple[str, ...] = ()
) -> tuple[tuple[str, ...], int, tuple[int, ...]]:
    """Choose methods and m; return them with all m that are measured, the first to be seen before the others.

    Of many rows, methods that read all of K are compared only when asked for.
    """
    offered = [name for name in matrices.offered(scene)[0] if name not in left_out]
    first, key_of_methods = FIRST_METHODS, f"{key}_methods"
    if not matrices.is_exact(scene):
        first, key_of_methods = [name for name in first if not METHODS[name].reads], f"{key}_methods_many"
    methods = several("Methods", offered, key_of_methods, first)
    possible = tuple(m for m in MS if m <= n) or (n,)
    m = stops("Landmarks m", possible, f"{key}_m_{possible[-1]}", min(FIRST_M, possible[-1]))
    return methods, m, tuple(sorted(possible, key=lambda one: (one != FIRST_M, one)))
