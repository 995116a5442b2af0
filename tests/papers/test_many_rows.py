"""Runs on many rows, tried on a few, and the seconds that they say a method needs."""

import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.papers.findings import many_rows
from nysviz.papers.findings.decision import (
    ErrorTask,
    advise,
    questions,
    seconds_to_reach,
    trials,
    trials_by_error,
)

N = 120


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(many_rows, "SIZES", {"swiss_roll": (N,)})
    for name, value in (
        ("MULTIPLES", (1.0,)),
        ("COUNTS", (5, 10, 200)),
        ("DECAY_ROWS", 100),
        ("ERROR_ROWS", N),
    ):
        monkeypatch.setattr(many_rows, name, value)


def test_a_run_has_its_error_its_evaluations_and_its_seconds(few):
    rows = list(many_rows.reproduce("swiss_roll", 2, 3))
    X = nv.load("swiss_roll", n=N).X
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    K = kernel(X)
    by_run = {(row.method, row.m, row.repeat, row.measure): row for row in rows}
    assert {row.data for row in rows} == {f"swiss_roll {N}@width=1"} and {row.n for row in rows} == {N}
    for method in many_rows.CANDIDATES:
        for m in (5, 10):
            a = nv.approximate(X, kernel, method, m, 4)
            error = by_run[method, m, 1, "relative_frobenius"]
            expected = np.linalg.norm(K - a.factor @ a.factor.T) / np.linalg.norm(K)
            assert error.value == pytest.approx(expected, rel=1e-6)
            assert by_run[method, m, 1, "kernel_evaluations"].value == a.kernel_evaluations
            assert error.seconds > 0
    # No method takes more landmarks than there are rows.
    assert {row.m for row in rows} == {5, 10}
    sample = X[np.sort(np.random.default_rng(3).permutation(N)[:100])]
    values = np.sort(np.linalg.svd(kernel(sample), compute_uv=False))[::-1]
    decay = by_run["svd", 10, 0, "relative_frobenius"].value
    assert decay == pytest.approx(math.sqrt((values[10:] ** 2).sum() / (values**2).sum()))
    assert 0 < by_run["svd", 10, 0, "entry_seconds"].value < 1e-3


def test_seconds_to_reach_an_error():
    runs = [(1.0, 0.1), (100.0, 0.001), (10.0, 0.5)]
    assert seconds_to_reach(runs, 0.2) == 1.0
    assert seconds_to_reach(runs, 0.01) == pytest.approx(10.0)
    assert seconds_to_reach(runs, 0.0005) == math.inf


def task(data, seconds, cost=0.0, target=0.1):
    return ErrorTask(
        f"{data} 10", 10, 2, 1.0, 2, cost, target, dict.fromkeys(many_rows.CANDIDATES, 9.0) | seconds
    )


def test_each_data_set_counts_once_and_a_failure_as_ten_times():
    solved = [task("a", {"kmeans": 1.0, "uniform": 2.0})] * 9 + [
        task("b", {"kmeans": 6.0, "uniform": 1.0}),
        task("c", {"kmeans": math.inf, "uniform": 1.0}),
    ]
    (advice,) = advise(solved).values()
    # Mean log ratios: uniform log 2 / 3, k-means (log 6 + log 10) / 3.
    assert advice.method == advice.of_rows == "uniform"
    assert advice.ratio == pytest.approx(2.0 ** (1 / 3))
    assert (advice.close, advice.tasks, advice.sets) == (2, 11, 3)


def test_a_trial_takes_the_advice_for_its_decay_and_cost():
    advice = advise([task("a", {"kmeans": 1.0})])
    unseen = [task("d", {"kmeans": 2.0, "uniform": 1.0}), task("d", {}, cost=1e-6)]
    (trial,) = trials(unseen, advice)
    assert (trial.method, trial.ratio, trial.is_close) == ("kmeans", 2.0, False)
    assert questions([trial]) == [trial]
    # With another method for small errors the same question has a better answer.
    seen = [task("a", {"uniform": 1.0}), *[task("a", {"kmeans": 1.0}, target=0.05)] * 3]
    assert trials(unseen[:1], advise(seen))[0].method == "kmeans"
    (trial,) = trials_by_error(unseen[:1], seen)
    assert (trial.method, trial.ratio) == ("uniform", 1.0)
    (trial,) = trials_by_error([task("d", {"kmeans": 2.0, "uniform": 1.0}, target=0.05)], seen)
    assert trial.method == "kmeans"
    many = trials([task(f"d{k}", {"kmeans": 2.0}) for k in range(30)], advice)
    assert len(set(map(id, questions(many)))) == 10 and questions(many) == questions(many)
