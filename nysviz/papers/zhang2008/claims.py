"""The claims of Zhang, Tsang & Kwok 2008, each with the test that decides it."""

import math
from dataclasses import replace
from statistics import fmean, median

import numpy as np

from nysviz.analysis.learning.feature_trial import LEVEL
from nysviz.numerics.blocks import FloatArray
from nysviz.papers import statistics as stats
from nysviz.papers.claim import (
    ClaimChoice,
    ClaimOutcome,
    both,
    claim,
    fewer_trials,
    make_outcome,
    on_most,
    tally,
)
from nysviz.papers.labels import by_method, method_label
from nysviz.papers.output import published
from nysviz.papers.records import Records
from nysviz.papers.zhang2008.figure2 import Cloud, correlations
from nysviz.papers.zhang2008.table4 import (
    CONFIDENCE,
    EXACT,
    MEASURES,
    MethodErrors,
    collect_errors,
    confidence_smaller,
)
from nysviz.text import signed, three_digits

# Exact statements hold up to rounding, relative to the largest entry of K, a constant or n.
ROUNDING, ROUNDING_OF_SUMS = 1e-10, 1e-12
RIVALS = ("icd", "uniform", "column_norm")
SCHEMES = ("kmeans", *RIVALS)
# Table 1 as exponents of n and m, and how far fitted ones may be off.
STATED = {"uniform": (1.0, 0.0), "column_norm": (2.0, 0.0), "kmeans": (1.0, 1.0), "icd": (1.0, 2.0)}
EXPONENT = 0.35

_TRIALS = fewer_trials(20, 10)
_KERNEL = ClaimChoice("the test kernel", "exact", "restricted", {"kernel": "test_error_restricted"})


@claim("z1")
def _no_error_between_landmarks(records: Records) -> ClaimOutcome:
    """No error between landmarks is above 1e-10 of the largest entry, for all kernels."""
    worst = {f"{name} kernel": float(errors.max()) for name, errors in records.by("method").items()}
    return make_outcome(
        {name: value < ROUNDING for name, value in worst.items()},
        f"error at most {three_digits(max(worst.values()))} of the largest entry; {len(worst)} kernels",
        worst,
    )


@claim("z2")
def _within_bound(records: Records) -> ClaimOutcome:
    """Every run is within the bound with the derived constant C, on every set."""
    hold, numbers, every = {}, {}, np.array([])
    for name, mine in records.by_data().items():
        errors, bounds = (mine.where(measure=measure).values() for measure in ("frobenius", "bound"))
        within_bound = errors <= bounds + ROUNDING_OF_SUMS * mine.series[0].n
        loose = np.log10(bounds / errors, where=errors * bounds > 0, out=np.full(len(errors), math.nan))
        hold[name] = bool(within_bound.all())
        numbers[name] = f"holds in {within_bound.sum()} of {len(errors)} runs; {_loose(loose)}"
        every = np.append(every, loose)
    return make_outcome(hold, f"holds in every run on {tally(hold)}; {_loose(every)}", numbers)


def _loose(orders: FloatArray) -> str:
    """Write the median of bound over error, from its orders of magnitude."""
    return f"bound / error {three_digits(10.0 ** np.nanmedian(orders))} (median)"


@claim("z3")
def _printed_constants(records: Records) -> ClaimOutcome:
    """No quadruple of a random search exceeds the printed constant."""
    largest = {key: float(values.max()) for key, values in records.by("method", "measure").items()}
    kernels = dict.fromkeys(method for method, _ in largest)
    over = {name: largest[name, "largest_ratio"] / largest[name, "printed_constant"] for name in kernels}
    hold = {name: ratio <= 1 + ROUNDING for name, ratio in over.items()}
    numbers = {f"{name}, σ = 1, {kind.replace('_', ' ')}": value for (name, kind), value in largest.items()}
    worst = f"largest ratio / constant {three_digits(max(over.values()))}"
    return make_outcome(hold, f"satisfied for {tally(hold, 'kernels')}; {worst}", numbers)


