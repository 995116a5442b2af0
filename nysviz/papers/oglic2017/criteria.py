"""Tests of the claims of Oglic & Gärtner 2017: o1 to o11.

``data`` of the rows of figure 1 is the set's name and the bandwidth, ``elevators@gamma=0.0117 1/median``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean, median

from nysviz.papers.claim import Finding, Verdict, catalog_name, counted, found, on_every, on_most
from nysviz.papers.labels import STARTS, data_in_words, in_words
from nysviz.papers.oglic2017.figure1 import STANDARD, bandwidth_of
from nysviz.papers.oglic2017.figure3 import growth
from nysviz.papers.oglic2017.lift import LANDMARKS, landmark_count
from nysviz.papers.oglic2017.running import rank_for
from nysviz.papers.records import Cells, Records
from nysviz.papers.statistics import (
    at_most,
    duels,
    interval,
    more_than_half,
    percent,
    runs,
    share_of,
    shares,
    signed,
    told,
    with_interval,
    won_against_all,
)
from nysviz.text import grouped

RIVALS = ("uniform", "leverage_approx", "dpp_10000")
# Lifts of at most so many times, up or down, are no help.
NO_HELP = 1.05
# Errors with fewer landmarks that are at most so many times those with more are "as good".
AS_GOOD = 1.1
# "High cost" of the chain: seconds in those of k-means++.
COSTLY = 2.0
# Steps of the chain "at once", and when it has gone on for long.
FEW, MANY = 10, 1000


def _cells(records: Records, experiment: str = "oglic-fig1") -> Cells:
    return records.of(experiment, "relative_frobenius").cells()


def _up_to_standard(cells: Cells) -> Cells:
    """Cells at bandwidths γ up to 1/median: above it the matrix comes near the identity."""
    standard = {data.partition("@")[0]: bandwidth_of(data) for data, _ in cells if STANDARD in data}
    return {
        cell: methods
        for cell, methods in cells.items()
        if bandwidth_of(cell[0]) <= standard.get(cell[0].partition("@")[0], math.inf)
    }


def _lift(methods: dict[str, dict[int, float]], scheme: str) -> float:
    """Geometric mean of the lift over paired repeats."""
    uniform, other = methods.get("uniform", {}), methods.get(scheme, {})
    logs = [math.log(uniform[r] / other.get(r, other.get(0, math.nan))) for r in uniform if other]
    return math.exp(fmean(logs)) if logs else math.nan


def _lift_range(cells: Cells, scheme: str, name: str) -> str:
    values = [_lift(of, scheme) for (data, _), of in cells.items() if data.partition("@")[0] == name]
    return f"{told(min(values))} to {told(max(values))}"


def lift_above_one(records: Records) -> Finding:
    """o1: kmeanspp against uniform sampling at every bandwidth."""
    rows = records.of("oglic-fig1", "relative_frobenius")
    results = duels(_cells(records), "kmeanspp", "uniform")
    above, below = shares(results, 1), shares(results, -1)
    hold = {name: part == 1.0 for name, part in above.items()}
    most = sum(d.sign > 0 for d in results)
    return found(
        on_every(hold, direction=2 * most > len(results)),
        f"lift above 1 by more than chance in {most} of {len(results)} cells (set, bandwidth), below in "
        f"{sum(d.sign < 0 for d in results)}; at every bandwidth on {counted(hold)}",
        rows,
        [
            (
                n,
                f"above at {percent(above[n])}, below at {percent(below[n])}; lift "
                f"{_lift_range(_cells(records), 'kmeanspp', n)}",
            )
            for n in above
        ],
    )


def best_on_most(records: Records) -> Finding:
    """o2: kmeanspp against uniform, approximate leverage and the chain of 10 000 steps."""
    cells = _cells(records)
    won = won_against_all(cells, "kmeanspp", RIVALS)
    parts = share_of(won)
    hold = more_than_half(parts)
    least = {
        cell: all(runs(of, "kmeanspp").mean() <= runs(of, rival).mean() for rival in RIVALS if rival in of)
        for cell, of in cells.items()
        if "kmeanspp" in of
    }
    verdict = on_most(hold)
    if verdict is Verdict.NOT and 2 * sum(least.values()) > len(least):
        verdict = Verdict.PARTLY
    rows = records.of("oglic-fig1", "relative_frobenius")
    return found(
        verdict,
        f"ahead of all three by more than chance in {percent(fmean(won.values()))} of {len(won)} cells, "
        f"at most bandwidths on {counted(hold)}; the smallest mean in {percent(fmean(least.values()))}",
        rows,
        [(name, f"ahead at {percent(part)} of the bandwidths") for name, part in parts.items()],
    )


def no_help_at_identity(records: Records, limit: float = NO_HELP) -> Finding:
    """o3: lift of every scheme at the largest γ."""
    cells = _cells(records)
    hold, numbers = {}, []
    for name in records.of("oglic-fig1").data:
        last = max((c for c in cells if c[0].partition("@")[0] == name), key=lambda c: bandwidth_of(c[0]))
        lifts = {
            scheme: _lift(cells[last], scheme)
            for scheme in ("kmeanspp", *RIVALS[1:])
            if scheme in cells[last]
        }
        hold[name] = all(1 / limit <= value <= limit for value in lifts.values())
        numbers.append(
            (name, ", ".join(f"{in_words(scheme)} {told(value)}" for scheme, value in lifts.items()))
        )
    return found(
        on_every(hold),
        f"lift between 1/{limit} and {limit} for every scheme at the right end on {counted(hold)}",
        records.of("oglic-fig1", "relative_frobenius"),
        numbers,
    )


def leverage_on_cal_housing(records: Records, limit: float = AS_GOOD) -> Finding:
    """o4: approximate leverage scores against kmeanspp, cal_housing apart."""
    cells = _cells(records)
    results = duels(cells, "leverage_approx", "kmeanspp")
    ahead, behind = shares(results, 1), shares(results, -1)
    near = share_of(at_most(cells, "leverage_approx", "kmeanspp", limit))
    competitive = more_than_half(near)
    rows = records.of("oglic-fig1", "relative_frobenius")
    numbers = [
        (
            n,
            f"ahead at {percent(ahead[n])}, behind at {percent(behind[n])}, at most {limit} times the error "
            f"at {percent(near[n])}",
        )
        for n in ahead
    ]
    if "cal_housing" not in ahead:
        return found(Verdict.UNTESTED, "no recorded run on cal_housing", rows, numbers)
    wins, close = ahead["cal_housing"] > 0.5, any(competitive.values())
    verdict = Verdict.REPRODUCED if wins and close else Verdict.PARTLY if wins or close else Verdict.NOT
    return found(
        verdict,
        f"on {data_in_words('cal_housing')} ahead of kernel k-means++ at {percent(ahead['cal_housing'])} "
        f"of the bandwidths; at most {limit} times its error at most bandwidths on {counted(competitive)}",
        rows,
        numbers,
    )


def longer_chain(records: Records) -> Finding:
    """o5: chains of 1000 and 10 000 steps from a uniform start, against each other and kmeanspp."""
    cells = _cells(records)
    rows = records.of("oglic-fig1", "relative_frobenius")
    longer = duels(cells, "dpp_10000", "dpp")
    better = sum(d.sign > 0 for d in longer) > sum(d.sign < 0 for d in longer)
    behind = more_than_half(shares(duels(cells, "dpp_10000", "kmeanspp"), -1))
    seconds: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        seconds[row.method].append(row.seconds)
    cost = median(seconds["dpp_10000"]) / median(seconds["kmeanspp"])
    parts = (better, 2 * sum(behind.values()) > len(behind), cost >= COSTLY)
    verdict = Verdict.REPRODUCED if all(parts) else Verdict.PARTLY if any(parts) else Verdict.NOT
    return found(
        verdict,
        f"10 000 steps ahead of 1000 in {sum(d.sign > 0 for d in longer)} of {len(longer)} cells, behind in "
        f"{sum(d.sign < 0 for d in longer)}; behind kernel k-means++ at most bandwidths on "
        f"{counted(behind)}; "
        f"{told(cost)} times its seconds",
        rows,
        [
            (in_words(scheme), f"median {told(median(values))} s")
            for scheme, values in seconds.items()
            if values
        ],
    )


def warm_chain(records: Records, limit: float = AS_GOOD) -> Finding:
    """o6: errors of the chain after few and after many steps, from both starts."""
    rows = records.of("oglic-chain", "relative_frobenius")
    cells = rows.cells()
    ahead = {d.cell[0]: d.sign > 0 for d in duels(cells, f"dpp_kmeanspp_{FEW}", f"dpp_uniform_{FEW}")}
    settled, numbers = {}, []
    for (name, _), methods in cells.items():
        means = {method: float(runs(methods, method).mean()) for method in methods}
        settled[name] = means[f"dpp_kmeanspp_{FEW}"] <= limit * means[f"dpp_uniform_{MANY}"]
        numbers += [
            (
                f"{name}, {STARTS[start]}",
                ", ".join(
                    f"after {method.rpartition('_')[2]} swaps {told(mean)}"
                    for method, mean in means.items()
                    if method.startswith(f"dpp_{start}_")
                ),
            )
            for start in ("uniform", "kmeanspp")
        ]
    both = {name: ahead[name] and settled[name] for name in settled}
    return found(
        on_every(both, direction=any(ahead.values())),
        f"after {FEW} steps ahead of the uniform start on {counted(ahead)}, and at most {limit} times the "
        f"error that the uniform start has after {MANY} on {counted(settled)}",
        rows,
        numbers,
    )


def grows_with_rank(records: Records) -> Finding:
    """o7: growth of the lift in K, of kmeanspp and of the others."""
    cells = _cells(records, "oglic-fig3")
    names = records.of("oglic-fig3").data
    grows, fastest, numbers = {}, {}, []
    for name in names:
        mine = {m: of for (data, m), of in cells.items() if data == name}
        schemes = [s for s in ("kmeanspp", *RIVALS[1:]) if all(s in of for of in mine.values())]
        slopes = {s: growth(list(mine), [_lift(of, s) for of in mine.values()]) for s in schemes}
        if "kmeanspp" not in slopes:
            continue
        grows[name] = slopes["kmeanspp"] > 0
        fastest[name] = slopes["kmeanspp"] >= max(slopes.values())
        numbers.append(
            (
                name,
                "a hundred ranks more: "
                + ", ".join(f"{in_words(s)} {signed(v, '.2g')}" for s, v in slopes.items()),
            )
        )
    both = {name: grows[name] and fastest[name] for name in grows}
    return found(
        on_every(both, direction=any(grows.values())),
        f"lift of kernel k-means++ grows with K on {counted(grows)}, faster than that of the others on "
        f"{counted(fastest)}",
        records.of("oglic-fig3", "relative_frobenius"),
        numbers,
    )


def fewer_landmarks_enough(records: Records, limit: float = AS_GOOD) -> Finding:
    """o8: error of kmeanspp with K ln K landmarks over that with K ln n."""
    rows = records.of("oglic-ranks", "relative_frobenius").where(method="kmeanspp")
    hold, numbers, middles = {}, [], []
    for name in rows.data:
        mine = Records(row for row in rows if row.data.partition("@")[0] == name)
        n, rank = mine[0].n, rank_for(mine[0].n)
        few, many = (landmark_count(rank, n, rule) for rule in LANDMARKS[1:])
        errors = {(row.data, row.m, row.repeat): row.value for row in mine}
        logs = [
            math.log(value / errors[data, many, repeat])
            for (data, m, repeat), value in errors.items()
            if m == few and (data, many, repeat) in errors
        ]
        if few != many and logs:
            ends = tuple(math.exp(value) for value in interval(logs))
            hold[name] = (ends[0] if math.isnan(ends[2]) else ends[2]) <= limit
            middles.append(ends[0])
            numbers.append(
                (
                    name,
                    f"l = {few} against {many} ({percent(many / n)} of the rows): "
                    f"{with_interval((ends[0], ends[1], ends[2]))} times",
                )
            )
    return found(
        on_every(hold),
        f"error {told(min(middles))} to {told(max(middles))} times as large; at most {limit} times on "
        f"{counted(hold)}"
        if middles
        else "no set with two numbers of landmarks",
        rows,
        numbers,
    )


def refinement_helps(records: Records) -> Finding:
    """o9: kmeanspp_lloyd against kmeanspp."""
    results = duels(_up_to_standard(_cells(records)), "kmeanspp_lloyd", "kmeanspp")
    ahead, behind = shares(results, 1), shares(results, -1)
    hold = {name: part > 0.5 and behind[name] == 0 for name, part in ahead.items()}
    return found(
        on_every(hold, direction=any(part > 0.5 for part in ahead.values())),
        f"ahead in {sum(d.sign > 0 for d in results)} of {len(results)} cells up to 1/median, behind in "
        f"{sum(d.sign < 0 for d in results)}; at most bandwidths on {counted(hold)}",
        records.of("oglic-fig1", "relative_frobenius"),
        [(n, f"ahead at {percent(ahead[n])}, behind at {percent(behind[n])}") for n in ahead],
    )


def _means(records: Records, measure: str) -> dict[tuple[str, int], float]:
    rows = records.of("oglic-theorems", measure)
    return {cell: float(runs(of, "kmeanspp").mean()) for cell, of in rows.cells().items()}


def error_within_theorem(records: Records) -> Finding:
    """o10: mean relative error against the bound of theorem 4; and its condition."""
    errors, bounds = _means(records, "over_best"), _means(records, "bound")
    outside = _means(records, "outside_share")
    hold = {f"{data}, K = {k}": value <= bounds[data, k] for (data, k), value in errors.items()}
    loose = [bounds[cell] / value for cell, value in errors.items()]
    return found(
        on_every(hold),
        f"mean error within the bound in {counted(hold, 'cells')}, {told(min(loose))} to "
        f"{told(max(loose))} times "
        f"below; its condition is missed by {percent(min(outside.values()))} to "
        f"{percent(max(outside.values()))}",
        records.of("oglic-theorems"),
        [
            (f"{data}, K = {k}", f"{told(value)} times the best, bound {told(bounds[data, k])}")
            for (data, k), value in errors.items()
        ],
    )


def potential_within_theorem(records: Records) -> Finding:
    """o11: mean potential of the seeds over the best one known, against 8 (ln K + 2)."""
    values, bounds = _means(records, "potential"), _means(records, "potential_bound")
    hold = {f"{data}, K = {k}": value <= bounds[data, k] for (data, k), value in values.items()}
    return found(
        on_every(hold),
        f"mean potential {told(min(values.values()))} to {told(max(values.values()))} times the best known; "
        f"within the bound in {counted(hold, 'cells')}",
        records.of("oglic-theorems"),
        [
            (f"{data}, K = {k}", f"{told(value)} times, bound {told(bounds[data, k])}")
            for (data, k), value in values.items()
        ],
    )


def larger_sketch(own: Records, _: Records) -> Records:
    """Return the rows with leverage scores from the sketch of 10 m in place of those from 2 m."""
    large = "leverage_approx_10m"
    if not any(row.method == large for row in own):
        return Records()
    kept = (row for row in own if row.method != "leverage_approx")
    return Records(replace(row, method="leverage_approx") if row.method == large else row for row in kept)


def at_rows(n: int, own: Records, records: Records) -> Records:
    """Return the rows with the large data sets at another number of rows."""
    at_n = [row for row in records.of("oglic-rows") if row.n == n]
    names = {catalog_name(row.data) for row in at_n}
    kept = (row for row in own if at_n and catalog_name(row.data) not in names)
    other = (replace(row, experiment="oglic-fig1", data=row.data.replace(f" {n}@", "@")) for row in at_n)
    return Records([*kept, *other])


def lift_by_rows(records: Records, *, schemes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the lift of schemes at several numbers of rows, at the smallest γ and at 1/median."""
    cells = {**_cells(records, "oglic-rows"), **_cells(records)}
    sizes = {row.data: row.n for name in ("oglic-rows", "oglic-fig1") for row in records.of(name)}
    for name in sorted({catalog_name(row.data) for row in records.of("oglic-rows")}):
        mine = {data: of for (data, _), of in cells.items() if catalog_name(data) == name}
        standard = next(data for data in mine if STANDARD in data)
        for gamma, scheme in product((min(map(bandwidth_of, mine)), bandwidth_of(standard)), schemes):
            lifts = sorted(
                (sizes[data], _lift(of, scheme))
                for data, of in mine.items()
                if bandwidth_of(data) == gamma and scheme in of
            )
            text = ", ".join(f"{told(lift)} on {grouped(n)}" for n, lift in lifts)
            yield f"{name}, γ = {told(gamma)}, lift of {in_words(scheme)} by the number of rows", text
