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
from nysviz.datasets import Dataset, catalog, load
from nysviz.kernels import Gaussian, default_width
from nysviz.papers.row import Row
from nysviz.spectrum import spectrum
from nysviz.spectrum.gaps import effective_dimension, largest_gaps
from nysviz.spectrum.operators import smallest_sample
from nysviz.text import grouped

EXPERIMENT = "yang-fig3"
NAMES = ("cpu", "adult")
# Rows behind a spectrum, as in the paper, and eigenvalues reported.
SAMPLED_ROWS = 10_000
RANKS = 1_000
# The ridge λ of the effective dimension, in the units of λ_i/N.
RIDGE = 1e-3
# So few rows are always taken, however little memory is free.
FEWEST_ROWS = 1_000


def reproduce(names: Sequence[str] = NAMES, repeats: int = 1, seed: int = 0) -> Iterator[Row]:
    """Eigenvalues over N of each set, the leading 1 000 of them.

    Parameters
    ----------
    names : sequence of str
        Any dense set of the catalog.
    repeats : int
        Samples of rows; one for a set that fits as a whole.
    seed : int
        Of the first sample; the following numbers are the seeds of the others.

    Yields
    ------
    Row
        With the measure ``eigenvalue``, the rank i as ``m``, λ_i/N as value, the rows behind it, N, as ``n``,
        and the seconds of the whole spectrum.

    Raises
    ------
    ValueError
        For a set that is unknown or absent.
    """
    for name in names or NAMES:
        data = load(name)
        # Asked once a set, since the memory that is free changes meanwhile.
        most = rows_that_fit()
        for repeat in range(1 if data.n <= most else repeats):
            started = time.perf_counter()
            X = sampled(data, seed + repeat, most)
            kernel = Gaussian.from_width(default_width(X))
            # Given, since the rows are as many as this experiment has found to fit.
            values = spectrum(X, kernel, K=kernel(X)) / len(X)
            seconds = time.perf_counter() - started
            for rank, value in enumerate(values[:RANKS], start=1):
                yield Row(
                    EXPERIMENT,
                    name,
                    len(X),
                    data.d,
                    "svd",
                    rank,
                    repeat,
                    "eigenvalue",
                    float(value),
                    seconds,
                )


def rows_that_fit() -> int:
    """Rows whose kernel matrix can be decomposed in the memory that is free, at most 10 000."""
    return max(FEWEST_ROWS, min(SAMPLED_ROWS, math.isqrt(memory.most_bytes() // 8)))


def sampled(data: Dataset, seed: int, most: int) -> FloatArray:
    """All rows, or where there are more than ``most``, so many random ones."""
    if data.n <= most:
        X: FloatArray = data.X
        return X
    rows: FloatArray = data.X[np.random.default_rng(seed).permutation(data.n)[:most]]
    return rows


def table(rows: Sequence[Row]) -> str:
    """Gap, effective dimension and what theorem 1 asks for, a line for each spectrum.

    The effective dimension takes the eigenvalues beyond those reported between their two extremes, spread
    evenly or as large as the last one reported; where the two ends differ in three digits both stand.
    """
    head = ("data", "N", "lambda_1/N", "gap/N", "r", "d(0.001)", "m of theorem 1", "m <= N")
    lines = [head, *(_line(list(part)) for _, part in groupby(rows, key=lambda row: (row.data, row.repeat)))]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    text = [
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    note = "Gaussian kernel of the default width; the paper prints curves without numbers, and no bandwidth."
    return "\n".join([*text, "", note, *_fewer_rows(rows)])


def _fewer_rows(rows: Sequence[Row]) -> list[str]:
    """Name the sets of which the memory allowed fewer rows than the paper took."""
    wanted = {card.name: min(card.n, SAMPLED_ROWS) for card in catalog()}
    found = {row.data: row.n for row in rows}
    return [
        f"{name}: {grouped(n)} random rows in place of {grouped(wanted[name])}, as many as the memory that "
        "was free could hold."
        for name, n in found.items()
        if n < wanted.get(name, 0)
    ]


def _line(rows: list[Row]) -> tuple[str, ...]:
    values, n = np.array([row.value for row in rows]), rows[0].n
    gaps = largest_gaps(values)
    if not gaps:
        return rows[0].data, str(n), f"{values[0]:.3g}", "-", "-", "-", "-", "-"
    gap = gaps[0]
    asked = smallest_sample(n, gap.size)
    return (
        rows[0].data,
        str(n),
        f"{values[0]:.3g}",
        f"{gap.size:.3g}",
        str(gap.r),
        _dimension(values, n),
        "none" if asked is None else str(asked),
        "yes" if asked is not None and asked <= n else "no",
    )


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


def _dimension(values: FloatArray, n: int) -> str:
    low, high = (f"{end:.3g}" for end in dimension_between(values, n))
    return low if low == high else f"{low} - {high}"
