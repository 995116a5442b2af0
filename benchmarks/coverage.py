"""How often the 95 % interval of ``sampled_errors`` covers the exact error, and how far ``leave_one_out`` is
from it.

``python -m benchmarks.coverage`` takes some twenty minutes and 1 GB, and writes ``benchmarks/coverage.md``.
Sets whose files are not in the data folder are left out. K and the residual are formed once for each data
set, kernel and method; the exact error and the samples of all seeds come from their rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import nysviz as nv
from nysviz.datasets import catalog
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.counts import generator
from nysviz.nystroem.curves import residual_frobenius
from nysviz.nystroem.measures import SAMPLED_ROWS, residual, sampled_errors
from nysviz.nystroem.measures.rows import SAMPLE_STREAM
from nysviz.nystroem.measures.sampled import (
    LEAST_FREEDOM,
    combine_groups,
    inclusion_probabilities,
    pareto_sample,
    pilot_columns,
    ratio_with_spread,
    row_sizes,
)

FILE = Path(__file__).with_suffix(".md")
SETS = (
    *("swiss_roll", "digits", "china_patches"),
    *("elevators", "cal_housing", "delta_ailerons", "cpu", "adult", "mnist", "two_balls"),
)
MOST_ROWS = 4_000
WIDTHS = (0.25, 1.0, 16.0)
METHODS = ("uniform", "kmeans", "rpcholesky", "icd", "rff")
LANDMARKS = 100
SEEDS = 200
# Kernels whose rows differ in length, and rows far out: standardised sets, Student's law, a few rows beside a
# clump. With the linear kernel half as many landmarks as columns, since more leave nothing.
OTHER_SETS = ("elevators", "cal_housing", "cpu", "Student 1.5", "clump and 20 rows", "clump and 100 rows")
OTHER_KERNELS = ("linear", "polynomial 2", "polynomial 3", "Matérn 1/2", "Matérn 3/2")
OTHER_METHODS = ("uniform", "kmeans", "rpcholesky")
LEFT_OUT_SEEDS = 200
LEFT_OUT_SETS = ("swiss_roll", "digits", "elevators", "cal_housing", "cpu")
LEFT_OUT_WIDTHS, LEFT_OUT_ROWS = (1.0, 16.0), 1_000
LEFT_OUT_METHODS = ("uniform", "column_norm", "leverage_approx")
LEFT_OUT_TEXT = f"""## Leave-one-out

`leave_one_out` beside the exact Frobenius error of the same run, {LEFT_OUT_SEEDS} seeds a row, m =
{LANDMARKS}: bias of the root mean square, standard deviation of the ratio, and runs in which the two are
within a factor of 1.2. Its square is unbiased for the squared error with one landmark fewer, so a small
positive bias is expected. It has no interval, and a single run tells little where few rows carry the
residual. With m beyond the numerical rank of K (-100 %) no landmark changes anything when it is left out, and
the estimate is 0.

| data | rows | width | method | bias | standard deviation | within 1.2 |
| --- | ---: | ---: | --- | ---: | ---: | ---: |"""


def other_points(name: str) -> FloatArray:
    """Return the rows of one of the ``OTHER_SETS``."""
    rng = np.random.default_rng(1)
    if name.startswith("Student"):
        return rng.standard_t(1.5, (MOST_ROWS, 5))
    if name.startswith("clump"):
        far = int(name.split()[2])
        clump = 0.3 * rng.standard_normal((MOST_ROWS - far, 4))
        return np.concatenate([clump, 5.0 * rng.standard_normal((far, 4))])
    return nv.load(name).sampled(MOST_ROWS).X


def other_kernel(name: str, X: FloatArray) -> nv.kernels.Kernel:
    """Return one of the ``OTHER_KERNELS``, of the default bandwidth."""
    sigma = float(np.sqrt(nv.default_width(X) / 2.0))
    return {
        "linear": nv.Linear(),
        "polynomial 2": nv.Polynomial(2, 1.0),
        "polynomial 3": nv.Polynomial(3, 1.0),
        "Matérn 1/2": nv.Matern(0.5, sigma),
        "Matérn 3/2": nv.Matern(1.5, sigma),
    }[name]


def sums_of(
    M: FloatArray, of_rows: FloatArray, rows: IntArray, dominates: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of some rows of M over the columns that do not dominate, and over those that do."""
    dominating = M[np.ix_(rows, np.flatnonzero(dominates))].sum(axis=1)
    others = of_rows[rows] - dominating
    if (others < 1e-6 * dominating).any():
        # The difference has lost its digits.
        others = M[np.ix_(rows, np.flatnonzero(~dominates))].sum(axis=1)
    return others, dominating


