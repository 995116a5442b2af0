"""Figure 2: seconds against error while the bandwidth varies, rank K = 100.

Seconds are those of one approximation, landmarks and factor, with no entry of K at hand, one run at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from nysviz.papers.oglic2017.bandwidths import bandwidths, kernel_at
from nysviz.papers.oglic2017.figure1 import bandwidth_of
from nysviz.papers.oglic2017.lift import lift_jobs
from nysviz.papers.oglic2017.running import (
    DATA,
    NAMES,
    ROWS,
    aligned,
    matrices_of,
    rank_for,
    size_note,
)
from nysviz.papers.oglic2017.schemes import BEST, REFERENCE, scheme_of
from nysviz.papers.row import Row
from nysviz.sweep import run_jobs

EXPERIMENT = "oglic-fig2"
TIMED = (REFERENCE, *(name for name in NAMES if name != BEST))


def reproduce(
    names: Sequence[str] = DATA,
    repeats: int = 10,
    seed: int = 0,
    *,
    rows: int = ROWS,
    schemes: Sequence[str] = TIMED,
) -> Iterator[Row]:
    """Yield the relative error of every run, with its seconds; rows are named as in figure 1.

    Parameters are those of ``figure1.reproduce``.
    """
    for name in names or DATA:
        matrices = matrices_of(name, rows, seed)
        rank = rank_for(len(matrices.X))
        with ThreadPoolExecutor(1) as alone:
            for value in bandwidths(matrices.X).values:
                data = f"{name}@gamma={value:.6g}"
                jobs = lift_jobs(matrices, [kernel_at(value)], schemes, [rank], repeats, seed, at_hand=False)
                for finished in run_jobs(jobs, alone):
                    for r in finished.records:
                        yield Row(
                            EXPERIMENT,
                            data,
                            r.n,
                            r.d,
                            scheme_of(r),
                            r.m,
                            r.repeat,
                            "relative_frobenius",
                            r.values["relative_frobenius"],
                            r.seconds,
                        )


def table(rows: Sequence[Row]) -> str:
    """Median error and seconds of every scheme at every bandwidth."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        found[row.data, row.method].append(row)
    methods = [name for name in TIMED if any(row.method == name for row in rows)]
    lines = [("data, gamma = 1/sigma²", *(f"{name}: error, s" for name in methods))]
    for data in sorted({row.data for row in rows}, key=lambda d: (d.partition("@")[0], bandwidth_of(d))):
        cells = []
        for name in methods:
            runs = found[data, name]
            error, seconds = (
                (median(row.value for row in runs), median(row.seconds for row in runs)) if runs else (0, 0)
            )
            cells.append(f"{error:.2e}, {seconds:.3f}" if runs else "–")
        lines.append((data.replace("@gamma=", " "), *cells))
    base = [row.seconds for row in rows if row.method == "kmeanspp"]
    notes = []
    for name in ("dpp", "dpp_10000", "leverage_approx", "kmeanspp_lloyd", "greedy"):
        times = [row.seconds for row in rows if row.method == name]
        if base and times:
            notes.append(
                f"{name} takes {median(times) / median(base):.3g} times the seconds of kmeanspp (medians)."
            )
    return "\n".join([*aligned(lines), "", *notes, size_note(rows)])
