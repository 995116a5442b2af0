"""The claims of Oglic & Gärtner 2017, each with the test that decides it.

``data`` of the rows of figure 1 is the set's name and the bandwidth, ``elevators@gamma=0.0117 1/median``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from statistics import fmean, median

from nysviz.papers import statistics as stats
from nysviz.papers.claim import (
    Choice,
    Claim,
    Outcome,
    Verdict,
    both,
    claim,
    counted,
    found,
    on_every,
    on_most,
    untried,
)
from nysviz.papers.labels import STARTS, by_method, data_label, method_label
from nysviz.papers.oglic2017.figures import STANDARD, bandwidth_of
from nysviz.papers.oglic2017.lift import LANDMARKS, growth, landmark_count, rank_for
from nysviz.papers.oglic2017.measurements import SIZES
from nysviz.papers.records import Cells, Records
from nysviz.papers.row import catalog_name, set_of
from nysviz.text import percent, three_digits

CLAIMS: list[Claim] = []
_claim = partial(claim, "oglic", CLAIMS)

RIVALS = ("uniform", "leverage_approx", "dpp_10000")
LIFTED = ("kmeanspp", *RIVALS[1:])
# Lifts of at most so many times, up or down, are no help.
NO_HELP = 1.05
# Errors that are at most so many times another's are "as good".
AS_GOOD = 1.1
# "High cost" of the chain: seconds in those of k-means++.
COSTLY = 2.0
# Steps of the chain "at once", and when it has gone on for long.
FEW, MANY = 10, 1000


def larger_sketch(own: Records, _: Records) -> Records:
    """Return the rows with leverage scores from the sketch of 10 m in place of those from 2 m."""
    large = "leverage_approx_10m"
    if not len(own.where(method=large)):
        return Records()
    kept = (row for row in own if row.method != "leverage_approx")
    return Records(replace(row, method="leverage_approx") if row.method == large else row for row in kept)


def at_rows(n: int, own: Records, records: Records) -> Records:
    """Return the rows with the large data sets at another number of rows."""
    at_n = records.of("oglic-rows").where(n=n)
    names = {catalog_name(row.data) for row in at_n}
    kept = (row for row in own if len(at_n) and catalog_name(row.data) not in names)
    other = (replace(row, experiment="oglic-fig1", data=row.data.replace(f" {n}@", "@")) for row in at_n)
    return Records([*kept, *other])


def _cells(records: Records) -> Cells:
    return records.where(measure="relative_frobenius").cells()


def _lift(methods: Mapping[str, Mapping[int, float]], scheme: str) -> float:
    """Geometric mean of the lift over paired repeats."""
    uniform, other = methods.get("uniform", {}), methods.get(scheme, {})
    logs = [math.log(uniform[r] / other.get(r, other.get(0, math.nan))) for r in uniform if other]
    return math.exp(fmean(logs)) if logs else math.nan


_SETS = ("elevators", "ailerons", "cal_housing", "cpu", "ujil", "ct_slice")
_OF_ROWS = "the number of rows"
_ALL_ROWS = untried(_OF_ROWS, "at most 2000", "all")
_ROWS = (
    *(Choice(_OF_ROWS, "at most 2000", str(n), rows=partial(at_rows, n)) for n in SIZES),
    _ALL_ROWS,
)
_SKETCH = Choice("the sketch", "2 m", "10 m", rows=larger_sketch)
_SMALLER = Choice("the limit", "1.1", "1.05", {"limit": 1.05})
_BOUNDS = {
    "page": "bounds",
    "link": {"data": "elevators", "bounds_view": "Oglic, Li: against the best rank k"},
}


def _on_lift(**link: str) -> dict[str, object]:
    return {"page": "lift", "link": {"data": "elevators", **link}, "asked": _SETS}


@_claim(
    "o1",
    "oglic-fig1",
    place="figure 1",
    choices=_ROWS,
    **_on_lift(),
)
def _lift_above_one(records: Records) -> Outcome:
    """Landmarks from kernel k-means++ beat uniform ones over the whole range of bandwidths.

    Lift above 1 (Wilcoxon, Holm) at every bandwidth, on every set.
    """
    cells = _cells(records)
    signs = stats.duels(cells, "kmeanspp", "uniform")
    hold = {name: part == 1.0 for name, part in stats.shares(signs, 1).items()}
    lifts = {
        name: stats.span(_lift(of, "kmeanspp") for (data, _), of in cells.items() if set_of(data) == name)
        for name in hold
    }
    return found(
        on_every(hold, direction=2 * list(signs.values()).count(1) > len(signs)),
        f"{stats.ahead_and_behind(signs)}; at every bandwidth on {counted(hold)}",
        {name: f"{text}; lift {lifts[name]}" for name, text in stats.by_set(signs).items()},
    )


@_claim("o2", "oglic-fig1", place="figure 1", choices=(*_ROWS, _SKETCH), **_on_lift())
def _best_on_most(records: Records) -> Outcome:
    """They are the best of uniform, leverage-score and k-DPP landmarks on most sets.

    Ahead of all three at once (Wilcoxon, Holm) at more than half of the bandwidths, on more than half of
    the sets.
    """
    cells = _cells(records)
    hold, statistic, numbers = stats.against_all(cells, "kmeanspp", RIVALS)
    least = [
        all(
            stats.runs(of, "kmeanspp").mean() <= stats.runs(of, rival).mean()
            for rival in RIVALS
            if rival in of
        )
        for of in cells.values()
        if "kmeanspp" in of
    ]
    verdict = on_most(hold)
    if verdict is Verdict.NOT and 2 * sum(least) > len(least):
        verdict = Verdict.PARTLY
    return found(
        verdict,
        f"{statistic}, at most bandwidths on {counted(hold)}; the smallest mean in {percent(fmean(least))}",
        numbers,
    )


@_claim(
    "o3",
    "oglic-fig1",
    place="figure 1",
    choices=(*_ROWS, _SKETCH, Choice("the limit", "1.05", "1.1", {"limit": 1.1})),
    **_on_lift(),
)
def _no_help_at_identity(records: Records, limit: float = NO_HELP) -> Outcome:
    # The last of a set's bandwidths stays.
    """Where the kernel matrix is nearly the identity no choice helps.

    At the largest γ the lift of every scheme is between 1/1.05 and 1.05, on every set.
    """
    last = {
        set_of(cell[0]): of
        for cell, of in sorted(_cells(records).items(), key=lambda c: bandwidth_of(c[0][0]))
    }
    lifts = {name: {s: _lift(last[name], s) for s in LIFTED if s in last[name]} for name in records.data}
    hold = {name: all(1 / limit <= value <= limit for value in of.values()) for name, of in lifts.items()}
    return found(
        on_every(hold),
        f"lift between 1/{limit} and {limit} for every scheme at the largest γ on {counted(hold)}",
        {name: by_method(of) for name, of in lifts.items()},
    )


@_claim(
    "o4",
    "oglic-fig1",
    place="figure 1",
    page="lift",
    link={"data": "cal_housing"},
    asked=("cal_housing",),
    choices=(*_ROWS, _SKETCH, _SMALLER),
)
def _leverage_on_cal_housing(records: Records, limit: float = AS_GOOD) -> Outcome:
    """Approximate leverage scores are competitive, and clearly ahead on cal-housing.

    Ahead of k-means++ (Wilcoxon, Holm) at most bandwidths on cal_housing, and on some set with at most
    1.1 times its error (95 % interval) at most bandwidths.
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
        return found(Verdict.UNTESTED, "no recorded run on cal_housing", numbers)
    return found(
        both(ahead["cal_housing"] > 0.5, any(competitive.values())),
        f"on {data_label('cal_housing')} significantly better than k-means++ at "
        f"{percent(ahead['cal_housing'])} of the bandwidths; at most {limit} times its error at most "
        f"bandwidths on {counted(competitive)}",
        numbers,
    )


