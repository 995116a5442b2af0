"""Whether Lift's repeats as needed name the method that all ten name: ``python -m benchmarks.as_needed``.

On each of ten sets a hundred repeats make ten runs of the page. Of a run the first three repeats say which
methods go on; the winner with ten repeats of these is set beside the winner with ten of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import nysviz as nv
from nysviz.papers.data import sample_rows
from nysviz.papers.oglic2017.figures import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import BEST, Matrices, lift_jobs, rank_for, scheme_of
from nysviz.studies.lift import FIRST_METHODS, MORE_REPEATS, REPEATS
from nysviz.studies.lift_records import find_candidates, largest_lift, summarise
from nysviz.sweep import Record, run_jobs

DATA = (
    "breast_cancer", "digits", "german", "splice", "adult1a", "dna", "segment", "china_patches", "cpu",
    "diabetes",
)  # fmt: skip
ROWS, RUNS = 600, 10
RIVALS = [name for name in FIRST_METHODS if name != BEST]


def part(records: Sequence[Record], run: int, schemes: Sequence[str], repeats: int) -> list[Record]:
    """Return the first repeats of one run; what is not random is the same in each."""
    first = run * MORE_REPEATS
    return [
        replace(one, repeat=one.repeat % MORE_REPEATS)
        for one in records
        if scheme_of(one) in (*schemes, "uniform", "svd")
        and (first <= one.repeat < first + repeats or scheme_of(one) in ("greedy", "svd"))
    ]


def main() -> None:
    """Print how many runs name the same winner, and how many methods go on."""
    same = 0
    for name in DATA:
        X, digest = sample_rows(nv.load(name), ROWS, 0)
        found, rank = bandwidths(X), rank_for(len(X))
        kernels = [kernel_at(value) for value in sorted({*found.values, found.standard})]
        jobs = lift_jobs(Matrices(name, X, digest), kernels, FIRST_METHODS, [rank], RUNS * MORE_REPEATS)
        records, more = [one for done in run_jobs(jobs) for one in done.records], []
        for run in range(RUNS):
            before = part(records, run, FIRST_METHODS, REPEATS)
            more.append(find_candidates(summarise("bandwidth", before), RIVALS))
            winners = []
            for schemes in (more[-1], FIRST_METHODS):
                of = part(records, run, schemes, MORE_REPEATS) if schemes else before
                top = largest_lift(summarise("bandwidth", of), RIVALS)
                winners.append(top and top[1])
            same += winners[0] == winners[1]
        print(f"{name:14} n = {len(X)}: methods that go on {[len(one) for one in more]}", flush=True)
    print(f"the same winner in {same} of {len(DATA) * RUNS} runs")


if __name__ == "__main__":
    main()
