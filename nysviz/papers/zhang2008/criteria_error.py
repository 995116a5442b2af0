"""Tests of the claims of Zhang, Tsang & Kwok 2008 about errors and bounds: z1 to z7 and z15."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache
from statistics import fmean, median

import numpy as np

from nysviz.papers.claim import Finding, Verdict, counted, found, on_every, on_most
from nysviz.papers.labels import in_words
from nysviz.papers.records import Records
from nysviz.papers.row import Row
from nysviz.papers.statistics import (
    duels,
    more_than_half,
    percent,
    runs,
    share_of,
    shares,
    signed,
    spearman,
    told,
    won_against_all,
)
from nysviz.papers.zhang2008.bound import holds, looseness, paired
from nysviz.papers.zhang2008.correlation import Correlation, correlation, within

# Proposition 1 is exact; so much is rounding.
EXACT = 1e-10
# A rank correlation from here on is called strong.
STRONG = 0.7
ORTHOGONAL, NOT_ORTHOGONAL = 1e-8, 1e-2
RIVALS = ("icd", "uniform", "column_norm")
# Sets on which icd has to be behind uniform sampling for "several".
SEVERAL = 2


def exact_between_landmarks(records: Records) -> Finding:
    """z1: the largest error of an entry between two landmarks."""
    rows = records.of("zhang-prop1", "entry_error")
    worst: dict[str, float] = defaultdict(float)
    for row in rows:
        worst[row.method] = max(worst[row.method], row.value)
    verdict = on_every({name: value < EXACT for name, value in worst.items()})
    largest = max(worst.values())
    return found(
        verdict,
        f"largest error {told(largest)} of the largest entry, {len(worst)} kernels",
        rows,
        [(f"largest error, {name} kernel", told(value)) for name, value in worst.items()],
    )


def within_bound(records: Records) -> Finding:
    """z2: whether every measured error is below its bound."""
    rows = records.of("zhang-prop3")
    sizes = {row.data: row.n for row in rows}
    held: dict[str, list[bool]] = defaultdict(list)
    loose: dict[str, list[float]] = defaultdict(list)
    for (data, *_), (error, bound) in paired(rows).items():
        held[data].append(holds(error, bound, sizes[data]))
        orders = looseness(bound, error)
        if not math.isnan(orders):
            loose[data].append(orders)
    verdict = on_every({name: all(yes) for name, yes in held.items()})
    total, good = sum(map(len, held.values())), sum(map(sum, held.values()))
    every = [orders for values in loose.values() for orders in values]
    middle = told(10.0 ** median(every)) if every else "–"
    return found(
        verdict,
        f"holds in {good} of {total} runs; the bound is {middle} times the error (median)",
        rows,
        [
            (
                name,
                f"{sum(yes)} of {len(yes)} runs; median 10^{median(loose[name]):.1f} times"
                if loose[name]
                else "–",
            )
            for name, yes in held.items()
        ],
    )


def printed_constants(records: Records) -> Finding:
    """z3: whether a quadruple was found that violates the printed constant of property (8)."""
    rows = records.of("zhang-property8")
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        values[row.method][row.measure] = max(row.value, values[row.method].get(row.measure, -math.inf))
    hold = {name: v["largest_ratio"] <= v["printed_constant"] * (1 + EXACT) for name, v in values.items()}
    over = {name: v["largest_ratio"] / v["printed_constant"] for name, v in values.items()}
    return found(
        on_every(hold),
        f"satisfied for {counted(hold, 'kernels')}; the ratio reaches up to {told(max(over.values()))} times "
        "the printed constant",
        rows,
        [
            (
                f"{name}, σ = 1",
                f"largest ratio {told(v['largest_ratio'])}, printed {told(v['printed_constant'])}, derived "
                f"{told(v['derived_constant'])}",
            )
            for name, v in values.items()
        ],
    )


# The same rows are judged with each of the other data sets left out, and the intervals take 2000 samples.
@lru_cache(maxsize=16)
def _correlations(rows: tuple[Row, ...]) -> tuple[Correlation, Correlation, str]:
    """Correlation of both errors over all runs, with the schemes taken out, and within each in words."""
    values = {(row.method, row.repeat, row.measure): row.value for row in rows}
    of_run = [(m, r) for m, r, measure in values if measure == "quantization"]
    methods = list(dict.fromkeys(m for m, _ in of_run))
    x = np.array([values[*run, "quantization"] for run in of_run])
    y = np.array([values[*run, "frobenius"] for run in of_run])
    groups = np.array([methods.index(m) for m, _ in of_run], dtype=np.intp)
    of_each = (
        f"{in_words(m)} {signed(spearman(x[groups == g], y[groups == g]))}" for g, m in enumerate(methods)
    )
    pooled = correlation(*within(x, y, groups), groups)
    return correlation(x, y, groups), pooled, ", ".join(of_each)


def errors_go_together(records: Records) -> Finding:
    """z4: rank correlation of both errors, over all runs and with the schemes taken out."""
    rows = records.of("zhang-fig2")
    strong, inside, numbers, overall = {}, {}, [], []
    for name, mine in rows.by_data().items():
        whole, pooled, of_each = _correlations(tuple(mine))
        strong[name] = whole.spearman >= STRONG and whole.spearman_interval[0] > 0
        inside[name] = pooled.spearman_interval[0] > 0
        overall.append(whole.spearman)
        low, high = whole.spearman_interval
        numbers.append(
            (
                name,
                f"all {whole.runs} runs {signed(whole.spearman)} ({signed(low)} … {signed(high)}); schemes "
                f"taken out {signed(pooled.spearman)}; {of_each}",
            )
        )
    both = {name: strong[name] and inside[name] for name in strong}
    return found(
        on_every(both, direction=any(strong.values()) or any(inside.values())),
        f"Spearman {signed(min(overall))} to {signed(max(overall))} over all runs, strong on "
        f"{counted(strong)}; "
        f"within the schemes positive on {counted(inside)}",
        rows,
        numbers,
    )


def kmeans_second_to_svd(records: Records) -> Finding:
    """z5: the share of (set, ratio) cells in which kmeans beats all three rivals."""
    rows = records.of("zhang-fig1", "frobenius")
    won = won_against_all(rows.cells(), "kmeans", RIVALS)
    parts = share_of(won)
    hold = more_than_half(parts)
    return found(
        on_most(hold),
        f"ahead of all three in {percent(fmean(won.values()))} of {len(won)} cells, in most of the ratios on "
        f"{counted(hold)}",
        rows,
        [(name, f"ahead at {percent(part)} of the ratios m/n") for name, part in parts.items()],
    )


def column_norm_no_better(records: Records) -> Finding:
    """z6: column-norm against uniform sampling."""
    rows = records.of("zhang-fig1", "frobenius")
    results = duels(rows.cells(), "column_norm", "uniform")
    better, worse = shares(results, 1), shares(results, -1)
    never = {name: part == 0 for name, part in better.items()}
    somewhere = any(worse.values())
    verdict = on_every(never, direction=somewhere)
    if verdict is Verdict.REPRODUCED and not somewhere:
        verdict = Verdict.PARTLY
    return found(
        verdict,
        f"better in {sum(d.sign > 0 for d in results)}, worse in {sum(d.sign < 0 for d in results)} of "
        f"{len(results)} cells; never better on {counted(never)}",
        rows,
        [
            (name, f"better at {percent(better[name])}, worse at {percent(worse[name])} of the ratios")
            for name in better
        ],
    )


def icd_follows_decay(records: Records) -> Finding:
    """z7: icd's error over that of uniform sampling, against how fast the best error falls."""
    rows = records.of("zhang-fig1", "frobenius")
    cells = rows.cells()
    behind = more_than_half(shares(duels(cells, "icd", "uniform"), -1))
    decay, excess = {}, {}
    for name in rows.data:
        mine = {m: methods for (data, m), methods in cells.items() if data == name}
        best = {m: runs(methods, "svd") for m, methods in sorted(mine.items()) if "svd" in methods}
        gaps = [
            math.log(runs(methods, "icd").mean() / runs(methods, "uniform").mean())
            for methods in mine.values()
            if "icd" in methods and "uniform" in methods
        ]
        if len(best) > 1 and gaps:
            first, *_, last = best.values()
            decay[name] = math.log10(float(first[0]) / float(last[0])) if last[0] > 0 else math.inf
            excess[name] = fmean(gaps)
    rho = spearman(list(decay.values()), [excess[name] for name in decay])
    several = sum(behind.values()) >= SEVERAL
    verdict = Verdict.REPRODUCED if several and rho < -0.5 else Verdict.NOT
    if verdict is Verdict.NOT and (several or rho < -0.5):
        verdict = Verdict.PARTLY
    return found(
        verdict,
        f"behind uniform sampling on {counted(behind)}; Spearman of its excess with the decay {told(rho, 2)}",
        rows,
        [
            (
                name,
                f"error {told(math.exp(excess[name]))} times that of uniform sampling; the best error "
                "falls by "
                f"10^{decay[name]:.1f} from the first ratio to the last",
            )
            for name in decay
        ],
    )


def orthogonal_form(records: Records) -> Finding:
    """z15: departure from orthonormal columns of both forms."""
    rows = records.of("zhang-prop4")
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        values[row.data][row.measure].append(row.value)
    hold = {
        name: max(v["departure_orthogonal"]) < ORTHOGONAL and min(v["departure_extension"]) > NOT_ORTHOGONAL
        for name, v in values.items()
    }
    flat = {
        form: [x for v in values.values() for x in v[f"departure_{form}"]]
        for form in ("orthogonal", "extension")
    }
    return found(
        on_every(hold),
        f"‖UᵀU − I‖ at most {told(max(flat['orthogonal']))}, of the plain extension "
        f"{told(min(flat['extension']))} "
        f"to {told(max(flat['extension']))}",
        rows,
        [
            (
                name,
                f"median largest angle to the exact vectors: {told(median(v['angle_orthogonal']))}° "
                f"orthogonal, {told(median(v['angle_extension']))}° plain",
            )
            for name, v in values.items()
        ],
    )
