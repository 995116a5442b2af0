"""The claims of Oglic & Gärtner 2017, each with the test that decides it."""

import math
from collections.abc import Mapping
from statistics import fmean

import numpy as np

from nysviz.numerics.blocks import FloatArray
from nysviz.papers import statistics as stats
from nysviz.papers.claim import (
    ClaimChoice,
    ClaimOutcome,
    both,
    claim,
    limits,
    make_outcome,
    on_most,
    tally,
    untried,
)
from nysviz.papers.labels import STARTS, by_method, data_label, method_label
from nysviz.papers.oglic2017.figures import SIZES, STANDARD, bandwidth_of
from nysviz.papers.oglic2017.lift import LANDMARKS, growth, landmark_count, rank_for
from nysviz.papers.records import Cells, Records, catalog_name, set_of
from nysviz.text import percent, three_digits

RIVALS = ("uniform", "leverage_approx", "dpp_10000")
LIFTED = ("kmeanspp", *RIVALS[1:])
FEW, MANY = 10, 1000  # steps of a short and of a long chain


def _larger_sketch(claim_records: Records, _: Records) -> Records:
    """Return the rows with leverage scores from the sketch of 10 m instead of 2 m."""
    large = claim_records.where(method="leverage_approx_10m")
    remaining = claim_records.select(
        lambda series: bool(large.series) and not series.method.startswith("leverage_approx")
    )
    renamed = (series._replace(method="leverage_approx") for series in large.series)
    return Records(series=(*remaining.series, *renamed))


def at_rows(n: int) -> ClaimChoice:
    """Return the choice of another number of rows of the large data sets."""

    def rows(claim_records: Records, records: Records) -> Records:
        records_at_n = records.of_experiments("oglic-rows").where(n=n)
        names = {catalog_name(name) for name in records_at_n.data}
        remaining = claim_records.select(
            lambda series: bool(records_at_n.series) and catalog_name(series.data) not in names
        )
        renamed = (
            series._replace(experiment="oglic-fig1", data=series.data.replace(f" {n}@", "@"))
            for series in records_at_n.series
        )
        return Records(series=(*remaining.series, *renamed))

    return ClaimChoice("the number of rows", "at most 2000", str(n), rows=rows)


def _cells(records: Records) -> Cells:
    return records.where(measure="relative_frobenius").cells()


def _lift(methods: Mapping[str, FloatArray], scheme: str) -> float:
    """Return the geometric mean of the lift over paired repeats."""
    return math.exp(float(np.log(methods["uniform"] / methods[scheme]).mean()))


_ALL_ROWS = untried("the number of rows", "at most 2000", "all")
_ROWS = (*map(at_rows, SIZES), _ALL_ROWS)
_SKETCH = ClaimChoice("the sketch", "2 m", "10 m", rows=_larger_sketch)


@claim("o1", *_ROWS)
def _lift_above_one(records: Records) -> ClaimOutcome:
    """Lift above 1 (Wilcoxon, Holm) at every bandwidth, on every set."""
    cells = _cells(records)
    signs = stats.duels(cells, "kmeanspp", "uniform")
    hold = stats.in_all({cell: sign > 0 for cell, sign in signs.items()})
    lifts = {
        name: stats.span(_lift(runs, "kmeanspp") for (data, _), runs in cells.items() if set_of(data) == name)
        for name in hold
    }
    return make_outcome(
        hold,
        f"{stats.ahead_and_behind(signs)}; at every bandwidth on {tally(hold)}",
        {name: f"{text}; lift {lifts[name]}" for name, text in stats.by_set(signs).items()},
        partly=2 * list(signs.values()).count(1) > len(signs),
    )


@claim("o2", *_ROWS, _SKETCH)
def _best_on_most(records: Records) -> ClaimOutcome:
    """Ahead of all three at once (Wilcoxon, Holm) at over half of bandwidths, on over half of the sets."""
    cells = _cells(records)
    hold, statistic, numbers = stats.against_all(cells, "kmeanspp", RIVALS)
    firsts = [
        runs["kmeanspp"].mean() <= min(runs[rival].mean() for rival in RIVALS) for runs in cells.values()
    ]
    return make_outcome(
        on_most(hold, partly=2 * sum(firsts) > len(firsts)),
        f"{statistic}, at over half of the bandwidths on {tally(hold)}; the smallest mean in "
        f"{percent(fmean(firsts))}",
        numbers,
    )


