"""Figure 3: lift against the rank K = 5 … 100 at the bandwidth 1/median, l = K landmarks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from nysviz.papers.oglic2017.bandwidths import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import lift_jobs
from nysviz.papers.oglic2017.running import (
    DATA,
    NAMES,
    ROWS,
    aligned,
    columns_of,
    gains_of,
    lift_note,
    lift_rows,
    matrices_of,
    rank_for,
    told,
)
from nysviz.papers.row import Row

EXPERIMENT = "oglic-fig3"
RANKS = (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)


def ranks_for(n: int, ranks: Sequence[int] = RANKS) -> tuple[int, ...]:
    """The ranks of the figure; for a small set scaled down so that the last is a fifth of the rows."""
    last = rank_for(n)
    return tuple(sorted({max(1, round(rank * last / ranks[-1])) for rank in ranks}))


def reproduce(
    names: Sequence[str] = DATA,
    repeats: int = 10,
    seed: int = 0,
    *,
    rows: int = ROWS,
    schemes: Sequence[str] = NAMES,
) -> Iterator[Row]:
    """Yield relative error and lift of every run; ``m`` is the rank and the number of landmarks.

    Parameters are those of ``figure1.reproduce``.
    """
    for name in names or DATA:
        matrices = matrices_of(name, rows, seed)
        kernel = kernel_at(bandwidths(matrices.X).standard)
        ranks = ranks_for(len(matrices.X))
        yield from lift_rows(EXPERIMENT, lift_jobs(matrices, [kernel], schemes, ranks, repeats, seed))


def growth(ranks: Sequence[int], values: Sequence[float]) -> float:
    """Slope of the lift in K, by least squares, for 100 more."""
    if len(set(ranks)) < 2:
        return math.nan
    return 100.0 * float(np.polyfit(ranks, values, 1)[0])


def table(rows: Sequence[Row]) -> str:
    """Lift of every scheme at every rank, and how fast it grows."""
    found, columns = gains_of(rows), columns_of(rows)
    lines = [("data", "K", *columns)]
    for data in sorted({row.data for row in rows}):
        ranks = sorted({row.m for row in rows if row.data == data})
        lines += [(data, str(m), *(told(found.get((data, m, name))) for name in columns)) for m in ranks]
        slopes = []
        for name in columns:
            there = [m for m in ranks if (data, m, name) in found]
            slopes.append(f"{growth(there, [found[data, m, name].mean for m in there]):.3g}")
        lines.append((f"{data}: growth a 100 ranks", "", *slopes))
    return "\n".join([*aligned(lines), "", lift_note(rows), "Printed: lift grows with K, most for kmeanspp."])
