"""Claims of papers after the four, each with the test that decides it."""

import math

import numpy as np

from nysviz.numerics.blocks import FloatArray
from nysviz.papers import statistics as stats
from nysviz.papers.claim import ClaimChoice, ClaimOutcome, both, claim, limits, make_outcome, tally
from nysviz.papers.newer.measurements import TOLERANCE
from nysviz.papers.records import Records, set_of
from nysviz.text import percent, three_digits

# The theorem's iterations to an error of ε: 3.8 log(2/ε).
ITERATIONS = math.ceil(3.8 * math.log(2.0 / TOLERANCE))


@claim("e1", ClaimChoice("the block", "m/2", "m/10", {"block": "m/10"}), *limits(2.0, 1.2))
def _plain_blocks_fail(records: Records, block: str = "m/2", limit: float = 2.0) -> ClaimOutcome:
    """Blocks of m/2 have at least 2 times the trace error of single pivots (geometric mean) on clusters."""
    ratios = stats.ratios(records, "over_best", f"rpcholesky_block_{block}", "rpcholesky_simple")
    clustered = {cell: value for cell, value in ratios.items() if set_of(cell[0]) == "clusters"}
    hold = {cell: value >= limit for cell, value in clustered.items()}
    return make_outcome(
        hold,
        f"on the clusters {stats.span(clustered.values())} times the error of single pivots, at least "
        f"{limit:g} times in {tally(hold, 'cells')}",
        stats.in_cells(ratios, "error over that of single pivots: {}"),
    )


@claim("e2", *limits(1.25, stats.AS_GOOD))
def _rejection_mends(records: Records, limit: float = 1.25) -> ClaimOutcome:
    """The trace error is at most 1.1 times that of single pivots (95 % interval), from at most 1.25 (m + 1) n
    evaluations, at every m on every set.
    """
    errors = records.where(measure="over_best").cells()
    good = stats.in_all(stats.at_most(errors, "rpcholesky", "rpcholesky_simple", stats.AS_GOOD))
    spent = {
        (series.data, series.m): float(series.values[0]) / (series.n * (series.m + 1))
        for series in records.where(measure="kernel_evaluations", method="rpcholesky").series
    }
    few = stats.in_all({cell: value <= limit for cell, value in spent.items()})
    ratios = stats.ratios(records, "over_best", "rpcholesky", "rpcholesky_simple")
    return make_outcome(
        {name: good[name] and few[name] for name in good},
        f"error {stats.span(ratios.values())} times that of single pivots, evaluations "
        f"{stats.span(spent.values())} times; as good on {tally(good)}, as few on {tally(few)}",
        stats.in_cells(ratios, "error over that of single pivots: {}"),
        partly=any(good.values()),
    )


@claim("e3")
def _pivoting_within_bound(records: Records) -> ClaimOutcome:
    """The mean trace error is at most the smallest bound that m pivots satisfy, at every m on every set."""
    values, bounds = (stats.means(records, name, "rpcholesky") for name in ("over_best", "bound"))
    return stats.within_bounds(values, bounds, "mean trace error")


_SHIFT = ClaimChoice(
    "the preconditioner off the sketch", "last eigenvalue + μ", "μ", {"measure": "condition_shift"}
)


@claim("e4", _SHIFT)
def _condition_below_28(records: Records, measure: str = "condition") -> ClaimOutcome:
    """With 2⌈1.5 d⌉ + 1 < n Gaussian columns, d the effective dimension at μ, the mean condition number is
    below 28, at every μ on every set.
    """
    means = stats.means(records, measure, "sketch")
    hold = {cell: value < 28.0 for cell, value in means.items()}
    return make_outcome(
        stats.in_all(hold),
        f"mean condition number {stats.span(means.values())}; below 28 in {tally(hold, 'cells')}",
        stats.in_cells(means, "mean condition number {}"),
    )


@claim("e5")
def _few_iterations(records: Records) -> ClaimOutcome:
    """In half of the runs the error in the norm of K + μI is 1e-6 after at most ⌈3.8 log(2/1e-6)⌉ = 56
    iterations, at every μ on every set.
    """
    counts = stats.runs(records, "iterations", "sketch")
    hold = {cell: bool((run_counts <= ITERATIONS).mean() >= 0.5) for cell, run_counts in counts.items()}
    means, plain = (stats.means(records, "iterations", name) for name in ("sketch", "none"))
    return make_outcome(
        stats.in_all(hold),
        f"mean iterations {stats.span(means.values())}, at most {ITERATIONS} in {tally(hold, 'cells')}; "
        f"without a preconditioner {stats.span(plain.values())} to a residual of 1e-6",
        stats.in_cells(means, "mean iterations {}"),
    )