@claim("z4")
def _errors_go_together(records: Records) -> ClaimOutcome:
    """Spearman over all runs at least 0.7, its interval above 0, also within the schemes, on every set."""
    strong, inside, numbers, overall = {}, {}, {}, []
    for name, mine in records.by_data().items():
        runs, errors = mine.where(measure="quantization"), mine.where(measure="frobenius").values()
        methods = tuple(dict.fromkeys(series.method for series in runs.series))
        groups = np.concatenate([0 * series.repeats + methods.index(series.method) for series in runs.series])
        by_group = correlations(Cloud(methods, groups, groups, runs.values(), errors, errors))
        whole, pooled = by_group.pop("all_runs"), by_group.pop("methods_taken_out")
        strong[name] = whole.spearman >= 0.7 and whole.spearman_interval[0] > 0
        inside[name] = pooled.spearman_interval[0] > 0
        overall.append(whole.spearman)
        numbers[name] = (
            f"all {whole.runs} runs {stats.with_interval((whole.spearman, *whole.spearman_interval))}; "
            f"schemes taken out {signed(pooled.spearman)}; "
            f"{by_method({name: correlation.spearman for name, correlation in by_group.items()})}"
        )
    return make_outcome(
        {name: strong[name] and inside[name] for name in strong},
        f"Spearman {stats.span(overall)}, strong on {tally(strong)}; within the schemes positive on "
        f"{tally(inside)}",
        numbers,
        partly=any(strong.values()) or any(inside.values()),
    )


@claim("z5", _TRIALS)
def _kmeans_second_to_svd(records: Records) -> ClaimOutcome:
    """Ahead of the three others at once (Wilcoxon, Holm) at over half of ten ratios, on over half of sets."""
    hold, statistic, numbers = stats.against_all(records.cells(), "kmeans", RIVALS)
    return make_outcome(on_most(hold), f"{statistic}, at over half of the ratios on {tally(hold)}", numbers)


@claim("z6", _TRIALS)
def _column_norm_no_better(records: Records) -> ClaimOutcome:
    """Never ahead of uniform sampling (Wilcoxon, Holm) on any set, and behind in some cell."""
    signs = stats.duels(records.cells(), "column_norm", "uniform")
    never = {name: share == 0 for name, share in stats.shares(signs, 1).items()}
    return make_outcome(
        both(all(never.values()), -1 in signs.values()),
        f"{stats.ahead_and_behind(signs)}; never better on {tally(never)}",
        stats.by_set(signs),
    )


@claim("z7")
def _icd_follows_decay(records: Records) -> ClaimOutcome:
    """Behind uniform at over half of ratios on two sets; Spearman of excess error and decay below −0.5."""
    cells = records.cells()
    behind = stats.more_than_half(stats.shares(stats.duels(cells, "icd", "uniform"), -1))
    decay, excess = {}, {}
    for name in records.data:
        mine = [runs for (data, _), runs in sorted(cells.items(), key=lambda cell: cell[0]) if data == name]
        best = [float(runs["svd"][0]) for runs in mine if "svd" in runs]
        both_there = [runs for runs in mine if "icd" in runs and "uniform" in runs]
        if len(best) > 1 and both_there:
            decay[name] = math.log10(best[0] / best[-1]) if best[-1] > 0 else math.inf
            excess[name] = fmean(math.log(runs["icd"].mean() / runs["uniform"].mean()) for runs in both_there)
    rho = stats.spearman(list(decay.values()), list(excess.values()))
    return make_outcome(
        both(sum(behind.values()) >= 2, rho < -0.5),
        f"behind uniform sampling on {tally(behind)}; Spearman with the decay {signed(rho)}",
        {
            name: f"error {three_digits(math.exp(excess[name]))} times that of uniform sampling; the best "
            f"error falls by 10^{decay[name]:.1f}"
            for name in decay
        },
    )


@claim("z8", _TRIALS)
def _kmeans_least_misaligned(records: Records) -> ClaimOutcome:
    """Less misaligned than all three others (Wilcoxon, Holm) on over half of the sets, m = 0.05 n."""
    cells = {cell: runs for cell, runs in records.cells().items() if set(runs) & set(SCHEMES)}
    hold, _, _ = stats.against_all(cells, "kmeans", RIVALS)
    behind = {rival: list(stats.duels(cells, "kmeans", rival).values()).count(-1) for rival in RIVALS}
    numbers = stats.methods_in_cells(cells, SCHEMES)
    numbers[f"sets where {method_label('kmeans')} are behind"] = by_method(behind)
    return make_outcome(on_most(hold), f"significantly smaller than all three on {tally(hold)}", numbers)


