"""The claims of Farahat, Ghodsi & Kamel 2011, each with the test that decides it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from statistics import median

import numpy as np

from nysviz.papers.claim import Choice, Claim, Outcome, both, claim, counted, found, on_every
from nysviz.papers.farahat2011.figure1 import METHODS
from nysviz.papers.farahat2011.measurements import COMPUTED, GIVEN
from nysviz.papers.labels import data_label, method_label
from nysviz.papers.records import Records
from nysviz.papers.statistics import at_most, both_runs, by_set, duels, runs, share_of, shares, span
from nysviz.text import percent, three_digits

CLAIMS: list[Claim] = []
_claim = partial(claim, "farahat", CLAIMS)

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
# "As accurate": the rival's accuracy is at most so many times greedy's, at such a part of the columns.
AS_ACCURATE, NEARLY_ALL = 1.05, 0.9

_SETS = ("mnist", "yaleb", "la1", "pie", "reuters", "reviews")
_RANK = {"page": "compare", "link": {"compare_what": "Relative accuracy at rank d"}}
_ON_SETS = {**_RANK, "asked": _SETS}
_ENTRIES = Choice("whether K is given", GIVEN, COMPUTED, {"how": COMPUTED})


@_claim("f1", "farahat-recursion", place="section 2", page="steps")
def _recursion_equals_formula(records: Records) -> Outcome:
    """Building the approximation column by column gives the same matrix as the direct formula.

    ‖G Gᵀ − E W⁺ Eᵀ‖ is below 1e-8 of ‖K‖ for every way of choosing, on every set.
    """
    rows = records.where(measure="difference")
    worst = {name: float(values.max()) for name, values in rows.by("data").items()}
    return found(
        on_every({name: value < EQUAL for name, value in worst.items()}),
        f"difference at most {three_digits(max(worst.values()))} of ‖K‖; {len(rows.by('method'))} methods",
        {name: f"at most {three_digits(value)}" for name, value in worst.items()},
    )


@_claim("f2", "farahat-rank-d", place="section 2", **_RANK)
def _best_rank_d(records: Records) -> Outcome:
    """Cut to rank d, the recursion gives the best rank d of K̃; the classical formula does not.

    At every d its error is at most the classical one's, and in some case smaller, on every set.
    """
    values = {(r.data, r.method, r.m, r.repeat, r.measure): r.value for r in records}
    ratios: dict[str, list[float]] = defaultdict(list)
    for row in records:
        other = row.measure.replace("relative", "classical")
        classical = values.get((row.data, row.method, row.m, row.repeat, other))
        if row.measure.startswith("relative_accuracy_") and classical:
            ratios[row.data].append(row.value / classical)
    # Nothing says that the best rank d of K̃ is nearer to K in every single case; it is nearest to K̃.
    near = {name: sum(ratio >= 1 - SAME for ratio in of) for name, of in ratios.items()}
    hold = {name: near[name] == len(of) and max(of) > 1 + SAME for name, of in ratios.items()}
    every = [ratio for of in ratios.values() for ratio in of]
    cases = sum(near.values())
    return found(
        on_every(hold, direction=2 * cases > len(every)),
        f"at least as near to K in {cases} of {len(every)} cases (d, columns, method); gain "
        f"{percent(median(every) - 1)} (median), {percent(max(every) - 1)} (largest)",
        {name: f"as near or nearer in {near[name]} of {len(of)}" for name, of in ratios.items()},
    )


@_claim("f3", "farahat-fig1", place="figure 1", **_ON_SETS)
def _greedy_most_accurate(records: Records) -> Outcome:
    """Greedy choice is more accurate than uniform and both adaptive samplings.

    Relative accuracy larger (Wilcoxon, Holm) than each of the three at more than half of the numbers of
    columns, on every set.
    """
    cells = records.where(measure="relative_accuracy").cells()
    hold: dict[str, bool] = {}
    numbers: dict[str, str] = {}
    for rival in ("uniform", "adaptive_full", "adaptive_partial"):
        # The smaller accuracy is the rival's: +1 where greedy is ahead.
        signs = duels(cells, rival, "greedy")
        numbers |= {f"{name}, against {method_label(rival)}": text for name, text in by_set(signs).items()}
        for name, part in shares(signs, 1).items():
            hold[name] = hold.get(name, True) and part > 0.5
    return found(
        on_every(hold),
        f"significantly better than all three at most numbers of columns on {counted(hold)}",
        numbers,
    )


def _seconds_ratios(records: Records, first: str, second: str, how: str) -> dict[str, float]:
    """Median processor seconds of one method over those of another: the median over m, by data set."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for (data, _), (a, b) in both_runs(records.of("farahat-seconds").cells(), first, second).items():
        name, _, entries = data.partition("@")
        if entries == how:
            ratios[name].append(float(np.median(a) / np.median(b)))
    return {name: median(values) for name, values in ratios.items()}


