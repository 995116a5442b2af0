"""The recommended number of landmarks beside the smallest that meets the target in 95 % of fresh runs.

``python -m benchmarks.recommended`` writes ``benchmarks/recommended.md``; it takes about half an hour. Every
number of landmarks on the way to the smallest has ``FRESH`` runs, whose seeds no recommendation has and whose
errors are exact. The smallest is known to 2 %. Data must be on disk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import nysviz as nv
from nysviz.advice.candidates import Budget
from nysviz.advice.question import Question
from nysviz.advice.screening import screen_jobs
from nysviz.advice.verifying import second_stage
from nysviz.blocks import FloatArray
from nysviz.curves import residual_frobenius
from nysviz.kernels import Kernel
from nysviz.measures import frobenius, residual_diagonal

TABLE = Path(__file__).with_suffix(".md")
# So far apart that no two recommendations share a run.
SEEDS = range(0, 5_000, 1_000)
FRESH, MEETING, FIRST_FRESH = 100, 95, 10_000
METHODS = ("kmeans", "uniform")
# Random rows of a set that is larger: all entries of K are needed for an exact Frobenius error.
MOST_ROWS = 6_000


@dataclass(frozen=True)
class Case:
    """A data set with a Gaussian of so many times the default width, and the error that may be left."""

    data: str
    width: float
    norm: str
    target: float


CASES = (
    Case("german", 4.0, "trace", 0.05),
    Case("splice", 16.0, "frobenius", 0.01),
    Case("adult1a", 4.0, "trace", 0.1),
    Case("dna", 16.0, "frobenius", 0.01),
    Case("segment", 1.0, "frobenius", 0.02),
    Case("digits", 4.0, "trace", 0.1),
    Case("breast_cancer", 4.0, "frobenius", 0.02),
    Case("delta_ailerons", 1.0, "frobenius", 0.02),
    Case("cpu", 4.0, "trace", 0.05),
    Case("elevators", 4.0, "trace", 0.05),
    Case("cal_housing", 1.0, "frobenius", 0.02),
    Case("cal_housing", 16.0, "frobenius", 0.005),
)


def recommended(X: FloatArray, kernel: Kernel, case: Case, method: str, seed: int) -> int:
    """Return the landmarks that are recommended for one method."""
    asked = Question(X, kernel, case.target, case.norm, (method,), seed)
    tried = [one for job in screen_jobs(asked) for one in job.work()]
    (found,) = second_stage(asked, Budget(), tried)
    return found.m


def smallest(X: FloatArray, kernel: Kernel, case: Case, method: str, start: int) -> int:
    """Return the smallest m, to 2 %, with which at least 95 of 100 fresh runs meet the target."""
    K = kernel(X) if case.norm == "frobenius" else None
    size = float(kernel.diag(X).sum()) if K is None else frobenius(K)

    def limit(m: int) -> float:
        """Error that 95 of the runs do not exceed, over the target."""
        found = []
        for seed in range(FIRST_FRESH, FIRST_FRESH + FRESH):
            a = nv.approximate(X, kernel, method, m, seed)
            found.append(
                float(residual_diagonal(X, kernel, a).sum())
                if K is None
                else residual_frobenius(K, a.factor, size=size)
            )
        return float(np.sort(found)[MEETING - 1]) / size / case.target

    low, high, m = 0, len(X) // 2, start
    while high - low > max(1, round(0.02 * m)):
        step = limit(m)
        low, high = (low, m) if step <= 1.0 else (m, high)
        # A little beyond what the error suggests, so that the next one is likely to be on the other side.
        step = m * step * (0.98 if step <= 1.0 else 1.02)
        inside = low + 1 <= step <= high - 1
        m = round(step) if inside else max(low + 1, min(high - 1, round(math.sqrt(max(low, 1) * high))))
    return high


def rows(case: Case, method: str) -> str:
    """Return a line of the table."""
    X = nv.load(case.data).X
    X = X[np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]]
    kernel = nv.Gaussian.from_width(case.width * nv.default_width(X))
    found = sorted(recommended(X, kernel, case, method, seed) for seed in SEEDS)
    least = smallest(X, kernel, case, method, found[len(SEEDS) // 2])
    worst = max(found, key=lambda m: abs(math.log(m / least)))
    return (
        f"| {case.data} | {len(X)} | {case.width:g} | {case.norm} | {case.target:g} | {method} | {least} "
        f"| {found[0]} to {found[-1]} | {100 * (worst / least - 1):+.0f} % |"
    )


def main() -> None:
    """Measure and write the table."""
    head = (
        "| data | rows | width | norm | target | method | smallest m | recommended m | worst |",
        "| --- | ---: | ---: | --- | ---: | --- | ---: | ---: | ---: |",
    )
    intro = (
        "# Recommended landmarks\n\nSmallest m with which 95 of 100 fresh runs meet the target, and the m "
        f"recommended with {len(SEEDS)} seeds that share no run; width in multiples of the default width.\n"
    )
    lines = [intro, *head]
    for case in CASES:
        for method in METHODS:
            lines.append(rows(case, method))
            print(lines[-1], flush=True)
            TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