@claim("z9")
def _misalignment_as_printed(records: Records) -> ClaimOutcome:
    """Each mean is within three printed standard deviations, or 10 % where nothing is random."""
    measured, cells = records.by("data", "method"), published("zhang2008_table3_error")
    hold, numbers = {}, {}
    for cell in cells:
        key = cell["data"], cell["method"]
        if key in measured:
            mean, printed = float(measured[key].mean()), float(cell["mean"])
            allowed = 3.0 * float(cell["std"]) if cell["std"] else 0.1 * printed
            hold[key] = abs(mean - printed) <= allowed
            numbers[f"{cell['data']}, {method_label(cell['method'])}"] = (
                f"{three_digits(mean)}, printed {three_digits(printed)} ± {three_digits(allowed)}"
                f"{'' if hold[key] else ', too far'}"
            )
    statistic = f"{tally(hold, 'printed cells')} agree; not tested: {len(cells) - len(hold)} more"
    sets = {data for data, _ in hold}
    outcome = make_outcome(hold, statistic, numbers | untested_cells("table 3"))
    return replace(outcome, data=tuple(name for name in records.data if name in sets))


_LANCZOS = ClaimChoice("the eigensolver", "LAPACK, all pairs", "Lanczos, three pairs", {"exact": "lanczos"})


@claim("z10", _LANCZOS)
def _cheaper_than_svd(records: Records, exact: str = "svd") -> ClaimOutcome:
    """All eigenvectors take at least ten times the seconds of every scheme, on every set."""
    ratios = {}
    for name, mine in records.by_data().items():
        seconds = mine.by("method", array="seconds")
        by_scheme = {
            m: fmean(seconds[exact]) / fmean(seconds[m]) for m in SCHEMES if {exact, m} <= seconds.keys()
        }
        if by_scheme:
            ratios[name] = by_scheme
    hold = {data: min(by_scheme.values()) >= 10.0 for data, by_scheme in ratios.items()}
    every = [ratio for by_scheme in ratios.values() for ratio in by_scheme.values()]
    return make_outcome(
        hold,
        f"{stats.span(every)} times cheaper; at least 10 times with every scheme on {tally(hold)}",
        {data: by_method(by_scheme, " times") for data, by_scheme in ratios.items()},
        partly=min(every, default=0.0) > 1,
    )


@claim("z11")
def _orders_of_cost(records: Records) -> ClaimOutcome:
    """Slopes of processor seconds in log n and log m are within 0.35 of these exponents."""
    hold, numbers = {}, {}
    for method, stated in STATED.items():
        fitted = [0.0, 0.0]
        for i, size in enumerate("nm"):
            rows = records.where(method=method, data=f"random points@{size} varied")
            if stated[i]:
                fitted[i] = stats.slope([getattr(row, size) for row in rows], rows.values())
        hold[method] = all(abs(a - b) <= EXPONENT for a, b in zip(fitted, stated, strict=True))
        text, stated_text = (f"n^{n:.2f} · m^{m:.2f}" for n, m in (fitted, stated))
        numbers[method_label(method)] = f"{text}; stated {stated_text}"
    schemes = tally(hold, "schemes")
    return make_outcome(hold, f"exponents within {EXPONENT} of the stated ones for {schemes}", numbers)


@claim("z12", _KERNEL, _TRIALS)
def _kmeans_classifies_best(records: Records, kernel: str = MEASURES[0]) -> ClaimOutcome:
    """99.5 % confidence (one-sided t-test) against all three others on every pair; exact test kernel."""
    level, pairs = CONFIDENCE[0.05], collect_errors(records, kernel)[0.05]
    sure = {
        rival: {
            name: confidence_smaller(runs["kmeans"], runs[rival]) >= level
            for (name, _), runs in pairs.items()
            if "kmeans" in runs and rival in runs
        }
        for rival in RIVALS
    }
    hold = {name: all(by_pair[name] for by_pair in sure.values()) for name in sure["uniform"]}
    numbers = {f"better than {method_label(rival)}": tally(yes, "pairs") for rival, yes in sure.items()}
    statistic = f"better than all three with {100 * level:g} % confidence on {tally(hold, 'pairs')}"
    return make_outcome(hold, statistic, numbers | untested_cells("table 4"))


