"""What the page "Two balls" computes, its numbers as tidy records, and the script that prints them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nysviz.blocks import FloatArray
from nysviz.kernels import Gaussian
from nysviz.learning.feature_comparison import FREQUENCY_SCALES
from nysviz.learning.leading_subspace import SURPLUS, LeadingPairs, principal_cosines
from nysviz.papers.yang2012 import figure1
from nysviz.sweep import Record
from nysviz.ui.asking import shared
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.running import running
from nysviz.ui.two_balls.controls import Balls
from nysviz.ui.work.runs import Run

NYSTROEM = "uniform"
LABELS = {"rff": "RFF", "orf": "ORF", "uniform": "Nyström, uniform", "kmeans": "Nyström, k-means"}
# Passes over K that the search for its eigenpairs takes, mostly, and blocks of columns that it holds beside
# those of the passes.
PASSES, BESIDE = 4, 3


@dataclass(frozen=True)
class Comparison:
    """How an approximation's two leading eigenvectors compare with those of K."""

    method: str
    scale: str
    pairs: LeadingPairs
    cosines: FloatArray

    @property
    def case(self) -> tuple[str, str]:
        """Method and frequency scale; landmarks have no scale."""
        return self.method, self.scale

    @property
    def smallest(self) -> float:
        """Cosine of the larger of the two angles; 0 where there is no second eigenvector."""
        return float(self.cosines[-1]) if len(self.cosines) == figure1.LEADING else 0.0


def cases(scale: str) -> list[tuple[str, str]]:
    """Methods with their frequency scales that the table compares."""
    return [("uniform", ""), ("kmeans", ""), *(("rff", each) for each in FREQUENCY_SCALES), ("orf", scale)]


def _exact_bytes(balls: Balls) -> float:
    columns = (PASSES + BESIDE) * (figure1.EIGENVALUES + SURPLUS) + 2 * balls.data.d
    return 8.0 * balls.data.n * columns


@shared(holds=_exact_bytes)
def exact(balls: Balls) -> LeadingPairs:
    """Leading eigenpairs of K, which is never held."""
    return figure1.exact_pairs(balls.data.X, balls.sigma)


def _features_bytes(balls: Balls, m: int, scale: str) -> float:
    # Features of all rows, of Fourier frequencies two for each, and what they are made from.
    return 8.0 * balls.data.n * (3 * m + balls.data.d)


@shared(holds=_features_bytes)
def comparisons(balls: Balls, m: int, scale: str) -> tuple[Comparison, ...]:
    """Compare the leading subspaces of K and of approximations from m landmarks or frequencies."""
    vectors, found = exact(balls).vectors, []
    for method, each in cases(scale):
        pairs = figure1.feature_pairs(balls.data.X, method, m, balls.sigma, balls.seed, each or "1/σ")
        found.append(Comparison(method, each, pairs, principal_cosines(vectors, pairs.vectors)))
    return tuple(found)


@shared()
def first_accuracy(balls: Balls, method: str, m: int, scale: str) -> float:
    """Test accuracy (%) in the first trial: one split, one draw."""
    problem = figure1.problem_of(balls.data, balls.sigma)
    return accuracy(figure1.accuracy_record(problem, method, scale, m, 0, balls.seed)[0])


@shared()
def accuracies(balls: Balls, m: int, scale: str) -> dict[tuple[str, str], float]:
    """Test accuracies (%) of all methods of the table in the first trial."""
    return {(method, each): first_accuracy(balls, method, m, each) for method, each in cases(scale)}


def trials(balls: Balls, scale: str) -> Run:
    """Return the run of all methods at every m, trial by trial."""
    problem, scales = figure1.problem_of(balls.data, balls.sigma), dict.fromkeys(figure1.METHODS, scale)
    return running(
        ("two balls accuracy", *balls.content, scale, figure1.TRIALS),
        lambda: figure1.accuracy_jobs(problem, scales, figure1.MS, figure1.TRIALS, balls.seed),
        rows=balls.data.n,
    )


def accuracy(record: Record) -> float:
    """Test accuracy in per cent."""
    return 100.0 - record.values["test_error"]


def reach(found: LeadingPairs) -> tuple[float, float]:
    """Smallest and largest entry of the first eigenvector, times √n; 1 and 1 where all entries are alike."""
    if not found.vectors.size:
        return 0.0, 0.0
    first = found.vectors[:, 0] * math.copysign(math.sqrt(len(found.vectors)), found.vectors[:, 0].sum())
    return float(first.min()), float(first.max())


def rows(
    balls: Balls,
    m: int,
    found: Sequence[Comparison],
    scores: Mapping[tuple[str, str], float],
    run: Run,
) -> list[dict[str, object]]:
    """Eigenvalues, cosines, reach and accuracy of each row of the table; every trial of the curves."""
    data = balls.data
    begin = {"data": data.name, "n": data.n, "d": data.d, "kernel": repr(Gaussian(balls.sigma))}
    begin |= {"sigma": balls.sigma, "seed": balls.seed, "picture": "table"}
    written = []
    for i, value in enumerate(exact(balls).values, 1):
        values = {"eigenvalue_over_n": float(value) / data.n}
        written += measured({**begin, "method": "exact", "rank": i}, values)
    low, high = reach(exact(balls))
    written += measured({**begin, "method": "exact"}, {"reach_low": low, "reach_high": high})
    for one in found:
        line = {**begin, "method": one.method, "scale": one.scale, "m": m}
        low, high = reach(one.pairs)
        values = {"reach_low": low, "reach_high": high, "accuracy": scores[one.case]}
        written += measured(line, values)
        for i, cosine in enumerate(one.cosines, 1):
            written += measured({**line, "angle": i}, {"cosine": float(cosine)})
    for record in run.records():
        (row, *_) = of_records([record], data.name, picture="trials")
        written.append({**row, "measure": "accuracy", "value": accuracy(record)})
    return written


def python(balls: Balls, m: int, scale: str) -> str:
    """Write the script."""
    scales = dict.fromkeys(figure1.METHODS, scale)
    made = f"{balls.data.n}, redundant={balls.redundant}, seed={balls.seed}, distance={balls.distance!r}"
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
