"""Tests of the claims of Zhang, Tsang & Kwok 2008 about learning and cost: z8 to z14."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.papers.claim import Finding, Verdict, counted, found, named, on_every, on_most
from nysviz.papers.labels import in_words
from nysviz.papers.published import table as published
from nysviz.papers.records import Records
from nysviz.papers.statistics import (
    LEVEL,
    duels,
    interval,
    runs,
    signed,
    slope,
    told,
    with_interval,
    won_against_all,
)
from nysviz.papers.zhang2008.table3 import DEVIATIONS, PART
from nysviz.papers.zhang2008.table4_text import (
    CONFIDENCE,
    EXACT,
    KERNEL_NAMES,
    MEASURES,
    Cells,
    collected,
    confidence_smaller,
)

RIVALS = ("icd", "uniform", "column_norm")
SCHEMES = ("kmeans", *RIVALS)
KMEANS = in_words("kmeans")
# "Far cheaper": at least so many times.
FAR = 10.0
# Table 1 as exponents of n and m; fitted ones may be off by so much.
STATED = {"uniform": (1.0, 0.0), "column_norm": (2.0, 0.0), "kmeans": (1.0, 1.0), "icd": (1.0, 2.0)}
EXPONENT = 0.35
# Test errors are equal within so many percentage points: one test row in the paper's pairs of some 400.
MARGIN = 0.25


def kmeans_least_misaligned(records: Records) -> Finding:
    """z8: misalignment of kmeans against the other schemes, by set."""
    rows = records.of("zhang-table3", "misalignment")
    cells = {cell: methods for cell, methods in rows.cells().items() if set(methods) & set(SCHEMES)}
    hold = {data: yes for (data, _), yes in won_against_all(cells, "kmeans", RIVALS).items()}
    behind = {rival: sum(d.sign < 0 for d in duels(cells, "kmeans", rival)) for rival in RIVALS}
    return found(
        on_most(hold),
        f"smaller than all three by more than chance on {counted(hold)}",
        rows,
        [
            (data, ", ".join(f"{in_words(m)} {told(float(runs(of, m).mean()))}" for m in SCHEMES if m in of))
            for (data, _), of in cells.items()
        ]
        + [
            (
                f"sets where {KMEANS} are behind",
                ", ".join(f"{in_words(rival)} {count}" for rival, count in behind.items()),
            )
        ],
    )


def misalignment_as_printed(records: Records) -> Finding:
    """z9: every printed cell of table 3 beside the measured mean."""
    rows = records.of("zhang-table3", "misalignment")
    measured: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        measured[row.data, row.method].append(row.value)
    hold, numbers, cells = {}, [], published("zhang2008_table3_error")
    for cell in cells:
        values = measured.get((cell["data"], cell["method"]))
        if not values:
            continue
        mean, printed = fmean(values), float(cell["mean"])
        allowed = DEVIATIONS * float(cell["std"]) if cell["std"] else PART * printed
        name = f"{cell['data']}, {in_words(cell['method'])}"
        hold[name] = abs(mean - printed) <= allowed
        mark = "" if hold[name] else ", too far"
        numbers.append((name, f"measured {told(mean)}, printed {told(printed)} ± {told(allowed)}{mark}"))
    return found(
        on_every(hold),
        f"{counted(hold, 'printed cells')} agree; apart: {named(hold, wanted=False)}; not tested: "
        f"{len(cells) - len(hold)} more",
        Records(row for row in rows if (row.data in {name.split(",")[0] for name in hold})),
        numbers + untested_cells("table 3"),
    )


def cheaper_than_svd(records: Records, exact: str = "svd") -> Finding:
    """z10: seconds of the eigenvectors, all of them or the leading three, over those of each scheme."""
    rows = records.of("zhang-table3", "misalignment")
    seconds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        seconds[row.data][row.method].append(row.seconds)
    ratios = {
        data: {m: fmean(of[exact]) / fmean(of[m]) for m in SCHEMES if m in of}
        for data, of in seconds.items()
        if exact in of
    }
    hold = {data: min(of.values()) >= FAR for data, of in ratios.items() if of}
    every = [ratio for of in ratios.values() for ratio in of.values()]
    return found(
        on_every(hold, direction=bool(every) and min(every) > 1),
        f"{told(min(every))} to {told(max(every))} times cheaper; at least {FAR:.0f} times with every scheme "
        f"on {counted(hold)}"
        if every
        else "no set with eigenvectors timed",
        rows,
        [
            (data, ", ".join(f"{in_words(m)} {told(r)} times" for m, r in of.items()))
            for data, of in ratios.items()
        ],
    )


def orders_of_cost(records: Records) -> Finding:
    """z11: slopes of processor seconds in n and in m."""
    rows = records.of("zhang-table1", "seconds")
    hold, numbers = {}, []
    for method, (of_n, of_m) in STATED.items():
        mine = rows.where(method=method)
        by_n, by_m = (mine.where(data=f"random points@{what} varied") for what in "nm")
        fitted = (
            slope([row.n for row in by_n], [row.value for row in by_n]),
            slope([row.m for row in by_m], [row.value for row in by_m]) if of_m else 0.0,
        )
        hold[method] = all(
            abs(got - stated) <= EXPONENT for got, stated in zip(fitted, (of_n, of_m), strict=True)
        )
        of_it = f"n^{fitted[0]:.2f}" + (f" · m^{fitted[1]:.2f}" if of_m else "")
        numbers.append(
            (in_words(method), f"{of_it}; stated n^{of_n:.0f}" + (f" · m^{of_m:.0f}" if of_m else ""))
        )
    return found(
        on_every(hold),
        f"fitted exponents within {EXPONENT} of the stated ones for {counted(hold, 'schemes')}; apart: "
        f"{named({in_words(method): yes for method, yes in hold.items()}, wanted=False)}",
        rows,
        numbers,
    )


def _sure(cells: dict[tuple[str, int], Cells], level: float) -> dict[str, bool]:
    """By pair of classes, whether kmeans has the smaller error than all rivals at this confidence."""
    return {
        name: all(confidence_smaller(of["kmeans"], of[rival]) >= level for rival in RIVALS if rival in of)
        for (name, _), of in cells.items()
        if "kmeans" in of
    }


def kmeans_classifies_best(records: Records, kernel: str = MEASURES[0]) -> Finding:
    """z12: one-sided tests at m = 0.05 n."""
    rows = records.of("zhang-table4", kernel)
    level, cells = CONFIDENCE[0.05], collected(rows, kernel)[0.05]
    hold = _sure(cells, level)
    each = {
        rival: sum(
            confidence_smaller(of["kmeans"], of[rival]) >= level
            for of in cells.values()
            if "kmeans" in of and rival in of
        )
        for rival in RIVALS
    }
    return found(
        on_every(hold),
        f"ahead of all three with {100 * level:g} % confidence on {counted(hold, 'pairs')} "
        f"({KERNEL_NAMES[kernel]})",
        rows,
        [(f"ahead of {in_words(rival)}", f"{count} of {len(hold)} pairs") for rival, count in each.items()]
        + untested_cells("table 4"),
    )


def _best_rival(of: Cells) -> FloatArray:
    return min((of[rival] for rival in RIVALS if rival in of), key=lambda errors: float(errors.mean()))


def _equal(ours: FloatArray, theirs: FloatArray, margin: float) -> bool:
    """Whether two means differ by less than a margin: two one-sided Welch tests at 5 % (Schuirmann 1987)."""
    below = confidence_smaller(ours - margin, theirs)
    above = 1.0 - confidence_smaller(ours + margin, theirs)
    return min(below, above) >= LEVEL


def advantage_shrinks(records: Records, kernel: str = MEASURES[0], margin: float = MARGIN) -> Finding:
    """z13: the advantage at m = 0.1 n against that at 0.05 n."""
    rows = records.of("zhang-table4", kernel)
    shrunk, gone, numbers = {}, {}, []
    few, many = (collected(rows, kernel)[ratio] for ratio in (0.05, 0.1))
    for pair, of in few.items():
        if pair in many and "kmeans" in of and "kmeans" in many[pair]:
            before, after = (float(_best_rival(c).mean() - c["kmeans"].mean()) for c in (of, many[pair]))
            shrunk[pair[0]] = after < before
            gone[pair[0]] = _equal(many[pair]["kmeans"], _best_rival(many[pair]), margin)
            mark = ", equal" if gone[pair[0]] else ""
            text = f"{signed(before)} percentage points at 0.05 n, {signed(after)} at 0.1 n{mark}"
            numbers.append((pair[0], text))
    smaller, some = 2 * sum(shrunk.values()) > len(shrunk), any(gone.values())
    verdict = Verdict.REPRODUCED if smaller and some else Verdict.PARTLY if smaller or some else Verdict.NOT
    return found(
        verdict,
        f"smaller at 0.1 n on {counted(shrunk, 'pairs')}; there equal to the best rival within {margin:g} "
        f"percentage points on {sum(gone.values())}",
        rows,
        numbers,
    )


def as_good_as_exact(records: Records, kernel: str = MEASURES[0]) -> Finding:
    """z14: error of kmeans at m = 0.1 n less the exact machine's, held against the printed difference."""
    rows = records.of("zhang-table4", kernel)
    gaps = [
        float(of["kmeans"].mean() - of[EXACT].mean())
        for of in collected(rows, kernel)[0.1].values()
        if "kmeans" in of and EXACT in of
    ]
    measured, printed = interval(gaps), interval(_printed_gaps())
    # Not more than printed; partly where half of the pairs are as good.
    level = [gap <= 0 for gap in gaps]
    verdict = Verdict.NOT
    if measured[0] <= printed[2]:
        verdict = Verdict.REPRODUCED
    elif 2 * sum(level) >= len(level):
        verdict = Verdict.PARTLY
    return found(
        verdict,
        f"test error of {KMEANS} less that of the exact machine: {with_interval(measured)} percentage "
        f"points ({KERNEL_NAMES[kernel]}); printed {with_interval(printed)}",
        rows,
        [("pairs at or below the exact machine's error", f"{sum(level)} of {len(level)}")],
    )


def untested_cells(table: str) -> list[tuple[str, str]]:
    """Return printed values that no recorded run tests, beside what a run outside the record gave."""
    return [
        (f"{table}, {row['cell']}", f"printed {row['printed']}, measured {row['measured']}; no recorded run")
        for row in published("not_tested")
        if row["table"] == table
    ]


def _printed_gaps() -> FloatArray:
    rows = [row for row in published("zhang2008_table4") if float(row["ratio"]) == 0.1]
    return np.array([float(row["kmeans"]) - float(row["lssvm"]) for row in rows])