@_claim(
    "f4",
    "farahat-fig1",
    "farahat-seconds",
    place="figure 1",
    choices=(_ENTRIES, Choice("the limit", "1.05", "1.1", {"limit": 1.1})),
    **_ON_SETS,
)
def _greedy_beats_sgma(records: Records, how: str = GIVEN, limit: float = AS_ACCURATE) -> Outcome:
    """Greedy choice is as accurate as SGMA or more, and faster.

    SGMA's accuracy is at most 1.05 times greedy's (95 % interval) at nine tenths of the numbers of
    columns, and its median processor seconds are more, K given, on every set.
    """
    near = share_of(at_most(records.where(measure="relative_accuracy").cells(), "sgma", "greedy", limit))
    ratio = _seconds_ratios(records, "sgma", "greedy", how)
    accurate = {name: part >= NEARLY_ALL for name, part in near.items()}
    faster = {name: ratio.get(name, 0.0) > 1 for name in near}
    both_hold = {name: accurate[name] and faster[name] for name in near}
    return found(
        on_every(both_hold, direction=any(accurate.values()) or any(faster.values())),
        f"as accurate on {counted(accurate)}; faster on {counted(faster)}",
        {
            name: f"as accurate at {percent(part)} of the numbers of columns; SGMA takes "
            f"{three_digits(ratio.get(name, math.nan))} times the seconds, {how}"
            for name, part in near.items()
        },
    )


@_claim("f5", "farahat-fig1", place="figure 1", **_ON_SETS)
def _kmeans_varies(records: Records) -> Outcome:
    """k-means wins on some sets and falls far behind on others.

    Its median rank is first on one set, and its error at least 1.5 times the best one's on another.
    """
    ranks: dict[str, list[int]] = defaultdict(list)
    loss: dict[str, list[float]] = defaultdict(list)
    for (data, _), methods in records.where(measure="relative_accuracy").cells().items():
        means = {name: float(runs(methods, name).mean()) for name in METHODS if name in methods}
        if "kmeans" in means and len(means) > 1:
            ranks[data].append(1 + sum(value > means["kmeans"] for value in means.values()))
            loss[data].append(max(means.values()) / means["kmeans"])
    first = {name: median(values) <= 1.5 for name, values in ranks.items()}
    far = {name: median(values) >= FAR_BEHIND for name, values in loss.items()}
    numbers = {
        name: f"median rank {median(of):g} of 7; error {three_digits(median(loss[name]))} times the best"
        for name, of in ranks.items()
    }
    statistic = f"most accurate on {_titles(first)}; error at least {FAR_BEHIND} times the best one's on "
    return found(both(any(first.values()), any(far.values())), f"{statistic}{_titles(far)}", numbers)


def _titles(holds: Mapping[str, bool]) -> str:
    """Titles of the sets for which it holds; some have commas of their own."""
    return "; ".join(data_label(name) for name, yes in holds.items() if yes) or "none"


@_claim(
    "f6",
    "farahat-groups",
    place="sections 3 and 4",
    choices=(Choice("the limit", "1.1", "1.05", {"limit": 1.05}),),
    **_ON_SETS,
)
def _few_groups_lose_little(records: Records, limit: float = LITTLE) -> Outcome:
    """With few groups the partition criterion loses little accuracy.

    With 5 groups the error is at most 1.1 times that of greedy choice with all rows, on every set.
    """
    hold, numbers, few = {}, {}, []
    for (data, _), methods in records.cells().items():
        whole = float(runs(methods, "greedy").mean())
        ratio = {name: float(runs(methods, name).mean()) / whole for name in methods}
        of = {int(name.rpartition("_")[2]): ratio[name] for name in methods if name.startswith("partition")}
        few.append(of[min(of)])
        hold[data] = min(of) <= FEW_GROUPS and few[-1] <= limit
        of_each = ", ".join(f"c = {c} {three_digits(value)}" for c, value in sorted(of.items()))
        numbers[data] = f"error over greedy's: {of_each}; uniform sampling {three_digits(ratio['uniform'])}"
    return found(
        on_every(hold),
        f"with {FEW_GROUPS} groups the error is {span(few)} times that of all rows; at most {limit} times on "
        f"{counted(hold)}",
        numbers,
    )


@_claim("f7", "farahat-seconds", place="figure 1", choices=(_ENTRIES,), **_ON_SETS)
def _partition_is_cheap(records: Records, how: str = GIVEN) -> Outcome:
    """Greedy choice by partition costs little more than uniform sampling.

    Its median processor seconds are at most 5 times those of uniform sampling, K given, on every set.
    """
    ratios = _seconds_ratios(records, "partition_greedy", "uniform", how)
    hold = {name: value <= CHEAP for name, value in ratios.items()}
    return found(
        on_every(hold),
        f"{span(ratios.values())} times the seconds of uniform sampling (medians, {how}); at most {CHEAP:g} "
        f"times on {counted(hold)}",
        ratios,
    )


@_claim("f8", "farahat-recursion", place="equation 7", page="steps")
def _lean_recursion_agrees(records: Records) -> Outcome:
    """The recursion of two n-vectors picks the columns that the whole residual would pick.

    The pivots are the same, or part where the two criteria are within 1e-6 of each other, on every set.
    """
    agreed = {row.data: row for row in records if row.measure == "agreed"}
    parted = {row.data: row.value for row in records if row.measure == "parted"}
    same = {name: row.value == row.m for name, row in agreed.items()}
    return found(
        on_every({name: parted[name] <= TIE for name in agreed}),
        f"the same pivots to the end on {counted(same)}; where they part, the criteria differ by at most "
        f"{three_digits(max(parted.values()))}",
        {
            name: f"the first {row.value:.0f} of {row.m} pivots agree"
            + ("" if same[name] else f", then {three_digits(parted[name])}")
            for name, row in agreed.items()
        },
    )