@_claim(
    "o5",
    "oglic-fig1",
    place="figures 1 and 2",
    choices=_ROWS,
    **_on_lift(lift_view="seconds against error"),
)
def _longer_chain(records: Records) -> Outcome:
    """From a uniform start, 10 000 steps of the k-DPP chain beat 1000; both are behind and cost much.

    More cells ahead than behind; behind k-means++ at most bandwidths on most sets; at least twice its
    seconds.
    """
    cells = _cells(records)
    longer = stats.duels(cells, "dpp_10000", "dpp")
    behind = stats.more_than_half(stats.shares(stats.duels(cells, "dpp_10000", "kmeanspp"), -1))
    methods = dict.fromkeys(row.method for row in records)
    seconds = {name: median(row.seconds for row in records if row.method == name) for name in methods}
    cost = seconds["dpp_10000"] / seconds["kmeanspp"]
    parts = {
        "better": sum(longer.values()) > 0,
        "behind": 2 * sum(behind.values()) > len(behind),
        "dear": cost >= COSTLY,
    }
    return found(
        on_every(parts),
        f"10 000 steps {stats.ahead_and_behind(longer)}; worse than k-means++ at most bandwidths on "
        f"{counted(behind)}; {three_digits(cost)} times its seconds",
        {method_label(name): f"median {three_digits(value)} s" for name, value in seconds.items()},
    )


