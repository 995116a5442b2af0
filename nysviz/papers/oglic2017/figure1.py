"""Figure 1: lift against bandwidth, rank K = 100 from l = K landmarks.

``data`` of a row is the set's name and the bandwidth, ``elevators@gamma=0.0117``, with γ = 1/σ².
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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

EXPERIMENT = "oglic-fig1"
STANDARD = "1/median"


def reproduce(
    names: Sequence[str] = DATA,
    repeats: int = 10,
    seed: int = 0,
    *,
    rows: int = ROWS,
    schemes: Sequence[str] = NAMES,
    rule: str = "K",
    experiment: str = EXPERIMENT,
) -> Iterator[Row]:
    """Yield relative error and lift of every run, a bandwidth after the other.

    Parameters
    ----------
    names : sequence of str
        Of the catalog.
    repeats : int
        Of what is random; run r has the seed ``seed + r``.
    seed : int
        Also of the sample of rows.
    rows : int
        Rows that are sampled where a set has more.
    schemes : sequence of str
        Of ``SCHEMES``.
    rule : str
        Landmarks l for rank K: ``K``, ``K ln K`` or ``K ln n``.
    experiment : str
        What the rows call it.

    Yields
    ------
    Row
        With the measures ``relative_frobenius`` and ``lift``; the ten bandwidths and 1/median.
    """
    for name in names or DATA:
        matrices = matrices_of(name, rows, seed)
        found, rank = bandwidths(matrices.X), rank_for(len(matrices.X))
        for value in sorted({*found.values, found.standard}):
            jobs = lift_jobs(matrices, [kernel_at(value)], schemes, [rank], repeats, seed, rule=rule)
            mark = f" {STANDARD}" if value == found.standard else ""
            yield from lift_rows(experiment, jobs, f"{name}@gamma={value:.6g}{mark}")


def bandwidth_of(data: str) -> float:
    """γ of a row of this experiment."""
    return float(data.partition("@gamma=")[2].split()[0])


def table(rows: Sequence[Row]) -> str:
    """Lift of every scheme at every bandwidth, and what holds of the published figure."""
    found, columns = gains_of(rows), columns_of(rows)
    lines = [("data, gamma = 1/sigma²", "l", *columns)]
    names = sorted({row.data.partition("@")[0] for row in rows})
    keys = sorted(
        {(row.data, row.m) for row in rows}, key=lambda key: (key[0].partition("@")[0], bandwidth_of(key[0]))
    )
    for data, m in keys:
        lines.append(
            (data.replace("@gamma=", " "), str(m), *(told(found.get((data, m, name))) for name in columns))
        )
    text = aligned(lines)
    for name in names:
        text += _statements(name, rows)
    return "\n".join([*text, "", lift_note(rows)])


def _statements(name: str, rows: Sequence[Row]) -> list[str]:
    """What the paper says of its figure 1, counted."""
    found = {key: one for key, one in gains_of(rows).items() if key[0].startswith(f"{name}@")}
    cells = sorted({key[:2] for key in found}, key=lambda cell: bandwidth_of(cell[0]))
    standard = next((bandwidth_of(data) for data, _ in cells if STANDARD in data), float("inf"))

    def lift(cell: tuple[str, int], scheme: str) -> float:
        return found[(*cell, scheme)].mean if (*cell, scheme) in found else float("nan")

    def counted(scheme: str, other: str) -> str:
        pairs = [(lift(cell, scheme), lift(cell, other)) for cell in cells]
        pairs = [pair for pair in pairs if pair[0] == pair[0] and pair[1] == pair[1]]
        return f"{sum(a >= b for a, b in pairs)} of {len(pairs)}"

    narrow = [lift(cell, "kmeanspp") for cell in cells if bandwidth_of(cell[0]) <= standard]
    return [
        "",
        f"{name}: kmeanspp has lift above 1 at {sum(x > 1 for x in narrow)} of {len(narrow)} bandwidths up "
        f"to 1/median (printed: at all); kmeanspp_lloyd is at or above kmeanspp at "
        f"{counted('kmeanspp_lloyd', 'kmeanspp')}.",
        f"{name}: kmeanspp is at or above dpp (1000 steps) at {counted('kmeanspp', 'dpp')}, dpp_10000 "
        f"at {counted('kmeanspp', 'dpp_10000')}; dpp_10000 at or above dpp at {counted('dpp_10000', 'dpp')}; "
        f"kmeanspp at or above leverage_approx at {counted('kmeanspp', 'leverage_approx')}.",
        f"{name}: greedy is at or above kmeanspp at {counted('greedy', 'kmeanspp')}, rpcholesky at "
        f"{counted('rpcholesky', 'kmeanspp')} (not in the paper).",
    ]