@claim("e6", ClaimChoice("the rival", "uniform sampling", "no preconditioner", {"rival": "none"}))
def _pivots_precondition_better(records: Records, rival: str = "uniform") -> ClaimOutcome:
    """Fewer iterations to a residual of 1e-6 with min(100, n/10) columns (Wilcoxon, Holm) at over half of
    the μ, on every set.
    """
    methods = ("rpcholesky", "uniform", "none")
    return _ahead_at_most(records, "iterations", methods, rival, "μ", "{} iterations")


def _ahead_at_most(
    records: Records, measure: str, methods: tuple[str, ...], rival: str, cells_name: str, template: str
) -> ClaimOutcome:
    """Return whether the first method has significantly smaller values at most cells of every set."""
    cells = records.where(measure=measure).cells()
    signs = stats.duels(cells, methods[0], rival)
    hold = stats.more_than_half(stats.shares(signs, 1))
    statistic = f"{stats.ahead_and_behind(signs)}; at over half of the {cells_name} on {tally(hold)}"
    return make_outcome(hold, statistic, stats.methods_in_cells(cells, methods, template))


def _root_mean_square(values: FloatArray) -> float:
    return math.sqrt(np.square(values).mean())


_WITH = ClaimChoice(
    "how columns are drawn", "without replacement", "with replacement", {"method": "diagonal"}
)
_WITHOUT = ClaimChoice(_WITH.subject, _WITH.alternative, _WITH.stated, {"method": "uniform"})


@claim("e7", _WITH, *limits(1.25, 1.1))
def _leave_one_out_tracks(records: Records, method: str = "uniform", limit: float = 1.25) -> ClaimOutcome:
    """The estimate is within a factor 1.25 of the error in mean square, and in 90 % of single runs within a
    factor 2, at every m on every set.
    """
    estimates, errors = (stats.runs(records, name, method) for name in ("estimate", "relative_frobenius"))
    ratios = {cell: _root_mean_square(e) / _root_mean_square(errors[cell]) for cell, e in estimates.items()}
    gaps = {cell: np.abs(np.log(values / errors[cell])) for cell, values in estimates.items()}
    single = {cell: float((values <= math.log(2.0)).mean()) for cell, values in gaps.items()}
    hold = {
        cell: abs(math.log(value)) <= math.log(limit) and single[cell] >= 0.9
        for cell, value in ratios.items()
    }
    return make_outcome(
        stats.in_all(hold),
        f"estimate {stats.span(ratios.values())} times the error in the mean square; "
        f"{percent(min(single.values()))} or more of the single ones within a factor 2; holds in "
        f"{tally(hold, 'cells')}",
        stats.in_cells(ratios, "estimate over error: {}"),
    )


@claim("e8", _WITHOUT)
def _jackknife_is_no_less(records: Records, method: str = "diagonal") -> ClaimOutcome:
    """Its root mean square is at least the deviation of K̃ at m − 1 columns, at every m on every set."""
    estimates, true = stats.runs(records, "jackknife", method), stats.means(records, "deviation", method)
    ratios = {cell: _root_mean_square(estimates[cell]) / value for cell, value in true.items()}
    hold = {cell: ratio >= 1.0 for cell, ratio in ratios.items()}
    return make_outcome(
        stats.in_all(hold),
        f"jackknife {stats.span(ratios.values())} times the standard deviation; at least 1 in "
        f"{tally(hold, 'cells')}",
        stats.in_cells(ratios, "jackknife over standard deviation: {}"),
    )


_POINTS = {"kmeans": "k-means centres", "dpp": "k-DPP"}
_RIVALS = (
    ClaimChoice("the rival", "uniform sampling", label, {"rival": name}) for name, label in _POINTS.items()
)


