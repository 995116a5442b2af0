"""zhang-prop3: the bound beside the error in every run, and the table that says so."""

import pytest

import nysviz as nv
from nysviz.bounds import error_bound
from nysviz.papers.zhang2008 import bound as experiment
from nysviz.sweep import Problem, run_jobs


@pytest.fixture(scope="module")
def rows():
    return list(experiment.reproduce(["iris", "wine"], repeats=2, seed=5))


def test_measured_is_within_the_bound_in_every_run(rows):
    runs = experiment.paired(rows)
    # Ten ratios of 150 rows give ten counts; icd has no randomness.
    assert len(runs) == 2 * 10 * (1 + 3 * 2)
    assert all(0 < error <= bound for error, bound in runs.values())
    assert {row.measure for row in rows} == {"frobenius", "bound"}
    assert {row.experiment for row in rows} == {"zhang-prop3"}


def test_each_number_is_the_cores(rows):
    X = nv.load("wine").X
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    for method in experiment.METHODS:
        one = next(row for row in rows if (row.data, row.method, row.m) == ("wine", method, 9))
        a = nv.approximate(X, kernel, method, 9, seed=5 + one.repeat)
        error, bound = experiment.paired(rows)["wine", method, 9, one.repeat]
        assert error == pytest.approx(nv.errors(X, kernel, a).frobenius)
        assert bound == pytest.approx(error_bound(X, kernel, a).total)


def test_rounding_is_no_violation():
    assert experiment.holds(1e-14, 0.0, 10) and not experiment.holds(1e-6, 0.0, 10)


def test_sampled_rows_where_k_is_too_large_to_be_held(monkeypatch):
    X = nv.load("digits").X
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    monkeypatch.setattr("nysviz.sweep.problem.EXACT_ROWS", 1_000)
    problem = Problem("digits", X, kernel, "digits, sampled")
    (job,) = experiment.bound_jobs(problem, {"kmeans": ()}, (40,), 1)
    (finished,) = run_jobs([job])
    exact = nv.errors(X, kernel, nv.approximate(X, kernel, "kmeans", 40)).frobenius
    assert finished.records[0].values["frobenius"] == pytest.approx(exact, rel=0.1)
    assert finished.records[0].values["frobenius"] != exact


def test_methods_without_landmarks_are_refused():
    X = nv.load("iris").X
    problem = Problem("iris", X, nv.Gaussian(1.0), "iris")
    (job,) = experiment.bound_jobs(problem, {"svd": ()}, (4,), 3)
    with pytest.raises(ValueError, match="no landmarks"):
        list(run_jobs([job]))
    with pytest.raises(ValueError, match="from 1 to 150"):
        experiment.bound_jobs(problem, {"kmeans": ()}, (151,), 1)