@_claim("o6", "oglic-chain", place="section 4.2", choices=(_ALL_ROWS, _SMALLER), **_on_lift())
def _warm_chain(records: Records, limit: float = AS_GOOD) -> Outcome:
    """Started from k-means++ the chain does well at once.

    After 10 steps ahead of the chain from a uniform start (Wilcoxon), and at most 1.1 times the error
    that the latter has after 1000, at 1/median on every set.
    """
    cells = _cells(records)
    signs = stats.duels(cells, f"dpp_kmeanspp_{FEW}", f"dpp_uniform_{FEW}")
    ahead = {data: sign > 0 for (data, _), sign in signs.items()}
    settled, numbers = {}, {}
    for (name, _), methods in cells.items():
        means = {method: float(stats.runs(methods, method).mean()) for method in methods}
        settled[name] = means[f"dpp_kmeanspp_{FEW}"] <= limit * means[f"dpp_uniform_{MANY}"]
        for start in ("uniform", "kmeanspp"):
            of_start = {method: mean for method, mean in means.items() if method.startswith(f"dpp_{start}_")}
            numbers[f"{name}, {STARTS[start]}"] = ", ".join(
                f"after {method.rpartition('_')[2]} swaps {three_digits(mean)}"
                for method, mean in of_start.items()
            )
    return found(
        on_every({name: ahead[name] and settled[name] for name in settled}, direction=any(ahead.values())),
        f"after {FEW} steps better than the uniform start on {counted(ahead)}, and at most {limit} times "
        f"its error after {MANY} on {counted(settled)}",
        numbers,
    )


@_claim(
    "o7",
    "oglic-fig3",
    place="figure 3",
    choices=(_ALL_ROWS, untried("the sketch", "2 m", "10 m")),
    **_on_lift(lift_view="lift against rank"),
)
def _grows_with_rank(records: Records) -> Outcome:
    """The lift grows with the rank, fastest for kernel k-means++.

    The slope of the lift in K is positive and the largest of the schemes, on every set.
    """
    grows, fastest, numbers = {}, {}, {}
    for name, mine in records.by_data().items():
        cells = {m: of for (_, m), of in _cells(mine).items()}
        schemes = [scheme for scheme in LIFTED if all(scheme in of for of in cells.values())]
        slopes = {s: growth(list(cells), [_lift(of, s) for of in cells.values()]) for s in schemes}
        if "kmeanspp" in slopes:
            grows[name] = slopes["kmeanspp"] > 0
            fastest[name] = slopes["kmeanspp"] >= max(slopes.values())
            of_each = ", ".join(
                f"{method_label(s)} {stats.signed(value, '.2g')}" for s, value in slopes.items()
            )
            numbers[name] = f"a hundred ranks more: {of_each}"
    return found(
        on_every({name: grows[name] and fastest[name] for name in grows}, direction=any(grows.values())),
        f"lift of k-means++ grows with K on {counted(grows)}, fastest on {counted(fastest)}",
        numbers,
    )


@_claim(
    "o8", "oglic-ranks", place="section 5", choices=(_ALL_ROWS, _SMALLER), **_on_lift(lift_landmarks="k ln k")
)
def _fewer_landmarks_enough(records: Records, limit: float = AS_GOOD) -> Outcome:
    """For rank K, K ln K landmarks are as good as K ln n.

    The error with the fewer is at most 1.1 times that with the more (upper end of the 95 % interval of
    the geometric mean), on every set.
    """
    hold, numbers, middles = {}, {}, []
    errors_of = records.where(method="kmeanspp", measure="relative_frobenius")
    for name, n in records.sizes.items():
        few, many = (landmark_count(rank_for(n), n, rule) for rule in LANDMARKS[1:])
        mine = (row for row in errors_of if set_of(row.data) == name)
        errors = {(row.data, row.m, row.repeat): row.value for row in mine}
        logs = [
            math.log(value / errors[data, many, repeat])
            for (data, m, repeat), value in errors.items()
            if m == few and (data, many, repeat) in errors
        ]
        if few != many and logs:
            hold[name] = math.exp(stats.upper_end(logs)) <= limit
            middle, low, high = (math.exp(end) for end in stats.interval(logs))
            middles.append(middle)
            ratio = stats.with_interval((middle, low, high))
            numbers[name] = f"l = {few} against {many} ({percent(many / n)} of the rows): {ratio} times"
    return found(
        on_every(hold),
        f"error {stats.span(middles)} times as large; at most {limit} times on {counted(hold)}"
        if middles
        else "no set with two numbers of landmarks",
        numbers,
    )


