"""The numbers of the page "Two balls" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nysviz.kernels import Gaussian
from nysviz.learning.leading_subspace import LeadingPairs
from nysviz.papers.yang2012 import figure1
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.two_balls.parts import Balls, Comparison, accuracy, cases, reach
from nysviz.ui.work.runs import Run

# What tells the numbers of the table from those of the trials.
HERE, TRIALS = {"picture": "table"}, {"picture": "trials"}


def rows(
    balls: Balls,
    m: int,
    exact: LeadingPairs,
    compared: Sequence[Comparison],
    scores: Mapping[tuple[str, str], float],
    trials: Run | None,
) -> list[dict[str, object]]:
    """Eigenvalues, cosines, reach and accuracy of each row of the table; every trial of the curves."""
    kernel = Gaussian(balls.sigma)
    begin = {"data": balls.data.name, "n": balls.n, "d": balls.data.d, "kernel": repr(kernel)}
    begin |= {"sigma": balls.sigma, "seed": balls.seed, **HERE}
    told = []
    for i, value in enumerate(exact.values, 1):
        line = {**begin, "method": "exact", "rank": i}
        told += measured(line, {"eigenvalue_over_n": float(value) / balls.n})
    low, high = reach(exact)
    told += measured({**begin, "method": "exact"}, {"reach_low": low, "reach_high": high})
    for one in compared:
        line = {**begin, "method": one.method, "scale": one.scale, "m": m}
        score = scores.get((one.method, one.scale))
        told += measured(line, {"reach_low": one.reach[0], "reach_high": one.reach[1], "accuracy": score})
        for i, cosine in enumerate(one.cosines, 1):
            told += measured({**line, "angle": i}, {"cosine": float(cosine)})
    for record in () if trials is None else trials.records():
        told += [
            {**row, **TRIALS, "measure": "accuracy", "value": accuracy(record)}
            for row in of_records([record], balls.data.name)
            if row["measure"] == "test_error"
        ]
    return told


def python(balls: Balls, m: int, scale: str) -> str:
    """Write the script."""
    scales = dict.fromkeys(figure1.METHODS, scale)
    made = f"{balls.n}, redundant={balls.redundant}, seed={balls.seed}, distance={balls.distance!r}"
    return f"""import math
import nysviz as nv
from nysviz.papers.yang2012 import figure1
from nysviz.learning.leading_subspace import principal_cosines
from nysviz.sweep import run_jobs

data = nv.two_balls({made})
sigma, m, seed = {balls.sigma!r}, {m}, {balls.seed}
exact = figure1.exact_pairs(data.X, sigma)
for i, value in enumerate(exact.values, 1):
    print(f"picture=table method=exact rank={{i}} eigenvalue_over_n", value / data.n)

def reach(at, vectors):  # of the first eigenvector
    first = vectors[:, 0] * math.copysign(math.sqrt(data.n), vectors[:, 0].sum())
    print(at, "reach_low", first.min())
    print(at, "reach_high", first.max())

reach("picture=table method=exact", exact.vectors)
problem = figure1.problem_of(data, sigma)
for method, scale in {cases(scale)!r}:
    at = f"picture=table method={{method}} scale={{scale}}"
    pairs = figure1.feature_pairs(data.X, method, m, sigma, seed, scale or "1/σ")
    reach(at, pairs.vectors)
    for i, cosine in enumerate(principal_cosines(exact.vectors, pairs.vectors), 1):
        print(at, f"angle={{i}} cosine", cosine)
    record, = figure1.accuracy_record(problem, method, scale, m, 0, seed)
    print(at, "accuracy", 100.0 - record.values["test_error"])

# The curves: ten trials.
for finished in run_jobs(figure1.accuracy_jobs(problem, {scales!r}, seed=seed)):
    for record in finished.records:
        at = f"picture=trials method={{record.method}} m={{record.m}} repeat={{record.repeat}}"
        print(at, "accuracy", 100.0 - record.values["test_error"])"""