def spread_of(
    parts: FloatArray, wholes: FloatArray, diagonal: FloatArray, rows: IntArray, probabilities: FloatArray
) -> tuple[float, float, float]:
    """Return the estimate from these rows, half of its interval and its degrees of freedom."""
    of_chance = float(diagonal[probabilities < 1.0].sum())
    return ratio_with_spread(parts, wholes, diagonal[rows], probabilities[rows], of_chance)


def covered(
    X: FloatArray, kernel: nv.kernels.Kernel, K: FloatArray, S: FloatArray, method: str, m: int
) -> dict[str, float]:
    """Coverage of the intervals that are given, how many are not, and half-widths over the error; S = K².

    Of the rows that the package draws, and of as many drawn uniformly.
    """
    a = nv.approximate(X, kernel, method, m, seed=0)
    R, n = residual(K, a.factor), len(K)
    diagonal, residuals = kernel.diag(X), np.abs(kernel.diag(X) - a.diagonal())
    R *= R
    size = float(np.sqrt(R.sum() / S.sum()))
    of_rows = S.sum(axis=1), R.sum(axis=1)
    hits: dict[str, list[bool]] = {"covered": [], "uniform": []}
    widths: dict[str, list[float]] = {"covered": [], "uniform": []}
    for seed in range(SEEDS):
        rng = generator(seed, SAMPLE_STREAM)
        pilot = pilot_columns(diagonal, rng.permutation(n), SAMPLED_ROWS)
        sizes = row_sizes(diagonal, residuals, S[pilot].sum(axis=0), R[pilot].sum(axis=0))
        probabilities, dominates = inclusion_probabilities(sizes, SAMPLED_ROWS)
        rows = pareto_sample(probabilities, SAMPLED_ROWS, rng)
        wholes, parts = (
            combine_groups(*sums_of(M, whole, rows, dominates), dominates[rows])
            for M, whole in zip((S, R), of_rows, strict=True)
        )
        ours = spread_of(parts, wholes, diagonal, rows, probabilities)
        if seed == 0:
            # The rows above are those that the package draws.
            expected = sampled_errors(X, kernel, a, seed=0).relative_frobenius
            np.testing.assert_allclose(np.sqrt(ours[0]), expected, rtol=1e-2, atol=1e-13)
        uniform = np.full(n, SAMPLED_ROWS / n)
        rows = pareto_sample(uniform, SAMPLED_ROWS, rng)
        theirs = spread_of(of_rows[1][rows], of_rows[0][rows], diagonal, rows, uniform)
        for name, (ratio, spread, freedom) in (("covered", ours), ("uniform", theirs)):
            if freedom < LEAST_FREEDOM and name == "covered":
                continue
            low, high = np.sqrt(np.maximum([ratio - spread, ratio + spread], 0.0))
            # What is known to the last digit is covered up to rounding.
            hits[name].append(low <= size * (1.0 + 1e-9) and size * (1.0 - 1e-9) <= high)
            widths[name].append((high - low) / 2.0 / size)
    measured = {name: 100.0 * float(np.mean(hit)) if hit else math.nan for name, hit in hits.items()}
    measured |= {f"{name}_half": 100.0 * float(np.median(width)) for name, width in widths.items() if width}
    return {"error": size, "none": SEEDS - len(hits["covered"]), **measured}


def left_out() -> str:
    """Return the table of leave-one-out estimates over the exact errors of the same runs."""
    lines = [LEFT_OUT_TEXT]
    for name in LEFT_OUT_SETS:
        data = nv.load(name)
        X = data.sampled(LEFT_OUT_ROWS).X if data.n > LEFT_OUT_ROWS else data.X
        for width in LEFT_OUT_WIDTHS:
            kernel = nv.Gaussian.from_width(width * nv.default_width(X))
            K = kernel(X)
            for method in LEFT_OUT_METHODS:
                runs = [nv.approximate(X, kernel, method, LANDMARKS, seed) for seed in range(LEFT_OUT_SEEDS)]
                exact = np.array([residual_frobenius(K, a.factor) for a in runs])
                found = np.array([nv.leave_one_out(a).frobenius for a in runs])
                bias = np.sqrt(np.square(found).mean() / np.square(exact).mean()) - 1.0
                gap = found / exact
                near = 100.0 * float(np.mean((gap >= 1.0 / 1.2) & (gap <= 1.2)))
                lines.append(
                    f"| {name} | {len(X)} | {width:g} | {nv.METHODS[method].label} | {100 * bias:+.1f} % "
                    f"| {100 * gap.std():.1f} % | {near:g} % |"
                )
    return "\n".join(lines) + "\n"