@claim("o3", *_ROWS, _SKETCH, *limits(1.05, 1.1))
def _no_help_at_identity(records: Records, limit: float = 1.05) -> ClaimOutcome:
    """At the largest γ the lift of every scheme is between 1/1.05 and 1.05, on every set."""
    # In ascending order, so that each set keeps its largest bandwidth.
    in_order = sorted(_cells(records).items(), key=lambda cell: bandwidth_of(cell[0][0]))
    last = {set_of(data): values for (data, _), values in in_order}
    lifts = {name: {s: _lift(last[name], s) for s in LIFTED} for name in records.data}
    hold = {
        name: all(1 / limit <= value <= limit for value in values.values()) for name, values in lifts.items()
    }
    return make_outcome(
        hold,
        f"lift between 1/{limit} and {limit} for every scheme at the largest γ on {tally(hold)}",
        {name: by_method(values) for name, values in lifts.items()},
    )


@claim("o4", *_ROWS, _SKETCH, *limits(stats.AS_GOOD, 1.05))
def _leverage_on_cal_housing(records: Records, limit: float = stats.AS_GOOD) -> ClaimOutcome:
    """At over half of the bandwidths ahead of k-means++ (Wilcoxon, Holm) on cal_housing, and on some set with
    at most 1.1 times its error (95 % interval).
    """
    cells = _cells(records)
    signs = stats.duels(cells, "leverage_approx", "kmeanspp")
    ahead = stats.shares(signs, 1)
    near = stats.share_of(stats.at_most(cells, "leverage_approx", "kmeanspp", limit))
    competitive = stats.more_than_half(near)
    numbers = {
        name: f"{text}, at most {limit} times the error at {percent(near[name])}"
        for name, text in stats.by_set(signs).items()
    }
    if "cal_housing" not in ahead:
        return make_outcome({}, "no recorded run on cal_housing", numbers)
    return make_outcome(
        both(ahead["cal_housing"] > 0.5, any(competitive.values())),
        f"on {data_label('cal_housing')} significantly better than k-means++ at "
        f"{percent(ahead['cal_housing'])} of the bandwidths; at most {limit} times its error at over half of "
        f"them on {tally(competitive)}",
        numbers,
    )


@claim("o5", *_ROWS)
def _longer_chain(records: Records) -> ClaimOutcome:
    """More cells ahead than behind; behind k-means++ at over half of the bandwidths on over half of the sets;
    at least twice its seconds.
    """
    cells = _cells(records)
    longer = stats.duels(cells, "dpp_10000", "dpp")
    behind = stats.more_than_half(stats.shares(stats.duels(cells, "dpp_10000", "kmeanspp"), -1))
    seconds = {name: float(np.median(times)) for name, times in records.by("method", array="seconds").items()}
    cost = seconds["dpp_10000"] / seconds["kmeanspp"]
    return make_outcome(
        {
            "better": sum(longer.values()) > 0,
            "behind": 2 * sum(behind.values()) > len(behind),
            "slow": cost >= 2.0,
        },
        f"10 000 steps {stats.ahead_and_behind(longer)}; worse than k-means++ at over half of the bandwidths "
        f"on {tally(behind)}; {three_digits(cost)} times its seconds",
        {method_label(name): f"median {three_digits(value)} s" for name, value in seconds.items()},
    )


@claim("o6", _ALL_ROWS, *limits(stats.AS_GOOD, 1.05))
def _warm_chain(records: Records, limit: float = stats.AS_GOOD) -> ClaimOutcome:
    """After 10 steps ahead of the uniform start (Wilcoxon), and at most 1.1 times its error after 1000, at
    1/median on every set.
    """
    cells = _cells(records)
    signs = stats.duels(cells, f"dpp_kmeanspp_{FEW}", f"dpp_uniform_{FEW}")
    ahead = {data: sign > 0 for (data, _), sign in signs.items()}
    settled, numbers = {}, {}
    for (name, _), methods in cells.items():
        means = {method: float(values.mean()) for method, values in methods.items()}
        settled[name] = means[f"dpp_kmeanspp_{FEW}"] <= limit * means[f"dpp_uniform_{MANY}"]
        for start in ("uniform", "kmeanspp"):
            numbers[f"{name}, {STARTS[start]}"] = ", ".join(
                f"after {method.rpartition('_')[2]} swaps {three_digits(mean)}"
                for method, mean in means.items()
                if method.startswith(f"dpp_{start}_")
            )
    return make_outcome(
        {name: ahead[name] and settled[name] for name in settled},
        f"after {FEW} steps better than the uniform start on {tally(ahead)}, and at most {limit} times "
        f"its error after {MANY} on {tally(settled)}",
        numbers,
        partly=any(ahead.values()),
    )


