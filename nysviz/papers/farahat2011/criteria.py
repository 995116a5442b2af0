"""Tests of the claims of Farahat, Ghodsi & Kamel 2011: f1 to f8."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from nysviz.papers.claim import Finding, Verdict, counted, found, on_every
from nysviz.papers.farahat2011.measurements import GIVEN
from nysviz.papers.labels import data_in_words, in_words
from nysviz.papers.records import Records
from nysviz.papers.statistics import at_most, duels, percent, runs, share_of, shares, told

# Both formulas are equal; so much of ‖K‖ is rounding.
EQUAL = 1e-8
# Accuracies this near to each other are one.
SAME = 1e-9
# Criteria that differ by less, relatively, are a tie that rounding decides.
TIE = 1e-6
# "Falls far behind": the error of kmeans is so many times the best one's.
FAR_BEHIND = 1.5
# "Loses little" and "costs little more than".
LITTLE, FEW_GROUPS = 1.1, 5
CHEAP = 5.0
# "As accurate": the rival's accuracy is at most so many times greedy's.
AS_ACCURATE = 1.05
METHODS = (
    "uniform",
    "adaptive_full",
    "adaptive_partial",
    "kmeans",
    "sgma",
    "greedy",
    "partition_greedy",
)


def recursion_equals_formula(records: Records) -> Finding:
    """f1: relative difference of recursion and direct formula."""
    rows = records.of("farahat-recursion", "difference")
    worst = {name: float(mine.values().max()) for name, mine in rows.by_data().items()}
    return found(
        on_every({name: value < EQUAL for name, value in worst.items()}),
        f"largest difference {told(max(worst.values()))} of ‖K‖, {len({row.method for row in rows})} ways "
        "of choosing",
        rows,
        [(name, f"at most {told(value)}") for name, value in worst.items()],
    )


def best_rank_d(records: Records) -> Finding:
    """f2: accuracy of the best rank d of K̃ against the classical truncation, every d."""
    rows = records.of("farahat-rank-d")
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    values = {(r.data, r.method, r.m, r.repeat, r.measure): r.value for r in rows}
    for (data, method, m, repeat, measure), value in values.items():
        if measure.startswith("relative_accuracy_"):
            classical = values.get((data, method, m, repeat, measure.replace("relative", "classical")))
            if classical is not None:
                pairs[data].append((value, classical))
    # Nothing says that the best rank d of K̃ is nearer to K in every single case; it is nearest to K̃.
    hold = {
        name: all(best >= classical * (1 - SAME) for best, classical in of)
        and any(best > classical * (1 + SAME) for best, classical in of)
        for name, of in pairs.items()
    }
    every = [best / classical for of in pairs.values() for best, classical in of if classical > 0]
    ahead = sum(ratio >= 1 - SAME for ratio in every)
    return found(
        on_every(hold, direction=bool(every) and 2 * ahead > len(every)),
        f"at least as near to K in {ahead} of {len(every)} cases (d, columns, method); median gain "
        f"{percent(median(every) - 1)}, largest {percent(max(every) - 1)}",
        rows,
        [
            (name, f"as near or nearer in {sum(b >= c * (1 - SAME) for b, c in of)} of {len(of)}")
            for name, of in pairs.items()
        ],
    )


def _ahead(
    records: Records, first: str, rivals: Sequence[str]
) -> tuple[dict[str, bool], list[tuple[str, str]]]:
    """Whether a method has the larger accuracy at most k against every rival, by data set."""
    cells = records.of("farahat-fig1", "relative_accuracy").cells()
    hold: dict[str, bool] = {}
    numbers = []
    for rival in rivals:
        results = duels(cells, rival, first)
        # The smaller accuracy is the rival's: the sign of a smaller first value says that `first` is ahead.
        ahead, behind = shares(results, 1), shares(results, -1)
        for name, part in ahead.items():
            hold[name] = hold.get(name, True) and part > 0.5
            numbers.append(
                (
                    f"{name}, against {in_words(rival)}",
                    f"ahead at {percent(part)}, behind at {percent(behind[name])}",
                )
            )
    return hold, numbers


def greedy_most_accurate(records: Records) -> Finding:
    """f3: greedy against uniform and both adaptive methods."""
    hold, numbers = _ahead(records, "greedy", ("uniform", "adaptive_full", "adaptive_partial"))
    return found(
        on_every(hold),
        f"more accurate than all three at most numbers of columns on {counted(hold)}",
        records.of("farahat-fig1", "relative_accuracy"),
        numbers,
    )


def _seconds_ratios(records: Records, first: str, second: str, how: str) -> dict[str, float]:
    """Median processor seconds of one method over those of another: the median over m, by data set."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for (data, _), of in records.of("farahat-seconds", "seconds").cells().items():
        name, _, there = data.partition("@")
        if there == how:
            ratios[name].append(float(np.median(runs(of, first)) / np.median(runs(of, second))))
    return {name: median(values) for name, values in ratios.items()}