def cells_of(
    name: str, X: FloatArray, kernels: Mapping[str, nv.kernels.Kernel], methods: Sequence[str]
) -> list[dict[str, object]]:
    """Measure every kernel and method on these rows."""
    cells: list[dict[str, object]] = []
    for label, kernel in kernels.items():
        m = X.shape[1] // 2 if isinstance(kernel, nv.Linear) else LANDMARKS
        K = kernel(X)
        S = K * K
        for method in methods:
            measured = covered(X, kernel, K, S, method, m)
            cells.append({"data": name, "n": len(X), "method": method, "kernel": label, **measured})
    print(name, flush=True)
    return cells


def main() -> None:
    """Measure every cell, and write the page."""
    there = {card.name for card in catalog() if card.kind != "file" or card.on_disk}
    gaussian: list[dict[str, object]] = []
    others: list[dict[str, object]] = []
    for name in OTHER_SETS:
        if name in there or " " in name:
            X = other_points(name)
            others += cells_of(name, X, {one: other_kernel(one, X) for one in OTHER_KERNELS}, OTHER_METHODS)
    for name in SETS:
        if name not in there:
            print(f"{name} is not in the data folder")
            continue
        data = nv.load(name)
        X = data.sampled(MOST_ROWS).X if data.n > MOST_ROWS else data.X
        widths = {f"{w:g}": nv.Gaussian.from_width(w * nv.default_width(X)) for w in WIDTHS}
        gaussian += cells_of(name, X, widths, METHODS)
    FILE.write_text(text(pd.DataFrame(gaussian), pd.DataFrame(others)), encoding="utf-8")
    with FILE.open("a", encoding="utf-8") as page:
        page.write("\n" + left_out())


def text(gaussian: pd.DataFrame, others: pd.DataFrame) -> str:
    """Return the page: summaries, and a table for each data set."""
    lines = [
        f"""# Coverage of the 95 % interval for a sampled error

`sampled_errors` with {SAMPLED_ROWS} rows against the exact relative Frobenius error: in how many of {SEEDS}
seeds (%) the interval covers it, of those where it is given, ± the median half-width in % of the error. In
brackets: an interval from rows drawn uniformly. m = {LANDMARKS}, and with the linear kernel half of the
columns. `python -m benchmarks.coverage` writes this file. {SEEDS} seeds determine coverage to ± 3 %.

## Other kernels and rows far out

{summary(others)}"""
    ]
    lines += tables(others, OTHER_KERNELS, "###")
    lines += ["", f"## Gaussian kernel, widths in multiples of the default\n\n{summary(gaussian)}"]
    lines += tables(gaussian, [f"{w:g}" for w in WIDTHS], "###")
    return "\n".join(lines) + "\n"


def summary(cells: pd.DataFrame) -> str:
    """Return coverage, half-widths and missing intervals over all cells."""
    ours, uniform = cells["covered"], cells["uniform"]
    half, uniform_half = cells["covered_half"], cells["uniform_half"]
    return f"""- Cells with a coverage of at least 90 %: {(ours >= 90).sum()} of {len(cells)}, and with rows
  drawn uniformly {(uniform >= 90).sum()}.
- Coverage: smallest {ours.min():.3g} %, mean {ours.mean():.1f} %. Uniformly {uniform.min():g} and
  {uniform.mean():.1f} %.
- Half-width: median {half.median():.2g} % of the error, largest {half.max():.2g} %. Uniformly
  {uniform_half.median():.2g} and {uniform_half.max():.0f} %.
- No interval: {cells["none"].sum()} of {SEEDS * len(cells)} runs, at most {cells["none"].max()} in a cell."""


def tables(cells: pd.DataFrame, kernels: Sequence[str], mark: str) -> list[str]:
    """Return the lines of a table for each data set."""
    lines = []
    for (name, n), of_data in cells.groupby(["data", "n"], sort=False):
        lines += ["", f"{mark} {name}, {n} rows", "", "| | " + " | ".join(kernels) + " |"]
        lines += ["|---" * (len(kernels) + 1) + "|"]
        for method, row in of_data.groupby("method", sort=False):
            entries = (
                f"{c.covered:.3g} ± {c.covered_half:.2g} ({c.uniform:g} ± {c.uniform_half:.2g})"
                for c in row.itertuples()
            )
            lines.append(f"| {nv.METHODS[str(method)].label} | " + " | ".join(entries) + " |")
    return lines


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
