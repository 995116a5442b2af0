"""The claims of Oglic & Gärtner 2017."""

from __future__ import annotations

from functools import partial

from nysviz.papers.claim import Choice, Claim, untried
from nysviz.papers.oglic2017 import criteria as tests
from nysviz.papers.oglic2017.measurements import SIZES

_SETS = ("elevators", "ailerons", "cal_housing", "cpu", "ujil", "ct_slice")
_FIGURE = ("oglic-fig1",)
_HERE = {"data": "elevators"}
_OF_ROWS = "the number of rows"
_ALL_ROWS = untried(_OF_ROWS, "at most 2000", "all")
_ROWS = (
    *(Choice(_OF_ROWS, "at most 2000", str(n), rows=partial(tests.at_rows, n)) for n in SIZES),
    _ALL_ROWS,
)
_SKETCH = Choice("the sketch", "2 m", "10 m", rows=tests.larger_sketch)
_SMALLER = Choice("the limit", "1.1", "1.05", {"limit": 1.05})
_AGAINST_BEST = {"data": "elevators", "bounds_view": "Oglic, Li: against the best rank k"}

CLAIMS = (
    Claim(
        "o1",
        "oglic",
        "Landmarks from kernel k-means++ beat uniform ones over the whole range of bandwidths.",
        "figure 1",
        "Lift above 1 (Wilcoxon, Holm) at every bandwidth, on every set.",
        _FIGURE,
        tests.lift_above_one,
        "lift",
        _HERE,
        _SETS,
        choices=_ROWS,
        beside=partial(tests.lift_by_rows, schemes=("kmeanspp",)),
    ),
    Claim(
        "o2",
        "oglic",
        "They are the best of uniform, leverage-score and k-DPP landmarks on most sets.",
        "figure 1",
        "Ahead of all three at once (Wilcoxon, Holm) at more than half of the bandwidths, on more than half "
        "of the sets.",
        _FIGURE,
        tests.best_on_most,
        "lift",
        _HERE,
        _SETS,
        choices=(*_ROWS, _SKETCH),
    ),
    Claim(
        "o3",
        "oglic",
        "Where the kernel matrix is nearly the identity no choice helps.",
        "figure 1",
        "At the largest γ the lift of every scheme is between 1/1.05 and 1.05, on every set.",
        _FIGURE,
        tests.no_help_at_identity,
        "lift",
        _HERE,
        _SETS,
        choices=(*_ROWS, _SKETCH, Choice("the limit", "1.05", "1.1", {"limit": 1.1})),
    ),
    Claim(
        "o4",
        "oglic",
        "Approximate leverage scores are competitive, and clearly ahead on cal-housing.",
        "figure 1",
        "Ahead of k-means++ (Wilcoxon, Holm) at most bandwidths on cal_housing, and on some set with at most "
        "1.1 times its error (95 % interval) at most bandwidths.",
        _FIGURE,
        tests.leverage_on_cal_housing,
        "lift",
        {"data": "cal_housing"},
        ("cal_housing",),
        choices=(*_ROWS, _SKETCH, _SMALLER),
        beside=partial(tests.lift_by_rows, schemes=("leverage_approx", "leverage_approx_10m")),
    ),
    Claim(
        "o5",
        "oglic",
        "From a uniform start, 10 000 steps of the k-DPP chain beat 1000; both are behind and dear.",
        "figures 1 and 2",
        "More cells ahead than behind; behind k-means++ at most bandwidths on most sets; at least twice its "
        "seconds.",
        _FIGURE,
        tests.longer_chain,
        "lift",
        {**_HERE, "lift_view": "seconds against error"},
        _SETS,
        choices=_ROWS,
        beside=partial(tests.lift_by_rows, schemes=("dpp_10000",)),
    ),
    Claim(
        "o6",
        "oglic",
        "Started from k-means++ the chain does well at once.",
        "section 4.2",
        "After 10 steps ahead of the chain from a uniform start (Wilcoxon), and at most 1.1 times the error "
        "that the latter has after 1000, at 1/median on every set.",
        ("oglic-chain",),
        tests.warm_chain,
        "lift",
        _HERE,
        _SETS,
        choices=(_ALL_ROWS, _SMALLER),
    ),
    Claim(
        "o7",
        "oglic",
        "The lift grows with the rank, fastest for kernel k-means++.",
        "figure 3",
        "The slope of the lift in K is positive and the largest of the schemes, on every set.",
        ("oglic-fig3",),
        tests.grows_with_rank,
        "lift",
        {**_HERE, "lift_view": "lift against rank"},
        _SETS,
        choices=(_ALL_ROWS, untried("the sketch", "2 m", "10 m")),
    ),
    Claim(
        "o8",
        "oglic",
        "For rank K, K ln K landmarks are as good as K ln n.",
        "section 5",
        "The error with the fewer is at most 1.1 times that with the more (upper end of the 95 % interval of "
        "the geometric mean), on every set.",
        ("oglic-ranks",),
        tests.fewer_landmarks_enough,
        "lift",
        {**_HERE, "lift_landmarks": "K ln K"},
        _SETS,
        choices=(_ALL_ROWS, _SMALLER),
    ),
    Claim(
        "o9",
        "oglic",
        "For the Gaussian kernel a Lloyd refinement in the space of the data improves the landmarks.",
        "section 4.3",
        "Ahead of plain k-means++ (Wilcoxon, Holm) at most bandwidths up to 1/median and behind at none, on "
        "every set.",
        _FIGURE,
        tests.refinement_helps,
        "lift",
        _HERE,
        _SETS,
        choices=_ROWS,
        beside=partial(tests.lift_by_rows, schemes=("kmeanspp_lloyd",)),
    ),
    Claim(
        "o10",
        "oglic",
        "The expected error is at most 8 (ln(K+1) + 2) (√(n − K) + Θ) times the best of rank K.",
        "theorem 4",
        "The mean over the repeats is within the bound for every set and K; its condition is measured "
        "beside it.",
        ("oglic-theorems",),
        tests.error_within_theorem,
        "bounds",
        _AGAINST_BEST,
    ),
    Claim(
        "o11",
        "oglic",
        "Seeds of k-means++ have at most 8 (ln K + 2) times the optimal potential in expectation.",
        "theorem 3",
        "The mean potential of the seeds over the best of as many Lloyd runs is within the bound for every "
        "set and K.",
        ("oglic-theorems",),
        tests.potential_within_theorem,
        "bounds",
        _AGAINST_BEST,
    ),
)