@claim("e9", *_RIVALS)
def _greedy_variance(records: Records, rival: str = "uniform") -> ClaimOutcome:
    """Smaller gap from bound to evidence (Wilcoxon, Holm) at over half of the counts, on every set."""
    methods = ("icd", "uniform", *_POINTS)
    return _ahead_at_most(records, "gap", methods, rival, "numbers of points", "gap in nats: {}")


@claim("e10")
def _adaptive_pivoting_within_bound(records: Records) -> ClaimOutcome:
    """The mean error and that of the derandomised form are within the bound, at every m on every set."""
    mean, fixed = (stats.means(records, "over_best", name) for name in ("arp", "osinsky"))
    worse = {cell: max(value, fixed[cell]) for cell, value in mean.items()}
    better = {cell: fixed[cell] < value for cell, value in mean.items()}
    more = f"; the derandomised form has the smaller error in {tally(better, 'cells')}"
    bounds = {cell: cell[1] + 1.0 for cell in worse}
    return stats.within_bounds(worse, bounds, "the larger of both", more)


@claim("e11")
def _sketch_within_bound(records: Records) -> ClaimOutcome:
    """With r = ⌊(m − 1)/2⌋ the mean error is within the bound, at every m on every set."""
    values, bounds = (stats.means(records, name, "sketch") for name in ("truncated", "bound"))
    columns = stats.ratios(records, "over_best", "uniform", "sketch")
    more = f"; uniform columns have {stats.span(columns.values())} times the sketch's error at rank m"
    return stats.within_bounds(values, bounds, "mean trace error", more)


@claim("e12", *limits(stats.AS_GOOD, 1.05))
def _bless_as_exact(records: Records, limit: float = stats.AS_GOOD) -> ClaimOutcome:
    """Error at most 1.1 times that of exact scores (95 % interval), from under n² entries, on every set."""
    cells = records.where(measure="relative_frobenius").cells()
    good = stats.in_all(stats.at_most(cells, "bless", "leverage", limit))
    spent = dict.fromkeys(good, 0.0)
    for series in records.where(measure="kernel_evaluations", method="bless").series:
        spent[set_of(series.data)] = max(spent[set_of(series.data)], float(series.values.max()) / series.n**2)
    ratios = stats.ratios(records, "relative_frobenius", "bless", "leverage")
    return make_outcome(
        {name: good[name] and spent[name] < 1.0 for name in good},
        f"error {stats.span(ratios.values())} times that with exact scores, at most {limit} times on "
        f"{tally(good)}; evaluations up to {percent(max(spent.values()))} of n²",
        stats.in_cells(ratios, "error over that with exact scores: {}"),
        partly=any(good.values()),
    )


@claim("e13", *limits(stats.AS_GOOD, 1.05))
def _uniform_centres_are_enough(records: Records, limit: float = stats.AS_GOOD) -> ClaimOutcome:
    """Error at most 1.1 times the exact one (95 %), farthest points not ahead (Wilcoxon), on every set."""
    cells = records.where(measure="mse").cells()
    enough = stats.in_all(stats.at_most(cells, "uniform", "exact", limit))
    signs = stats.duels(cells, "farthest", "uniform")
    no_better = stats.in_all({cell: sign <= 0 for cell, sign in signs.items()})
    exact, far = (stats.ratios(records, "mse", "uniform", name) for name in ("exact", "farthest"))
    return make_outcome(
        both(all(enough.values()), all(no_better.values())),
        f"error {stats.span(exact.values())} times that with all centres, at most {limit} times on "
        f"{tally(enough)}; farthest points no better on {tally(no_better)}",
        {
            f"{data}, m = {m}": f"{three_digits(value)} times the error with all centres, "
            f"{three_digits(far[data, m])} times that of farthest points"
            for (data, m), value in exact.items()
        },
    )


_PICKS = ClaimChoice(
    "the limit",
    "mean of a k-DPP",
    "bound from the eigenvalues",
    {"method": "greedy", "measure": "bound"},
)


@claim("e14", _PICKS)
def _greedy_within_dpp(records: Records, method: str = "dpp", measure: str = "expected") -> ClaimOutcome:
    """The trace error is at most the mean of a k-DPP, known from the eigenvalues, at every m on every set."""
    errors, promised = stats.means(records, "over_best", "greedy"), stats.means(records, measure, method)
    name = {"expected": "mean of a k-DPP", "bound": "bound from the eigenvalues"}[measure]
    return stats.within_bounds(errors, promised, "trace error", name=name)
