"""zhang-prop3: the bound beside the error in every run, and the table that says so."""

import pytest

import nysviz as nv
from nysviz.bounds import error_bound
from nysviz.papers.zhang2008 import figure1 as experiment


@pytest.fixture(scope="module")
def rows():
    return list(experiment.reproduce_bound(["iris", "wine"], repeats=2, seed=5))


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