@claim("o7", _ALL_ROWS, untried("the sketch", "2 m", "10 m"))
def _grows_with_rank(records: Records) -> ClaimOutcome:
    """The slope of the lift in K is positive and the largest of the schemes, on every set."""
    grows, fastest, numbers = {}, {}, {}
    for name, mine in records.by_data().items():
        cells = {m: runs for (_, m), runs in _cells(mine).items()}
        slopes = {s: growth(list(cells), [_lift(runs, s) for runs in cells.values()]) for s in LIFTED}
        grows[name] = slopes["kmeanspp"] > 0
        fastest[name] = slopes["kmeanspp"] >= max(slopes.values())
        numbers[name] = f"a hundred ranks more: {by_method(slopes)}"
    return make_outcome(
        {name: grows[name] and fastest[name] for name in grows},
        f"lift of k-means++ grows with K on {tally(grows)}, fastest on {tally(fastest)}",
        numbers,
        partly=any(grows.values()),
    )


@claim("o8", _ALL_ROWS, *limits(stats.AS_GOOD, 1.05))
def _fewer_landmarks_enough(records: Records, limit: float = stats.AS_GOOD) -> ClaimOutcome:
    """Error at most 1.1 times that of the more (95 % interval of the geometric mean), on every set."""
    hold, numbers, middles = {}, {}, []
    runs = stats.runs(records, "relative_frobenius", "kmeanspp")
    for name, n in records.sizes.items():
        few, many = (landmark_count(rank_for(n), n, rule) for rule in LANDMARKS[1:])
        recorded_data = {data for data, _ in runs if set_of(data) == name}
        bandwidths = {data for data in recorded_data if {(data, few), (data, many)} <= runs.keys()}
        if few != many and bandwidths:
            logs = np.log(np.concatenate([runs[data, few] / runs[data, many] for data in bandwidths]))
            hold[name] = math.exp(stats.upper_end(logs)) <= limit
            middle, low, high = np.exp(stats.interval(logs))
            middles.append(middle)
            ratio = stats.with_interval((middle, low, high))
            numbers[name] = f"l = {few} against {many} ({percent(many / n)} of the rows): {ratio} times"
    statistic = f"error {stats.span(middles)} times as large; at most {limit} times on {tally(hold)}"
    return make_outcome(hold, statistic, numbers)


@claim("o9", *_ROWS)
def _refinement_helps(records: Records) -> ClaimOutcome:
    """Ahead of k-means++ (Wilcoxon, Holm) at over half of the bandwidths up to 1/median, behind at none, on
    every set.
    """
    cells = _cells(records)
    # Above 1/median the matrix comes near the identity.
    ends = {set_of(data): bandwidth_of(data) for data, _ in cells if STANDARD in data}
    below = {c: runs for c, runs in cells.items() if bandwidth_of(c[0]) <= ends.get(set_of(c[0]), math.inf)}
    signs = stats.duels(below, "kmeanspp_lloyd", "kmeanspp")
    behind = stats.shares(signs, -1)
    mostly_ahead = stats.more_than_half(stats.shares(signs, 1))
    hold = {name: yes and behind[name] == 0 for name, yes in mostly_ahead.items()}
    return make_outcome(
        hold,
        f"{stats.ahead_and_behind(signs)} up to 1/median; at over half of the bandwidths on {tally(hold)}",
        stats.by_set(signs),
        partly=any(mostly_ahead.values()),
    )


@claim("o10")
def _error_within_theorem(records: Records) -> ClaimOutcome:
    """The mean over the repeats is within the bound for every set and K."""
    measures = ("over_best", "bound", "outside_share")
    errors, bounds, outside = (stats.means(records, measure, "kmeanspp") for measure in measures)
    condition = f"condition missed by {percent(min(outside.values()))} to {percent(max(outside.values()))}"
    return stats.within_bounds(errors, bounds, "mean error", f"; {condition}")


@claim("o11")
def _potential_within_theorem(records: Records) -> ClaimOutcome:
    """The mean potential of the seeds over the best of as many Lloyd runs is within the bound."""
    measures = ("potential", "potential_bound")
    values, bounds = (stats.means(records, measure, "kmeanspp") for measure in measures)
    return stats.within_bounds(values, bounds, "mean potential of the seeds")
