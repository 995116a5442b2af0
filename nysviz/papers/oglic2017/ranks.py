"""Rank K = 100 from l = K, K ln K and K ln n landmarks, over the bandwidths (section 5, appendix B)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nysviz.papers.oglic2017 import figure1
from nysviz.papers.oglic2017.figure1 import bandwidth_of
from nysviz.papers.oglic2017.lift import LANDMARKS, landmark_count
from nysviz.papers.oglic2017.running import (
    DATA,
    ROWS,
    aligned,
    columns_of,
    gains_of,
    lift_note,
    rank_for,
    told,
)
from nysviz.papers.oglic2017.schemes import PUBLISHED
from nysviz.papers.row import Row

EXPERIMENT = "oglic-ranks"
NAMES = (*PUBLISHED[:2], "kmeanspp_lloyd", "rpcholesky")


def reproduce(
    names: Sequence[str] = DATA,
    repeats: int = 10,
    seed: int = 0,
    *,
    rows: int = ROWS,
    schemes: Sequence[str] = NAMES,
) -> Iterator[Row]:
    """Yield relative error and lift for the three numbers of landmarks; ``m`` is l, the rank stays K.

    Parameters are those of ``figure1.reproduce``.
    """
    for rule in LANDMARKS:
        yield from figure1.reproduce(
            names or DATA, repeats, seed, rows=rows, schemes=schemes, rule=rule, experiment=EXPERIMENT
        )


def table(rows: Sequence[Row]) -> str:
    """Lift at the three numbers of landmarks, and what K ln n landmarks gain over K ln K in error."""
    found, columns = gains_of(rows), columns_of(rows)
    keys = sorted(
        {(row.data, row.m) for row in rows},
        key=lambda key: (key[0].partition("@")[0], bandwidth_of(key[0]), key[1]),
    )
    lines = [("data, gamma = 1/sigma²", "l", *columns)]
    for data, m in keys:
        lines.append(
            (data.replace("@gamma=", " "), str(m), *(told(found.get((data, m, name))) for name in columns))
        )
    ratios = []
    for name in sorted({row.data.partition("@")[0] for row in rows}):
        ratios += [_ratio(name, scheme, rows) for scheme in ("uniform", *columns)]
    return "\n".join([*aligned(lines), "", *filter(None, ratios), lift_note(rows)])


def _ratio(name: str, scheme: str, rows: Sequence[Row]) -> str:
    """Error with K ln K landmarks over that with K ln n, runs with the same seed in pairs."""
    mine = [r for r in rows if r.data.startswith(f"{name}@") and r.method == scheme and r.measure != "lift"]
    if not mine:
        return ""
    rank = rank_for(mine[0].n)
    few, many = (landmark_count(rank, mine[0].n, rule) for rule in LANDMARKS[1:])
    errors = {(r.data, r.m, r.repeat): r.value for r in mine}
    logs = np.array(
        [
            np.log(errors[data, few, r] / errors[data, many, r])
            for data, m, r in errors
            if m == few and (data, many, r) in errors
        ]
    )
    if not len(logs) or few == many:
        return ""
    middle, spread = float(logs.mean()), float(logs.std(ddof=1)) if len(logs) > 1 else 0.0
    low, high = np.exp([middle - spread, middle + spread])
    return (
        f"{name}, {scheme}: error with K ln K = {few} landmarks over that with K ln n = {many}: "
        f"{np.exp(middle):.3g} ({low:.3g}–{high:.3g})."
    )
