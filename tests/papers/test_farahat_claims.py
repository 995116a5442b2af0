"""f1 to f8 on rows in which they are true, and on rows in which they are not."""

import pytest

from tests.papers.rows import judged, row, runs, verdict

ACCURACY = {
    "uniform": 0.6,
    "adaptive_full": 0.7,
    "adaptive_partial": 0.65,
    "kmeans": 0.9,
    "sgma": 0.78,
    "greedy": 0.8,
    "partition_greedy": 0.79,
}
SECONDS = {"uniform": 1.0, "sgma": 9.0, "greedy": 5.0, "partition_greedy": 2.0}


def figure1(accuracy=(), seconds=(), datas=("a", "b")):
    return [
        *runs("farahat-fig1", "relative_accuracy", ACCURACY | dict(accuracy), datas, once=("greedy",)),
        *runs(
            "farahat-seconds", "seconds", SECONDS | dict(seconds), [f"{d}@K given" for d in datas], repeats=3
        ),
    ]


@pytest.mark.parametrize("size, expected", [(1e-14, "reproduced"), (1e-3, "not reproduced")])
def test_f1_difference(size, expected):
    rows = [
        row("farahat-recursion", d, m, 60, 0, "difference", size) for d in "ab" for m in ("icd", "greedy")
    ]
    assert verdict("f1", rows) == expected


def truncated(best, classical, data="a"):
    return [
        row("farahat-rank-d", data, "uniform", m, 0, f"{name}_accuracy_{d}", value)
        for m in (50, 100)
        for d in (5, 10)
        for name, value in (("relative", best), ("classical", classical))
    ]


def test_f2_truncation():
    assert verdict("f2", truncated(0.9, 0.7)) == "reproduced"
    assert verdict("f2", truncated(0.7, 0.9)) == "not reproduced"
    assert verdict("f2", truncated(0.9, 0.7) + truncated(0.7, 0.9, "b")) == "partly"
    # Equal everywhere: nothing is gained.
    assert verdict("f2", truncated(0.9, 0.9)) == "partly"


def test_f3_greedy_against_sampling():
    assert verdict("f3", figure1()) == "reproduced"
    assert verdict("f3", figure1({"adaptive_full": 0.95})) == "not reproduced"
    assert verdict("f3", figure1() + figure1({"uniform": 0.95}, datas=("c",))) == "partly"


def test_f4_greedy_against_sgma():
    assert verdict("f4", figure1()) == "reproduced"
    assert verdict("f4", figure1({"sgma": 0.95}, {"sgma": 1.0})) == "not reproduced"
    assert verdict("f4", figure1({}, {"sgma": 1.0})) == "partly"


def test_f5_kmeans_on_both_ends():
    assert verdict("f5", figure1() + figure1({"kmeans": 0.4}, datas=("c",))) == "reproduced"
    assert verdict("f5", figure1()) == "partly"
    assert verdict("f5", figure1({"kmeans": 0.7})) == "not reproduced"


@pytest.mark.parametrize("loss, expected", [(1.02, "reproduced"), (1.5, "not reproduced")])
def test_f6_groups(loss, expected):
    means = {"greedy": 1.0, "uniform": 2.0, "partition_greedy_5": loss, "partition_greedy_50": 1.0}
    rows = runs("farahat-groups", "relative_frobenius", means, ms=(50,), repeats=5, once=("greedy",))
    assert verdict("f6", rows) == expected


@pytest.mark.parametrize("cost, expected", [(2.0, "reproduced"), (50.0, "not reproduced")])
def test_f7_cost(cost, expected):
    assert verdict("f7", figure1({}, {"partition_greedy": cost})) == expected


def chosen(agreed, parted):
    return [
        row("farahat-recursion", "a", "greedy", 60, 0, "agreed", agreed),
        row("farahat-recursion", "a", "greedy", 60, 0, "parted", parted),
    ]


def test_f8_pivots():
    assert verdict("f8", chosen(60, 0.0)) == "reproduced"
    assert verdict("f8", chosen(41, 1e-13)) == "reproduced"
    assert "the first 41 of 60" in dict(judged("f8", chosen(41, 1e-13)).numbers)["a"]
    assert verdict("f8", chosen(3, 0.2)) == "not reproduced"
