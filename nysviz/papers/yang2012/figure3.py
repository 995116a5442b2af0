"""Figure 3: the eigenvalues of kernel matrices over N, and the gap in them.

The paper computes them on 10 000 random rows of each set (all rows of CPU) and does not print the
bandwidth, which was cross-validated. Here the kernel is the Gaussian of the rows' default width, the mean
squared distance to the mean.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from nysviz import memory
from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, default_width
from nysviz.papers.output import aligned
from nysviz.papers.row import Row
from nysviz.spectrum import spectrum
from nysviz.spectrum.gaps import effective_dimension, largest_gaps
from nysviz.spectrum.operators import smallest_sample

# Rows behind a spectrum, as in the paper.
SAMPLED_ROWS = 10_000
# The ridge λ of the effective dimension, in the units of λ_i/N.
RIDGE = 1e-3


def reproduce(name: str, repeats: int, seed: int) -> Iterator[Row]:
    """Yield λ_i/N of the leading 1 000 eigenvalues, the rank i as ``m``, with the seconds of all."""
    data, most = load(name), rows_that_fit()
    for repeat in range(1 if data.n <= most else repeats):
        started = time.perf_counter()
        X = sampled(data, seed + repeat, most)
        kernel = Gaussian.from_width(default_width(X))
        # Given, since the rows are as many as this experiment has found to fit.
        values = spectrum(X, kernel, K=kernel(X)) / len(X)
        seconds = time.perf_counter() - started
        for rank, value in enumerate(values[:1_000], start=1):
            head = ("yang-fig3", name, len(X), data.d, "svd", rank, repeat)
            yield Row(*head, "eigenvalue", float(value), seconds)


def rows_that_fit() -> int:
    """Rows whose kernel matrix can be decomposed in the free memory, at most 10 000, at least 1 000."""
    return max(1_000, min(SAMPLED_ROWS, math.isqrt(memory.most_bytes() // 8)))


def sampled(data: Dataset, seed: int, most: int) -> FloatArray:
    """All rows, or where there are more than ``most``, so many random ones."""
    X: FloatArray = data.X
    return X if data.n <= most else X[np.random.default_rng(seed).permutation(data.n)[:most]]


def table(rows: Sequence[Row]) -> str:
    """Gap, effective dimension and what theorem 1 asks for, a line for each spectrum."""
    lines = []
    for (name, n), part in groupby(rows, key=lambda row: (row.data, row.n)):
        values = np.array([row.value for row in part if row.repeat == 0])
        gap = largest_gaps(values)[0]
        low, high = (f"{end:.3g}" for end in dimension_between(values, n))
        lines.append(
            {
                "data": name,
                "N": str(n),
                "λ₁/N": f"{values[0]:.3g}",
                "gap/N": f"{gap.size:.3g}",
                "r": str(gap.r),
                "d(0.001)": low if low == high else f"{low} - {high}",
                "m of theorem 1": str(smallest_sample(n, gap.size) or "none"),
            }
        )
    note = "Gaussian kernel of the default width; the paper prints curves without numbers, and no bandwidth."
    return f"{aligned(lines)}\n{note}"


def dimension_between(values: FloatArray, n: int) -> tuple[float, float]:
    """Least and largest effective dimension of a spectrum of n eigenvalues of which the leading are known.

    The trace of K/N is 1; what the known ones leave of it stands in those beyond, which are as large as the
    last one known, or all alike.
    """
    known = effective_dimension(values, RIDGE)
    beyond, rest = n - len(values), 1.0 - float(values.sum())
    if not beyond or rest <= 0.0:
        return known, known
    return known + rest / (float(values[-1]) + RIDGE), known + beyond * rest / (rest + beyond * RIDGE)
