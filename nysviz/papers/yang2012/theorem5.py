"""Theorem 5: ‖L_N − L_m‖_HS of uniform samples beside its bound 2 ln(2N³)/m + √(2 ln(2N³)/m)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from nysviz.datasets import load
from nysviz.kernels import Gaussian, default_width
from nysviz.matrix import KernelMatrix
from nysviz.papers.row import Row
from nysviz.papers.yang2012.figure3 import NAMES, SAMPLED_ROWS, sampled
from nysviz.spectrum.operators import distance_bound, operator_distances

EXPERIMENT = "yang-theorem5"
SIZES = (10, 20, 50, 100, 200, 500, 1_000)
DRAWS = 100


def reproduce(names: Sequence[str] = NAMES, repeats: int = DRAWS, seed: int = 0) -> Iterator[Row]:
    """Distances of ``repeats`` uniform samples, without replacement, of 10 to 1 000 points.

    Yields
    ------
    Row
        With the measure ``frobenius`` (the Hilbert–Schmidt norm of L_N − L_m), and once for each m ``bound``.
        N is all rows up to 10 000, else so many random ones: K is read in blocks, never held.
    """
    for name in names or NAMES:
        data = load(name)
        X = sampled(data, seed, SAMPLED_ROWS)
        ms = [m for m in SIZES if m < len(X)]
        started = time.perf_counter()
        matrix = KernelMatrix(X, Gaussian.from_width(default_width(X)))
        found = operator_distances(matrix, ms, repeats, seed)
        seconds = (time.perf_counter() - started) / repeats
        size = len(X), data.d
        for column, m in enumerate(ms):
            for repeat in range(repeats):
                value = float(found[repeat, column])
                yield Row(EXPERIMENT, name, *size, "uniform", m, repeat, "frobenius", value, seconds)
            bound = float(distance_bound(len(X), m))
            yield Row(EXPERIMENT, name, *size, "uniform", m, 0, "bound", bound, float("nan"))


def table(rows: Sequence[Row]) -> str:
    """Largest and mean measured distance beside the bound, a line for each set and m."""
    lines = [
        f"{'data':14s} {'N':>6s} {'m':>5s} {'mean':>9s} {'largest':>9s} {'bound':>9s} {'bound/largest':>14s}"
    ]
    for bound in (row for row in rows if row.measure == "bound"):
        same = (bound.data, bound.m)
        seen = [row.value for row in rows if row.measure == "frobenius" and (row.data, row.m) == same]
        mean, largest = sum(seen) / len(seen), max(seen)
        ratio = f"{bound.value / largest:.3g}" if largest > 0 else "-"
        numbers = f"{mean:9.3g} {largest:9.3g} {bound.value:9.3g} {ratio:>14s}"
        lines.append(f"{bound.data:14s} {bound.n:6d} {bound.m:5d} {numbers}")
    return "\n".join(lines)
