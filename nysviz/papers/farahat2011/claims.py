"""The claims of Farahat, Ghodsi & Kamel 2011, each with the test that decides it."""

from collections import defaultdict
from statistics import median

import numpy as np

from nysviz.papers import statistics as stats
from nysviz.papers.claim import ClaimChoice, ClaimOutcome, both, claim, limits, make_outcome, tally
from nysviz.papers.farahat2011.figure1 import COMPUTED, GIVEN
from nysviz.papers.labels import data_label, method_label
from nysviz.papers.records import Records
from nysviz.text import percent, three_digits

SAME = 1e-9  # accuracies whose relative difference is below this are equal

_ENTRIES = ClaimChoice("whether K is given", GIVEN, COMPUTED, {"how": COMPUTED})


@claim("f1")
def _recursion_equals_formula(records: Records) -> ClaimOutcome:
    """‖G Gᵀ − E W⁺ Eᵀ‖ is below 1e-8 of ‖K‖ for every way of choosing, on every set."""
    worst = {
        name: float(errors.max()) for name, errors in records.where(measure="difference").by("data").items()
    }
    return make_outcome(
        {name: value < 1e-8 for name, value in worst.items()},
        f"difference at most {three_digits(max(worst.values()))} of ‖K‖",
        worst,
    )


@claim("f2")
def _best_rank_d(records: Records) -> ClaimOutcome:
    """At every d its error is at most the classical one's, and in some case smaller, on every set."""
    values = {(r.data, r.method, r.m, r.repeat, r.measure): r.value for r in records}
    ratios: dict[str, list[float]] = defaultdict(list)
    for (data, method, m, repeat, measure), value in values.items():
        if measure.startswith("relative_accuracy_"):
            classical = values[data, method, m, repeat, measure.replace("relative", "classical")]
            ratios[data].append(value / classical)
    # The best rank d of K̃ is nearest to K̃, but need not be nearer to K in every single case.
    near = {name: sum(ratio >= 1 - SAME for ratio in gains) for name, gains in ratios.items()}
    hold = {name: near[name] == len(gains) and max(gains) > 1 + SAME for name, gains in ratios.items()}
    every = [ratio for gains in ratios.values() for ratio in gains]
    cases = sum(near.values())
    return make_outcome(
        hold,
        f"at least as near to K in {cases} of {len(every)} cases (d, columns, method); gain "
        f"{percent(median(every) - 1)} (median), {percent(max(every) - 1)} (largest)",
        {name: f"as near or nearer in {near[name]} of {len(gains)}" for name, gains in ratios.items()},
        partly=2 * cases > len(every),
    )


@claim("f3")
def _greedy_most_accurate(records: Records) -> ClaimOutcome:
    """More accurate than each of the three (Wilcoxon, Holm) at over half of the m, on every set."""
    cells = records.where(measure="relative_accuracy").cells()
    hold: dict[str, bool] = {}
    numbers: dict[str, str] = {}
    for rival in ("uniform", "adaptive_full", "adaptive_partial"):
        # The smaller accuracy is the rival's: +1 where greedy is ahead.
        signs = stats.duels(cells, rival, "greedy")
        numbers |= {
            f"{name}, against {method_label(rival)}": text for name, text in stats.by_set(signs).items()
        }
        for name, ahead in stats.more_than_half(stats.shares(signs, 1)).items():
            hold[name] = hold.get(name, True) and ahead
    statistic = f"significantly better than all three at over half of the numbers of columns on {tally(hold)}"
    return make_outcome(hold, statistic, numbers)


def _seconds_ratios(records: Records, first: str, second: str, how: str) -> dict[str, float]:
    """Return the ratio of two methods' median processor seconds, the median over m, by data set."""
    ratios: dict[str, list[float]] = defaultdict(list)
    pairs = stats.both_runs(records.of_experiments("farahat-seconds").cells(), first, second)
    for (data, _), (a, b) in pairs.items():
        name, _, entries = data.partition("@")
        if entries == how:
            ratios[name].append(float(np.median(a) / np.median(b)))
    return {name: median(values) for name, values in ratios.items()}