def greedy_beats_sgma(records: Records, how: str = GIVEN, limit: float = AS_ACCURATE) -> Finding:
    """f4: greedy against SGMA in accuracy, and in seconds."""
    rows = records.of("farahat-fig1", "relative_accuracy")
    near = share_of(at_most(rows.cells(), "sgma", "greedy", limit))
    accurate = {name: part >= 0.9 for name, part in near.items()}
    ratio = _seconds_ratios(records, "sgma", "greedy", how)
    faster = {name: ratio.get(name, 0.0) > 1 for name in accurate}
    both = {name: accurate[name] and faster[name] for name in accurate}
    return found(
        on_every(both, direction=any(accurate.values()) or any(faster.values())),
        f"as accurate on {counted(accurate)}; faster on {counted(faster)}",
        rows,
        [
            (
                name,
                f"as accurate at {percent(near[name])} of the numbers of columns; SGMA takes "
                f"{told(ratio.get(name, math.nan))} times the seconds, {how}",
            )
            for name in accurate
        ],
    )


def kmeans_varies(records: Records) -> Finding:
    """f5: the rank of kmeans among the seven methods, by set."""
    rows = records.of("farahat-fig1", "relative_accuracy")
    ranks: dict[str, list[int]] = defaultdict(list)
    loss: dict[str, list[float]] = defaultdict(list)
    for (data, _), methods in rows.cells().items():
        means = {name: float(runs(methods, name).mean()) for name in METHODS if name in methods}
        if "kmeans" in means and len(means) > 1:
            ranks[data].append(1 + sum(value > means["kmeans"] for value in means.values()))
            loss[data].append(max(means.values()) / means["kmeans"])
    first = {name: median(values) <= 1.5 for name, values in ranks.items()}
    far = {name: median(values) >= FAR_BEHIND for name, values in loss.items()}
    wins, falls = any(first.values()), any(far.values())
    verdict = Verdict.REPRODUCED if wins and falls else Verdict.PARTLY if wins or falls else Verdict.NOT
    return found(
        verdict,
        f"most accurate on {_sets(first)}; its error at least {FAR_BEHIND} times the best one's on "
        f"{_sets(far)}",
        rows,
        [
            (name, f"median rank {median(of):g} of 7; error {told(median(loss[name]))} times the best one's")
            for name, of in ranks.items()
        ],
    )


def _sets(holds: Mapping[str, bool]) -> str:
    """Titles of the sets for which it holds; some have commas of their own."""
    return "; ".join(data_in_words(name) for name, yes in holds.items() if yes) or "none"


def few_groups_lose_little(records: Records, limit: float = LITTLE) -> Finding:
    """f6: error of the partition criterion with few groups over that of greedy with all rows."""
    rows = records.of("farahat-groups", "relative_frobenius")
    hold, numbers, few = {}, [], []
    for (data, _), methods in rows.cells().items():
        whole = float(runs(methods, "greedy").mean())
        ratios = {
            int(name.rpartition("_")[2]): float(runs(methods, name).mean()) / whole
            for name in methods
            if name.startswith("partition_greedy_")
        }
        few.append(ratios[min(ratios)])
        hold[data] = min(ratios) <= FEW_GROUPS and few[-1] <= limit
        of_uniform = float(runs(methods, "uniform").mean()) / whole
        of_each = ", ".join(f"c = {c} {told(value)}" for c, value in sorted(ratios.items()))
        numbers.append((data, f"error over greedy's: {of_each}; uniform sampling {told(of_uniform)}"))
    return found(
        on_every(hold),
        f"with {FEW_GROUPS} groups the error is {told(min(few))} to {told(max(few))} times that of all rows; "
        f"at most {limit} times on {counted(hold)}",
        rows,
        numbers,
    )


def partition_is_cheap(records: Records, how: str = GIVEN) -> Finding:
    """f7: seconds of partition_greedy over those of uniform sampling."""
    middle = _seconds_ratios(records, "partition_greedy", "uniform", how)
    hold = {name: value <= CHEAP for name, value in middle.items()}
    return found(
        on_every(hold),
        f"{told(min(middle.values()))} to {told(max(middle.values()))} times the seconds of uniform sampling "
        f"(medians, {how}); at most {CHEAP:g} times on {counted(hold)}",
        records.of("farahat-seconds"),
        [(name, f"{told(value)} times") for name, value in middle.items()],
    )


def lean_recursion_agrees(records: Records) -> Finding:
    """f8: pivots of the f, g recursion against those from the whole residual."""
    rows = records.of("farahat-recursion")
    agreed = {row.data: (int(row.value), row.m) for row in rows if row.measure == "agreed"}
    parted = {row.data: row.value for row in rows if row.measure == "parted"}
    hold = {name: parted[name] <= TIE for name in agreed}
    same = {name: count == m for name, (count, m) in agreed.items()}
    return found(
        on_every(hold),
        f"the same pivots to the end on {counted(same)}; where they part, the criteria differ by at most "
        f"{told(max(parted.values()))}",
        rows,
        [
            (
                name,
                f"the first {count} of {m} pivots agree"
                + ("" if same[name] else f", then {told(parted[name])}"),
            )
            for name, (count, m) in agreed.items()
        ],
    )
