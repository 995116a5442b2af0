"""The claims of Farahat, Ghodsi & Kamel 2011."""

from __future__ import annotations

from nysviz.papers.claim import Choice, Claim
from nysviz.papers.farahat2011 import criteria as tests
from nysviz.papers.farahat2011.measurements import COMPUTED, GIVEN

_SETS = ("mnist", "yaleb", "la1", "pie", "reuters", "reviews")
_RANK = {"compare_what": "Relative accuracy at rank d"}
_FIGURE = ("farahat-fig1",)
_ENTRIES = Choice("whether K is given", GIVEN, COMPUTED, {"how": COMPUTED})

CLAIMS = (
    Claim(
        "f1",
        "farahat",
        "Building the approximation column by column gives the same matrix as the direct formula.",
        "section 2",
        "‖G Gᵀ − E W⁺ Eᵀ‖ is below 1e-8 of ‖K‖ for every way of choosing, on every set.",
        ("farahat-recursion",),
        tests.recursion_equals_formula,
        "steps",
    ),
    Claim(
        "f2",
        "farahat",
        "Cut to rank d, the recursion gives the best rank d of K̃; the classical formula does not.",
        "section 2",
        "At every d its error is at most the classical one's, and in some case smaller, on every set.",
        ("farahat-rank-d",),
        tests.best_rank_d,
        "compare",
        _RANK,
    ),
    Claim(
        "f3",
        "farahat",
        "Greedy choice is more accurate than uniform and both adaptive samplings.",
        "figure 1",
        "Relative accuracy larger (Wilcoxon, Holm) than each of the three at more than half of the numbers "
        "of columns, on every set.",
        _FIGURE,
        tests.greedy_most_accurate,
        "compare",
        _RANK,
        _SETS,
    ),
    Claim(
        "f4",
        "farahat",
        "Greedy choice is as accurate as SGMA or more, and faster.",
        "figure 1",
        "SGMA's accuracy is at most 1.05 times greedy's (95 % interval) at nine tenths of the numbers of "
        "columns, and its median processor seconds are more, K given, on every set.",
        (*_FIGURE, "farahat-seconds"),
        tests.greedy_beats_sgma,
        "compare",
        _RANK,
        _SETS,
        choices=(_ENTRIES, Choice("the limit", "1.05", "1.1", {"limit": 1.1})),
    ),
    Claim(
        "f5",
        "farahat",
        "k-means wins on some sets and falls far behind on others.",
        "figure 1",
        "Its median rank is first on one set, and its error at least 1.5 times the best one's on another.",
        _FIGURE,
        tests.kmeans_varies,
        "compare",
        _RANK,
        _SETS,
    ),
    Claim(
        "f6",
        "farahat",
        "With few groups the partition criterion loses little accuracy.",
        "sections 3 and 4",
        "With 5 groups the error is at most 1.1 times that of greedy choice with all rows, on every set.",
        ("farahat-groups",),
        tests.few_groups_lose_little,
        "compare",
        _RANK,
        _SETS,
        choices=(Choice("the limit", "1.1", "1.05", {"limit": 1.05}),),
    ),
    Claim(
        "f7",
        "farahat",
        "Greedy choice by partition costs little more than uniform sampling.",
        "figure 1",
        "Its median processor seconds are at most 5 times those of uniform sampling, K given, on every set.",
        ("farahat-seconds",),
        tests.partition_is_cheap,
        "compare",
        _RANK,
        _SETS,
        choices=(_ENTRIES,),
    ),
    Claim(
        "f8",
        "farahat",
        "The recursion of two n-vectors picks the columns that the whole residual would pick.",
        "equation 7",
        "The pivots are the same, or part where the two criteria are within 1e-6 of each other, on every "
        "set.",
        ("farahat-recursion",),
        tests.lean_recursion_agrees,
        "steps",
    ),
)
