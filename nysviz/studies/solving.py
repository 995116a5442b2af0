"""Common parts of the studies of a system with K: methods at several m, and lines against m."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nysviz.figures.traces import Line
from nysviz.landmarks import METHODS
from nysviz.lazy import lazy_property
from nysviz.nystroem.approximation import checked_count, checked_kernel, checked_method
from nysviz.studies import matrices
from nysviz.studies.scene import Scene
from nysviz.studies.study import Study
from nysviz.sweep import Job
from nysviz.text import grouped

COUNTS = (10, 20, 50, 100, 200, 500)
FIRST_COUNT, FIRST_METHODS = 200, ("uniform", "kmeans", "rpcholesky", "greedy")
MOST_ROWS = 50_000  # of more rows a random sample is measured
EXACT, NONE = "exact", "none"  # the ends, which have no landmarks: K itself, and no preconditioner


def part_of(scene: Scene) -> Scene:
    """Return the scene, or that of random rows of a larger one."""
    return scene if scene.data.n <= MOST_ROWS else matrices.part_of(scene, MOST_ROWS)


def possible_counts(n: int) -> tuple[int, ...]:
    """Return the numbers of landmarks that n rows allow."""
    return tuple(m for m in COUNTS if m <= n) or (n,)


def first_count(n: int) -> int:
    """Return the number of landmarks from which a page or a study starts."""
    return min(FIRST_COUNT, possible_counts(n)[-1])


def checked_choice(
    scene: Scene, methods: Sequence[str], m: int | None, n: int
) -> tuple[tuple[str, ...], int]:
    """Return methods and m of a study's arguments; raise Refusal where they do not fit."""
    for method in methods:
        checked_method(method, {})
        checked_kernel(method, scene.kernel)
    return tuple(methods), first_count(n) if m is None else checked_count(m, n)


def system_jobs(
    key: tuple[Hashable, ...],
    methods: Sequence[str],
    counts: Sequence[int],
    ends: Sequence[str],
    work: Callable[[str, int], tuple[Any, ...]],
) -> list[Job]:
    """Return a job for each method and m, the ends after the first m."""
    first, *later_counts = counts
    runs = [(method, first) for method in methods] + [(end, 0) for end in ends]
    runs += [(method, m) for m in later_counts for method in methods]
    return [
        Job((*key, method, m), (key[0], m == 0), 1.0 + m / 100.0, partial(work, method, m))
        for method, m in runs
    ]


def end_of(records: Sequence[Any], method: str) -> Any:
    """Return the record of an end, None before it exists."""
    return next((record for record in records if record.method == method), None)


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemStudy(Study):
    """A system with K that the landmarks of several methods help to solve, at several m."""

    methods: tuple[str, ...]
    m: int

    @lazy_property
    def part(self) -> Scene:
        """The rows that are measured: all, or a random sample of many."""
        return part_of(self.scene)

    @property
    def is_exact(self) -> bool:
        """Whether K is held."""
        return matrices.is_exact(self.part)

    def counts_of(self, n: int) -> tuple[int, ...]:
        """Return every m for n rows; ``FIRST_COUNT`` comes first, whichever is chosen."""
        return tuple(sorted({*possible_counts(n), self.m}, key=lambda m: (m != FIRST_COUNT, m)))

    @property
    def notes(self) -> Sequence[str]:
        """Say which rows are measured."""
        if (whole := self.scene.data.n) <= MOST_ROWS:
            return []
        return [f"{grouped(MOST_ROWS)} random rows of {grouped(whole)} are shown."]

    def at_count(self, records: Sequence[Any]) -> list[Any]:
        """Return the records of the chosen m."""
        return [record for record in records if record.m == self.m]

    def curves(
        self, records: Sequence[Any], value: Callable[[Any], float], write: Callable[[float], str]
    ) -> list[Line]:
        """Return a line against m for each method that has a record."""
        lines = []
        for method in self.methods:
            of_method = sorted((r for r in records if r.method == method), key=lambda r: r.m)
            if of_method:
                x, y = np.array([(record.m, value(record)) for record in of_method], dtype=float).T
                label = METHODS[method].brief
                hover = [f"{label}, m = {record.m}<br>{write(value(record))}" for record in of_method]
                lines.append(Line(method, label, x, y, y, y, hover))
        return lines
