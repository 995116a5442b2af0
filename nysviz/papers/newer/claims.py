"""Claims of papers after the four, each with the test that decides it.

References
----------
Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber. Randomly pivoted Cholesky: practical approximation of a
  kernel matrix with few entry evaluations. arXiv:2207.06503, 2022; Communications on Pure and Applied
  Mathematics 78, 2025.
E. N. Epperly, J. A. Tropp, R. J. Webber. Embrace rejection: kernel matrix approximation by accelerated
  randomly pivoted Cholesky. arXiv:2410.03969, 2024.
Z. Frangella, J. A. Tropp, M. Udell. Randomized Nyström preconditioning. SIAM Journal on Matrix Analysis
  and Applications 44, 2023.
M. Díaz, E. N. Epperly, Z. Frangella, J. A. Tropp, R. J. Webber. Robust, randomized preconditioning for
  kernel ridge regression. arXiv:2304.12465, 2023.
E. N. Epperly, J. A. Tropp. Efficient error and variance estimation for randomized matrix computations.
  SIAM Journal on Scientific Computing 46, 2024.
D. R. Burt, C. E. Rasmussen, M. van der Wilk. Convergence of sparse variational inference in Gaussian
  processes regression. Journal of Machine Learning Research 21, 2020.
A. Cortinovis, D. Kressner. Adaptive randomized pivoting for column subset selection, DEIM, and low-rank
  approximation. arXiv:2412.13992, 2024.
J. A. Tropp, A. Yurtsever, M. Udell, V. Cevher. Fixed-rank approximation of a positive-semidefinite matrix
  from streaming data. NIPS 2017.
A. Rudi, D. Calandriello, L. Carratino, L. Rosasco. On fast leverage score sampling and optimal learning.
  NeurIPS 2018.
A. Rudi, L. Carratino, L. Rosasco. FALKON: an optimal large scale kernel method. NIPS 2017.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from nysviz.papers import statistics as stats
from nysviz.papers.claim import Choice, Claim, Outcome, both, claim, counted, found, on_every
from nysviz.papers.labels import method_label
from nysviz.papers.newer.measurements import TOLERANCE
from nysviz.papers.records import Cell, Records
from nysviz.papers.row import set_of
from nysviz.text import percent, three_digits

CLAIMS: list[Claim] = []
_claim = partial(claim, "newer", CLAIMS)

# Errors that are so many times another's are much larger; at most so many times, as good.
MUCH, AS_GOOD = 2.0, 1.1
# Kernel evaluations "as few": at most so many times those of one pivot after the other.
AS_FEW = 1.25
# The theorem's condition number, and its iterations to an error of ε: 3.8 log(2/ε).
CONDITION = 28.0
ITERATIONS = math.ceil(3.8 * math.log(2.0 / TOLERANCE))
# An estimate "tracks" the error: the ratio in the mean square, and of nearly every single run.
NEAR, SINGLE, NEARLY_ALL = 1.25, 2.0, 0.9

_STEPS = {"page": "steps"}
_COMPARE = {"page": "compare"}
_SOLVE = {"page": "solve"}


def _ratios(records: Records, measure: str, first: str, second: str) -> dict[Cell, float]:
    """Geometric mean of one method over that of another, by cell."""
    pairs = stats.both_runs(records.where(measure=measure).cells(), first, second)
    return {cell: math.exp(np.log(a).mean() - np.log(b).mean()) for cell, (a, b) in pairs.items()}


def _means(records: Records, measure: str, method: str) -> dict[Cell, float]:
    cells = records.where(measure=measure, method=method).cells()
    return {cell: float(stats.runs(of, method).mean()) for cell, of in cells.items()}


def _of_sets(holds: Mapping[Cell, bool]) -> dict[str, bool]:
    """Whether it holds in every cell of a data set."""
    return {name: part == 1.0 for name, part in stats.share_of(holds).items()}


def _cells(values: Mapping[Cell, float], what: str) -> dict[str, str]:
    return {f"{data}, m = {m}": f"{what} {three_digits(value)}" for (data, m), value in values.items()}


@_claim(
    "e1",
    "newer-columns",
    place="Epperly, Tropp & Webber 2024",
    choices=(
        Choice("the block", "m/2", "m/10", {"block": "m/10"}),
        Choice("the limit", "2", "1.2", {"limit": 1.2}),
    ),
    **_STEPS,
)
def _plain_blocks_fail(records: Records, block: str = "m/2", limit: float = MUCH) -> Outcome:
    """Randomly pivoted Cholesky by large blocks without rejection is much worse on clustered data.

    The trace error with blocks of m/2 is at least 2 times that of single pivots (geometric mean over
    the repeats), at every bandwidth and m on the clusters.
    """
    ratios = _ratios(records, "over_best", f"rpcholesky_block_{block}", "rpcholesky_simple")
    clustered = {cell: value for cell, value in ratios.items() if set_of(cell[0]) == "clusters"}
    hold = {str(cell): value >= limit for cell, value in clustered.items()}
    return found(
        on_every(hold),
        f"on the clusters {stats.span(clustered.values())} times the error of single pivots, at least "
        f"{limit:g} times in {counted(hold, 'cells')}",
        _cells(ratios, "error over that of single pivots:"),
    )


@_claim(
    "e2",
    "newer-columns",
    place="Epperly, Tropp & Webber 2024",
    choices=(Choice("the limit", "1.25", "1.1", {"limit": AS_GOOD}),),
    **_STEPS,
)
def _rejection_mends(records: Records, limit: float = AS_FEW) -> Outcome:
    """With rejection the blocks are as good as single pivots, at hardly more kernel evaluations.

    The trace error is at most 1.1 times that of single pivots (95 % interval) and the evaluations at
    most 1.25 times (m + 1) n, at every m on every set.
    """
    errors = records.where(measure="over_best").cells()
    good = _of_sets(stats.at_most(errors, "rpcholesky", "rpcholesky_simple", AS_GOOD))
    spent = {
        (row.data, row.m): row.value / (row.n * (row.m + 1))
        for row in records.where(measure="kernel_evaluations", method="rpcholesky", repeat=0)
    }
    few = _of_sets({cell: value <= limit for cell, value in spent.items()})
    ratios = _ratios(records, "over_best", "rpcholesky", "rpcholesky_simple")
    return found(
        on_every({name: good[name] and few[name] for name in good}, direction=any(good.values())),
        f"error {stats.span(ratios.values())} times that of single pivots, evaluations "
        f"{stats.span(spent.values())} times; as good on {counted(good)}, as few on {counted(few)}",
        _cells(ratios, "error over that of single pivots:"),
    )


def _within(values: Mapping[Cell, float], bounds: Mapping[Cell, float], what: str, more: str = "") -> Outcome:
    hold = {cell: value <= bounds[cell] for cell, value in values.items()}
    loose = stats.span(bounds[cell] / value for cell, value in values.items())
    return found(
        on_every(_of_sets(hold)),
        f"{what} {stats.span(values.values())} times the best, within the bound in {counted(hold, 'cells')}; "
        f"bound / mean {loose}{more}",
        {
            f"{data}, m = {m}": f"{three_digits(value)} times the best, bound {three_digits(bounds[data, m])}"
            for (data, m), value in values.items()
        },
    )


@_claim("e3", "newer-columns", place="Chen, Epperly, Tropp & Webber 2022", **_COMPARE)
def _pivoting_within_bound(records: Records) -> Outcome:
    """r/ε + r log(1/(εη)) random pivots have at most 1 + ε times the trace error of the best rank r.

    The mean trace error over the repeats is at most the smallest bound over r and ε that m pivots
    satisfy, at every m on every set.
    """
    bounds = _means(records, "bound", "rpcholesky")
    return _within(_means(records, "over_best", "rpcholesky"), bounds, "mean trace error")


@_claim(
    "e4",
    "newer-preconditioner",
    place="Frangella, Tropp & Udell 2023",
    choices=(
        Choice(
            "the preconditioner off the sketch", "last eigenvalue + μ", "μ", {"measure": "condition_shift"}
        ),
    ),
    **_SOLVE,
)
def _condition_below_28(records: Records, measure: str = "condition") -> Outcome:
    """A sketch three times the effective dimension preconditions K + μI to a condition number below 28.

    With 2⌈1.5 d⌉ + 1 Gaussian columns, d the effective dimension at μ, the mean condition number over
    the repeats is below 28, at every μ on every set where so many are fewer than n.
    """
    means = _means(records, measure, "sketch")
    hold = {cell: value < CONDITION for cell, value in means.items()}
    return found(
        on_every(_of_sets(hold)),
        f"mean condition number {stats.span(means.values())}; below 28 in {counted(hold, 'cells')}",
        _cells(means, "mean condition number"),
    )


@_claim("e5", "newer-preconditioner", place="Frangella, Tropp & Udell 2023", **_SOLVE)
def _few_iterations(records: Records) -> Outcome:
    """Conjugate gradients with that preconditioner need some tens of iterations, whatever μ is.

    In at least half of the runs the error in the norm of K + μI is 1e-6 after at most ⌈3.8 log(2/1e-6)⌉
    = 56 iterations, at every μ on every set where the columns are fewer than n.
    """
    cells = records.where(measure="iterations", method="sketch").cells()
    shares = {cell: float((stats.runs(of, "sketch") <= ITERATIONS).mean()) for cell, of in cells.items()}
    hold = {cell: share >= 0.5 for cell, share in shares.items()}
    means = _means(records, "iterations", "sketch")
    plain = _means(records, "iterations", "none").values()
    return found(
        on_every(_of_sets(hold)),
        f"mean iterations {stats.span(means.values())}, at most {ITERATIONS} in {counted(hold, 'cells')}; "
        f"without a preconditioner {stats.span(plain)} to a residual of 1e-6",
        _cells(means, "mean iterations"),
    )


@_claim(
    "e6",
    "newer-preconditioner",
    place="Díaz et al. 2023",
    choices=(Choice("the rival", "uniform sampling", "no preconditioner", {"rival": "none"}),),
    **_SOLVE,
)
def _pivots_precondition_better(records: Records, rival: str = "uniform") -> Outcome:
    """Columns chosen by randomly pivoted Cholesky precondition better than uniformly drawn ones.

    With 100 columns (a tenth of fewer than 1000 rows) significantly fewer iterations to a relative
    residual of 1e-6 (Wilcoxon, Holm) at more than half of the μ, on every set.
    """
    cells = records.where(measure="iterations").cells()
    signs = stats.duels(cells, "rpcholesky", rival)
    hold = stats.more_than_half(stats.shares(signs, 1))
    means = {name: _means(records, "iterations", name) for name in ("rpcholesky", "uniform", "none")}
    return found(
        on_every(hold),
        f"{stats.ahead_and_behind(signs)}; at most μ on {counted(hold)}",
        {
            f"{data}, m = {m}": ", ".join(
                f"{method_label(name)} {three_digits(of[data, m])}" for name, of in means.items()
            )
            + " iterations"
            for data, m in signs
        },
    )


def _roots(records: Records, measure: str, method: str) -> dict[Cell, float]:
    """Root mean square over the repeats, by cell."""
    cells = records.where(measure=measure, method=method).cells()
    return {cell: math.sqrt(np.square(stats.runs(of, method)).mean()) for cell, of in cells.items()}


_DRAWN = Choice("how columns are drawn", "without replacement", "with replacement", {"method": "diagonal"})


@_claim(
    "e7",
    "newer-columns",
    place="Epperly & Tropp 2024",
    page="approximate",
    choices=(_DRAWN, Choice("the limit", "1.25", "1.1", {"limit": 1.1})),
)
def _leave_one_out_tracks(records: Records, method: str = "uniform", limit: float = NEAR) -> Outcome:
    """Leaving out each column in turn tells the Frobenius error without another entry of K.

    Root mean squares of estimate and error within a factor 1.25 of each other, and nine tenths of the
    single estimates within a factor 2 of their error, for uniform columns at every m on every set.
    """
    told, errors = (_roots(records, name, method) for name in ("estimate", "relative_frobenius"))
    ratios = {cell: value / errors[cell] for cell, value in told.items()}
    each, truth = (
        records.where(measure=name, method=method).cells() for name in ("estimate", "relative_frobenius")
    )
    single = {}
    for cell, of in each.items():
        gaps = np.log(stats.runs(of, method) / stats.runs(truth[cell], method))
        single[cell] = float((np.abs(gaps) <= math.log(SINGLE)).mean())
    hold = {
        cell: abs(math.log(value)) <= math.log(limit) and single[cell] >= NEARLY_ALL
        for cell, value in ratios.items()
    }
    return found(
        on_every(_of_sets(hold)),
        f"estimate {stats.span(ratios.values())} times the error in the mean square; "
        f"{percent(min(single.values()))} or more of the single ones within a factor 2; holds in "
        f"{counted(hold, 'cells')}",
        _cells(ratios, "estimate over error:"),
    )


@_claim(
    "e8",
    "newer-columns",
    place="Epperly & Tropp 2024",
    page="approximate",
    choices=(Choice(_DRAWN.of, _DRAWN.other, _DRAWN.stated, {"method": "uniform"}),),
)
def _jackknife_is_no_less(records: Records, method: str = "diagonal") -> Outcome:
    """The jackknife of one approximation is in the mean at least the variance over many.

    The root mean square of the jackknife is at least the standard deviation of K̃ over the repeats with
    one column fewer, for columns drawn with replacement at every m on every set.
    """
    told, true = _roots(records, "jackknife", method), _means(records, "deviation", method)
    ratios = {cell: told[cell] / value for cell, value in true.items()}
    hold = {cell: ratio >= 1.0 for cell, ratio in ratios.items()}
    return found(
        on_every(_of_sets(hold)),
        f"jackknife {stats.span(ratios.values())} times the standard deviation; at least 1 in "
        f"{counted(hold, 'cells')}",
        _cells(ratios, "jackknife over standard deviation:"),
    )


@_claim(
    "e9",
    "newer-evidence",
    place="Burt, Rasmussen & van der Wilk 2020",
    choices=(
        Choice("the rival", "uniform sampling", "k-means centres", {"rival": "kmeans"}),
        Choice("the rival", "uniform sampling", "k-DPP", {"rival": "dpp"}),
    ),
    page="solve",
    link={"solve_view": "Gaussian process"},
)
def _greedy_variance(records: Records, rival: str = "uniform") -> Outcome:
    """Inducing points of the largest conditional variance give a tighter bound than uniformly drawn ones.

    The gap from the bound to the evidence is significantly smaller (Wilcoxon, Holm) at more than half
    of the numbers of points, on every set.
    """
    cells = records.where(measure="gap").cells()
    signs = stats.duels(cells, "icd", rival)
    hold = stats.more_than_half(stats.shares(signs, 1))
    means = {name: _means(records, "gap", name) for name in ("icd", "uniform", "kmeans", "dpp")}
    return found(
        on_every(hold),
        f"{stats.ahead_and_behind(signs)}; at most numbers of points on {counted(hold)}",
        {
            f"{data}, m = {m}": "gap in nats: "
            + ", ".join(f"{method_label(name)} {three_digits(of[data, m])}" for name, of in means.items())
            for data, m in signs
        },
    )


@_claim("e10", "newer-columns", place="Cortinovis & Kressner 2024", **_COMPARE)
def _adaptive_pivoting_within_bound(records: Records) -> Outcome:
    """Adaptive randomised pivoting has at most m + 1 times the best trace error, without chance as well.

    The mean over the repeats, and the one run of the derandomised form, are at most m + 1 times the
    best of rank m, at every m on every set.
    """
    mean, fixed = (_means(records, "over_best", name) for name in ("arp", "osinsky"))
    worse = {cell: max(value, fixed[cell]) for cell, value in mean.items()}
    better = {cell: fixed[cell] < value for cell, value in mean.items()}
    more = f"; the derandomised form has the smaller error in {counted(better, 'cells')}"
    return _within(worse, {cell: cell[1] + 1.0 for cell in worse}, "the larger of both", more)


@_claim("e11", "newer-columns", place="Tropp, Yurtsever, Udell & Cevher 2017", **_COMPARE)
def _sketch_within_bound(records: Records) -> Outcome:
    """A Gaussian sketch of m columns, cut to rank r, has 1 + r/(m − r − 1) times the best trace error.

    With r = ⌊(m − 1)/2⌋ the mean over the repeats is at most so many times the best of rank r, at every
    m on every set.
    """
    bounds = _means(records, "bound", "sketch")
    columns = _ratios(records, "over_best", "uniform", "sketch")
    more = f"; uniform columns have {stats.span(columns.values())} times the sketch's error at rank m"
    return _within(_means(records, "truncated", "sketch"), bounds, "mean trace error", more)


@_claim(
    "e12",
    "newer-columns",
    place="Rudi, Calandriello, Carratino & Rosasco 2018",
    choices=(Choice("the limit", "1.1", "1.05", {"limit": 1.05}),),
    **_COMPARE,
)
def _bless_as_exact(records: Records, limit: float = AS_GOOD) -> Outcome:
    """Leverage scores by BLESS choose columns as good as those by exact scores, without all of K.

    The Frobenius error is at most 1.1 times that with exact ridge leverage scores (95 % interval), from
    fewer than n² kernel evaluations in every run, at every m on every set.
    """
    good = _of_sets(
        stats.at_most(records.where(measure="relative_frobenius").cells(), "bless", "leverage", limit)
    )
    spent: dict[str, float] = {}
    for row in records.where(measure="kernel_evaluations", method="bless"):
        spent[set_of(row.data)] = max(spent.get(set_of(row.data), 0.0), row.value / row.n**2)
    few = {name: part < 1.0 for name, part in spent.items()}
    ratios = _ratios(records, "relative_frobenius", "bless", "leverage")
    return found(
        on_every({name: good[name] and few[name] for name in good}, direction=any(good.values())),
        f"error {stats.span(ratios.values())} times that with exact scores, at most {limit} times on "
        f"{counted(good)}; evaluations up to {percent(max(spent.values()))} of n²",
        _cells(ratios, "error over that with exact scores:"),
    )


@_claim(
    "e13",
    "newer-centres",
    place="Rudi, Carratino & Rosasco 2017",
    page="learning",
    link={"learning_view": "Nyström against random features"},
    choices=(Choice("the limit", "1.1", "1.05", {"limit": 1.05}),),
)
def _uniform_centres_are_enough(records: Records, limit: float = AS_GOOD) -> Outcome:
    """√n ln n uniformly drawn centres are enough for ridge regression; far apart they are no better.

    The mean squared test error is at most 1.1 times that of the exact machine (95 % interval), and
    farthest points are not significantly better (Wilcoxon), on every set.
    """
    cells = records.where(measure="mse").cells()
    enough = _of_sets(stats.at_most(cells, "uniform", "exact", limit))
    signs = stats.shares(stats.duels(cells, "farthest", "uniform"), 1)
    no_better = {name: part == 0.0 for name, part in signs.items()}
    exact, far = (_ratios(records, "mse", "uniform", name) for name in ("exact", "farthest"))
    return found(
        both(all(enough.values()), all(no_better.values())),
        f"error {stats.span(exact.values())} times the exact machine's, at most {limit} times on "
        f"{counted(enough)}; farthest points no better on {counted(no_better)}",
        {
            f"{data}, m = {m}": f"{three_digits(value)} times the exact machine's error, "
            f"{three_digits(far[data, m])} times that of farthest points"
            for (data, m), value in exact.items()
        },
    )
