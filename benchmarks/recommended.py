"""How many fresh runs meet the target with the number of landmarks that is recommended.

``python -m benchmarks.recommended`` writes ``benchmarks/recommended.md``; it takes about a quarter of an
hour. Each recommendation has ``FRESH`` runs, whose seeds no recommendation has and whose errors are exact.
Data must be on disk.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import nysviz as nv
from nysviz.advice.candidates import Budget
from nysviz.advice.request import AdviceRequest
from nysviz.advice.screening import screen_jobs
from nysviz.advice.verifying import second_stage
from nysviz.kernels import Kernel
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.curves import residual_frobenius
from nysviz.nystroem.measures import frobenius, residual_diagonal

TABLE = Path(__file__).with_suffix(".md")
# So far apart that no two recommendations share a run.
SEEDS = range(0, 4_000, 1_000)
FRESH, FIRST_FRESH = 100, 10_000
# Random rows of a set that is larger: all entries of K are needed for an exact Frobenius error.
MOST_ROWS = 4_000


@dataclass(frozen=True)
class Case:
    """A data set, its Gaussian's width in multiples of the default, and the error that may be left."""

    data: str
    width: float
    norm: str
    target: float
    method: str


CASES = (
    Case("german", 4.0, "trace", 0.05, "uniform"),
    Case("german", 4.0, "trace", 0.05, "kmeans"),
    Case("splice", 16.0, "frobenius", 0.01, "uniform"),
    Case("segment", 1.0, "frobenius", 0.02, "kmeans"),
    Case("digits", 4.0, "trace", 0.1, "rpcholesky"),
    Case("breast_cancer", 4.0, "frobenius", 0.02, "uniform"),
    Case("cpu", 4.0, "trace", 0.05, "kmeanspp"),
    Case("elevators", 4.0, "trace", 0.05, "uniform"),
    Case("swiss_roll", 1.0, "trace", 0.1, "uniform"),
    Case("adult", 4.0, "trace", 0.3, "uniform"),
)


def recommended(X: FloatArray, kernel: Kernel, case: Case, seed: int) -> int:
    """Return the landmarks that are recommended for the method."""
    asked = AdviceRequest(X, kernel, case.target, case.norm, (case.method,), seed)
    tried = [one for job in screen_jobs(asked) for one in job.work()]
    (verified,) = second_stage(asked, Budget(), tried)
    return verified.m


def share(X: FloatArray, kernel: Kernel, case: Case, m: int, K: FloatArray | None) -> float:
    """Return how many of 100 fresh runs meet the target, in %; K is given for the Frobenius norm."""
    size = float(kernel.diag(X).sum()) if K is None else frobenius(K)
    meeting = 0
    for seed in range(FIRST_FRESH, FIRST_FRESH + FRESH):
        a = nv.approximate(X, kernel, case.method, m, seed)
        rest = float(residual_diagonal(X, kernel, a).sum())
        if K is not None:
            rest = residual_frobenius(K, a.factor, size=size)
        meeting += rest <= case.target * size
    return 100.0 * meeting / FRESH


def measured(case: Case) -> tuple[str, list[float]]:
    """Return a line of the table, and the shares of all recommendations."""
    X = nv.load(case.data).X
    X = X[np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]]
    kernel = nv.Gaussian.from_width(case.width * nv.default_width(X))
    counts = [recommended(X, kernel, case, seed) for seed in SEEDS]
    K = kernel(X) if case.norm == "frobenius" else None
    of_count = {m: share(X, kernel, case, m, K) for m in sorted(set(counts))}
    shares = [of_count[m] for m in counts]
    of_seeds = ", ".join(map(str, counts)), ", ".join(f"{one:g}" for one in shares)
    line = (
        f"| {case.data} | {len(X)} | {case.width:g} | {case.norm} | {case.target:g} | {case.method} "
        f"| {' | '.join(of_seeds)} | {np.mean(shares):.1f} |"
    )
    return line, shares


def main() -> None:
    """Measure and write the table."""
    head = (
        "| data | rows | width | norm | target | method | recommended m | meet the target, % | mean |",
        "| --- | ---: | ---: | --- | ---: | --- | --- | --- | ---: |",
    )
    lines, all_shares = [], []
    for case in CASES:
        line, shares = measured(case)
        lines.append(line)
        all_shares.append(shares)
        print(line, flush=True)
        means = np.mean(all_shares, axis=1)
        intro = f"""# Recommended landmarks

How many of {FRESH} fresh runs meet the target with the m recommended, for {len(SEEDS)} seeds that share no
run; width in multiples of the default width. `python -m benchmarks.recommended` writes this file.

- All recommendations: {np.mean(all_shares):.1f} % of the runs meet the target; of a single one at least
  {np.min(all_shares):g} %.
- Rows of the table: mean share from {means.min():.1f} to {means.max():.1f} %.
"""
        TABLE.write_text("\n".join([intro, *head, *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