@claim("f4", _ENTRIES, *limits(1.05, 1.1))
def _greedy_beats_sgma(records: Records, how: str = GIVEN, limit: float = 1.05) -> ClaimOutcome:
    """SGMA is at most 1.05 times as accurate (95 % interval) at 90 % of the m, and slower, on every set."""
    cells = records.where(measure="relative_accuracy").cells()
    near = stats.share_of(stats.at_most(cells, "sgma", "greedy", limit))
    ratio = _seconds_ratios(records, "sgma", "greedy", how)
    accurate = {name: part >= 0.9 for name, part in near.items()}
    faster = {name: ratio.get(name, 0.0) > 1 for name in near}
    return make_outcome(
        {name: accurate[name] and faster[name] for name in near},
        f"as accurate on {tally(accurate)}; faster on {tally(faster)}",
        {
            name: f"as accurate at {percent(part)} of the numbers of columns; SGMA takes "
            f"{three_digits(ratio.get(name, np.nan))} times the seconds, {how}"
            for name, part in near.items()
        },
        partly=any(accurate.values()) or any(faster.values()),
    )


@claim("f5")
def _kmeans_varies(records: Records) -> ClaimOutcome:
    """Its median rank is first on one set, and its error at least 1.5 times the best one's on another."""
    ranks: dict[str, list[int]] = defaultdict(list)
    loss: dict[str, list[float]] = defaultdict(list)
    for (data, _), methods in records.where(measure="relative_accuracy").cells().items():
        means = {name: float(values.mean()) for name, values in methods.items()}
        if "kmeans" in means:
            ranks[data].append(1 + sum(value > means["kmeans"] for value in means.values()))
            loss[data].append(max(means.values()) / means["kmeans"])
    first = {name: median(values) <= 1.5 for name, values in ranks.items()}
    far = {name: median(values) >= 1.5 for name, values in loss.items()}
    # Joined by semicolons, since some titles contain commas.
    best, worst = (
        "; ".join(data_label(name) for name, yes in holds.items() if yes) or "none" for holds in (first, far)
    )
    return make_outcome(
        both(any(first.values()), any(far.values())),
        f"most accurate on {best}; error at least 1.5 times the best one's on {worst}",
        {
            name: f"median rank {median(values):g} of 7; "
            f"error {three_digits(median(loss[name]))} times the best"
            for name, values in ranks.items()
        },
    )


@claim("f6", *limits(1.1, 1.05))
def _few_groups_lose_little(records: Records, limit: float = 1.1) -> ClaimOutcome:
    """With 5 groups the error is at most 1.1 times that of greedy choice with all rows, on every set."""
    ratios = {
        data: {name: float(values.mean() / methods["greedy"].mean()) for name, values in methods.items()}
        for (data, _), methods in records.cells().items()
    }
    few = {data: method_ratios["partition_greedy_5"] for data, method_ratios in ratios.items()}
    hold = {data: value <= limit for data, value in few.items()}
    numbers = {}
    for data, method_ratios in ratios.items():
        in_order = sorted(method_ratios.items(), key=lambda pair: pair[1])
        named = [f"{name.replace('partition_greedy_', 'c = ')} {three_digits(x)}" for name, x in in_order]
        numbers[data] = f"error over greedy's: {', '.join(named)}"
    return make_outcome(
        hold,
        f"with 5 groups the error is {stats.span(few.values())} times that of all rows; at most {limit} "
        f"times on {tally(hold)}",
        numbers,
    )


@claim("f7", _ENTRIES)
def _partition_is_cheap(records: Records, how: str = GIVEN) -> ClaimOutcome:
    """Its median processor seconds are at most 5 times those of uniform sampling, K given, on every set."""
    ratios = _seconds_ratios(records, "partition_greedy", "uniform", how)
    hold = {name: value <= 5.0 for name, value in ratios.items()}
    statistic = f"{stats.span(ratios.values())} times the seconds of uniform sampling (medians, {how})"
    return make_outcome(hold, f"{statistic}; at most 5 times on {tally(hold)}", ratios)


@claim("f8")
def _lean_recursion_agrees(records: Records) -> ClaimOutcome:
    """The pivots are the same, or differ where both criteria agree within 1e-6, on every set."""
    agreed = {row.data: row for row in records.where(measure="agreed")}
    gaps = {row.data: row.value for row in records.where(measure="parted")}
    same = {name: row.value == row.m for name, row in agreed.items()}
    return make_outcome(
        {name: gaps[name] <= 1e-6 for name in agreed},
        f"the same pivots to the end on {tally(same)}; otherwise the criteria differ by at most "
        f"{three_digits(max(gaps.values()))}",
        {
            name: f"the first {row.value:.0f} of {row.m} pivots agree; the criteria then differ by "
            f"{three_digits(gaps[name])}"
            for name, row in agreed.items()
        },
    )
