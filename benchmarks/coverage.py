"""How often the 95 % interval of ``sampled_errors`` covers the exact error, and how far ``leave_one_out`` is
from it, over 200 seeds a cell.

``python -m benchmarks.coverage`` takes some ten minutes and 1 GB, and writes ``benchmarks/coverage.md``. Sets
whose files are not in the data folder are left out. K and the residual are formed once for each data set,
width and method; the exact error and the samples of all seeds come from their rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import nysviz as nv
from nysviz.counts import generator
from nysviz.curves import residual_frobenius
from nysviz.datasets import catalog
from nysviz.measures import SAMPLED_ROWS, residual, sampled_errors
from nysviz.measures.rows import SAMPLE_STREAM
from nysviz.measures.sampled import PILOT_COLUMNS, inclusion_probabilities, pareto_sample, ratio_with_interval

FILE = Path(__file__).with_suffix(".md")
SETS = (
    *("swiss_roll", "digits", "china_patches"),
    *("elevators", "cal_housing", "delta_ailerons", "cpu", "adult", "mnist", "two_balls"),
)
MOST_ROWS = 4_000
WIDTHS = (0.25, 1.0, 4.0, 16.0, 64.0)
METHODS = ("uniform", "kmeans", "leverage_approx", "rpcholesky", "icd", "rff", "orf")
LANDMARKS = 100
SEEDS = 200
LEFT_OUT_SETS = ("swiss_roll", "digits", "elevators", "cal_housing", "cpu")
LEFT_OUT_WIDTHS, LEFT_OUT_ROWS = (1.0, 16.0), 1_000
LEFT_OUT_METHODS = ("uniform", "column_norm", "leverage_approx")
LEFT_OUT_TEXT = f"""## Leave-one-out

`leave_one_out` beside the exact Frobenius error of the same run, {SEEDS} seeds a row, m = {LANDMARKS}: bias
of the root mean square, standard deviation of the ratio, and runs in which the two are within a factor of
1.2. Its square is unbiased for the squared error with one landmark fewer, so a small positive bias is
expected. It has no interval, and a single run tells little where few rows carry the residual. With m beyond
the numerical rank of K (-100 %) no landmark changes anything when it is left out, and the estimate is 0.

| data | rows | width | method | bias | standard deviation | within 1.2 |
| --- | ---: | ---: | --- | ---: | ---: | ---: |"""


def covered(
    X: np.ndarray, kernel: nv.Gaussian, K: np.ndarray, S: np.ndarray, method: str
) -> dict[str, float]:
    """Coverage and median half-width over the error, of these rows and of as many drawn uniformly; S = K²."""
    a = nv.approximate(X, kernel, method, LANDMARKS, seed=0)
    R, n = residual(K, a.factor), len(K)
    diagonal = np.abs(kernel.diag(X) - a.diagonal())
    R *= R
    wholes, parts = S.sum(axis=1), R.sum(axis=1)
    size = float(np.sqrt(parts.sum() / wholes.sum()))
    hits: dict[str, list[bool]] = {"covered": [], "uniform": []}
    widths: dict[str, list[float]] = {"covered": [], "uniform": []}
    for seed in range(SEEDS):
        rng = generator(seed, SAMPLE_STREAM)
        pilot = rng.permutation(n)[:PILOT_COLUMNS]
        columns = S[pilot].sum(axis=0), R[pilot].sum(axis=0)
        probabilities = inclusion_probabilities(np.diag(K), diagonal, *columns, SAMPLED_ROWS)
        for name, of in (("covered", probabilities), ("uniform", np.full(n, SAMPLED_ROWS / n))):
            rows = pareto_sample(of, SAMPLED_ROWS, rng)
            low, high = np.sqrt(ratio_with_interval(parts[rows], wholes[rows], of[rows])[1:])
            hits[name].append(low <= size <= high)
            widths[name].append((high - low) / 2.0 / size)
            if seed == 0 and name == "covered":
                # The rows above are those that the package draws.
                expected = sampled_errors(X, kernel, a, seed=0).interval
                np.testing.assert_allclose((low, high), expected, rtol=1e-2)
    found = {name: 100.0 * float(np.mean(hit)) for name, hit in hits.items()}
    found |= {f"{name}_half": 100.0 * float(np.median(width)) for name, width in widths.items()}
    return {"error": size, **found}


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
                runs = [nv.approximate(X, kernel, method, LANDMARKS, seed) for seed in range(SEEDS)]
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


def main() -> None:
    """Measure every cell, and write the page anew after every data set."""
    there = {card.name for card in catalog() if card.kind != "file" or card.on_disk}
    cells = []
    for name in SETS:
        if name not in there:
            print(f"{name} is not in the data folder")
            continue
        data = nv.load(name)
        X = data.sampled(MOST_ROWS).X if data.n > MOST_ROWS else data.X
        for width in WIDTHS:
            kernel = nv.Gaussian.from_width(width * nv.default_width(X))
            K = kernel(X)
            S = K * K
            for method in METHODS:
                found = covered(X, kernel, K, S, method)
                cells.append({"data": name, "n": len(X), "method": method, "width": width, **found})
        FILE.write_text(text(pd.DataFrame(cells)), encoding="utf-8")
        print(name, flush=True)
    with FILE.open("a", encoding="utf-8") as page:
        page.write("\n" + left_out())


def text(cells: pd.DataFrame) -> str:
    """Return the page: a summary, and a table for each data set."""
    ours, uniform = cells["covered"], cells["uniform"]
    half, uniform_half = cells["covered_half"], cells["uniform_half"]
    page = f"""# Coverage of the 95 % interval for a sampled error

`sampled_errors` with {SAMPLED_ROWS} rows against the exact relative Frobenius error: in how many of {SEEDS}
seeds (%) the interval covers it, ± the median half-width in % of the error. In brackets: the same interval
from rows drawn uniformly. Gaussian kernel, m = {LANDMARKS}, widths in multiples of the default.
`python -m benchmarks.coverage` writes this file.

- Cells with a coverage between 90 and 99 %: {ours.between(90, 99).sum()} of {len(cells)}, and with rows drawn
  uniformly {uniform.between(90, 99).sum()}. {SEEDS} seeds determine coverage to ± 3 %.
- Coverage: smallest {ours.min():g} %, mean {ours.mean():.1f} %, largest {ours.max():g} %. Uniformly
  {uniform.min():g}, {uniform.mean():.1f} and {uniform.max():g} %.
- Half-width: median {half.median():.1f} % of the error, largest {half.max():.1f} %. Uniformly
  {uniform_half.median():.1f} and {uniform_half.max():.0f} %.
"""
    lines = [page.rstrip()]
    for (name, n), of_data in cells.groupby(["data", "n"], sort=False):
        lines += ["", f"## {name}, {n} rows", "", "| | " + " | ".join(f"{w:g}" for w in WIDTHS) + " |"]
        lines += ["|---" * (len(WIDTHS) + 1) + "|"]
        for method, row in of_data.groupby("method", sort=False):
            entries = (
                f"{c.covered:g} ± {c.covered_half:.1f} ({c.uniform:g} ± {c.uniform_half:.1f})"
                for c in row.itertuples()
            )
            lines.append(f"| {nv.METHODS[str(method)].label} | " + " | ".join(entries) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