def _up_to_standard(cells: Cells) -> Cells:
    """Cells at bandwidths γ up to 1/median: above it the matrix comes near the identity."""
    standard = {set_of(data): bandwidth_of(data) for data, _ in cells if STANDARD in data}
    return {
        cell: of
        for cell, of in cells.items()
        if bandwidth_of(cell[0]) <= standard.get(set_of(cell[0]), math.inf)
    }


@_claim(
    "o9",
    "oglic-fig1",
    place="section 4.3",
    choices=_ROWS,
    **_on_lift(),
)
def _refinement_helps(records: Records) -> Outcome:
    """For the Gaussian kernel a Lloyd refinement in the space of the data improves the landmarks.

    Ahead of plain k-means++ (Wilcoxon, Holm) at most bandwidths up to 1/median and behind at none, on
    every set.
    """
    signs = stats.duels(_up_to_standard(_cells(records)), "kmeanspp_lloyd", "kmeanspp")
    ahead, behind = stats.shares(signs, 1), stats.shares(signs, -1)
    most = stats.more_than_half(ahead)
    hold = {name: yes and behind[name] == 0 for name, yes in most.items()}
    return found(
        on_every(hold, direction=any(most.values())),
        f"{stats.ahead_and_behind(signs)} up to 1/median; at most bandwidths on {counted(hold)}",
        stats.by_set(signs),
    )


def _means(records: Records, measure: str) -> dict[str, float]:
    """Mean of a measure for each data set and K."""
    values = records.where(measure=measure).by("data", "m")
    return {f"{data}, K = {k}": float(of.mean()) for (data, k), of in values.items()}


@_claim("o10", "oglic-theorems", place="theorem 4", **_BOUNDS)
def _error_within_theorem(records: Records) -> Outcome:
    """The expected error is at most 8 (ln(K+1) + 2) (√(n − K) + Θ) times the best of rank K.

    The mean over the repeats is within the bound for every set and K; its condition is measured beside
    it.
    """
    errors, bounds = _means(records, "over_best"), _means(records, "bound")
    outside = _means(records, "outside_share").values()
    hold = {cell: value <= bounds[cell] for cell, value in errors.items()}
    condition = f"condition missed by {percent(min(outside))} to {percent(max(outside))}"
    return _within(
        errors, bounds, hold, f"mean error within the bound in {counted(hold, 'cells')}; {condition}"
    )


def _within(
    values: Mapping[str, float], bounds: Mapping[str, float], hold: Mapping[str, bool], statistic: str
) -> Outcome:
    """Return the outcome of a bound on a mean ratio, with both numbers of each cell."""
    numbers = {
        cell: f"{three_digits(value)} times the best, bound {three_digits(bounds[cell])}"
        for cell, value in values.items()
    }
    loose = stats.span(bounds[cell] / value for cell, value in values.items())
    return found(on_every(hold), f"{statistic}; bound / mean {loose}", numbers)


@_claim("o11", "oglic-theorems", place="theorem 3", **_BOUNDS)
def _potential_within_theorem(records: Records) -> Outcome:
    """Seeds of k-means++ have at most 8 (ln K + 2) times the optimal potential in expectation.

    The mean potential of the seeds over the best of as many Lloyd runs is within the bound for every set
    and K.
    """
    values, bounds = _means(records, "potential"), _means(records, "potential_bound")
    hold = {cell: value <= bounds[cell] for cell, value in values.items()}
    of_best = f"mean potential {stats.span(values.values())} times the best known"
    return _within(values, bounds, hold, f"{of_best}; within the bound in {counted(hold, 'cells')}")