def _best_rival(runs: MethodErrors) -> FloatArray:
    return min((runs[rival] for rival in RIVALS if rival in runs), key=lambda errors: float(errors.mean()))


def are_equal(ours: FloatArray, theirs: FloatArray, margin: float) -> bool:
    """Return whether two means differ by less than a margin: two one-sided Welch tests (Schuirmann 1987)."""
    below = confidence_smaller(ours - margin, theirs)
    above = 1.0 - confidence_smaller(ours + margin, theirs)
    return min(below, above) >= LEVEL


_MARGINS = (ClaimChoice("the margin", "0.25 points", f"{m} points", {"margin": m}) for m in (0.1, 0.5))


# One of the some 400 test rows of a pair in the paper is 0.25 percentage points.
@claim("z13", _KERNEL, _TRIALS, *_MARGINS)
def _advantage_shrinks(records: Records, kernel: str = MEASURES[0], margin: float = 0.25) -> ClaimOutcome:
    """The gap to the best rival is smaller than at 0.05 n on over half of the pairs, and on one errors are
    equal within 0.25 percentage points (two one-sided t-tests at 5 %); exact test kernel.
    """
    shrunk, vanished, numbers = {}, {}, {}
    few, many = collect_errors(records, kernel).values()
    for pair in few:
        if pair in many and "kmeans" in few[pair] and "kmeans" in many[pair]:
            before, after = (
                float(_best_rival(c).mean() - c["kmeans"].mean()) for c in (few[pair], many[pair])
            )
            name = pair[0]
            shrunk[name] = after < before
            vanished[name] = are_equal(many[pair]["kmeans"], _best_rival(many[pair]), margin)
            gaps = f"{signed(before)} percentage points at 0.05 n, {signed(after)} at 0.1 n"
            numbers[name] = gaps + ", equal" * vanished[name]
    return make_outcome(
        both(2 * sum(shrunk.values()) > len(shrunk), any(vanished.values())),
        f"smaller at 0.1 n on {tally(shrunk, 'pairs')}; equal to the best rival within {margin:g} "
        f"percentage points on {sum(vanished.values())}",
        numbers,
    )


@claim("z14", _KERNEL)
def _as_good_as_exact(records: Records, kernel: str = MEASURES[0]) -> ClaimOutcome:
    """At m = 0.1 n the mean excess error is at most the printed interval's end; exact test kernel."""
    pairs = collect_errors(records, kernel)[0.1].values()
    gaps = [
        float(runs["kmeans"].mean() - runs[EXACT].mean())
        for runs in pairs
        if "kmeans" in runs and EXACT in runs
    ]
    table = [row for row in published("zhang2008_table4") if float(row["ratio"]) == 0.1]
    printed = stats.interval([float(row["kmeans"]) - float(row["lssvm"]) for row in table])
    measured, level = stats.interval(gaps), sum(gap <= 0 for gap in gaps)
    return make_outcome(
        {"mean": measured[0] <= printed[2]},
        f"test error less the exact one {stats.with_interval(measured)} percentage points; printed "
        f"{stats.with_interval(printed)}",
        {"pairs at or below the exact error": f"{level} of {len(gaps)}"},
        partly=2 * level >= len(gaps),
    )


@claim("z15")
def _orthogonal_form(records: Records) -> ClaimOutcome:
    """‖UᵀU − I‖ is below 1e-8 for the one and above 0.01 for the other, in every run on every set."""
    values, form = records.by("data", "measure"), records.by("measure")
    hold = {
        name: values[name, "departure_orthogonal"].max() < 1e-8
        and values[name, "departure_extension"].min() > 1e-2
        for name in records.data
    }
    largest, plain = form["departure_orthogonal"].max(), stats.span(form["departure_extension"])
    return make_outcome(
        hold,
        f"‖UᵀU − I‖ at most {three_digits(largest)}, of the plain extension {plain}",
        {
            f"{name}, median largest angle to the exact vectors, {form}": median(
                values[name, f"angle_{form}"]
            )
            for name in records.data
            for form in ("orthogonal", "extension")
        },
    )


def untested_cells(table: str) -> dict[str, str]:
    """Return printed values without a recorded run, with the value of a run outside the record."""
    return {
        f"{table}, {row['cell']}": f"printed {row['printed']}, measured {row['measured']}; no recorded run"
        for row in published("not_tested")
        if row["table"] == table
    }
