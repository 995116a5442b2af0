"""zhang-prop3: error and bound are the core's, and the error is within the bound in every run."""

import pytest

import nysviz as nv
from nysviz.bounds import error_bound
from nysviz.papers.records import Records
from nysviz.papers.zhang2008 import figure1


def test_each_number_is_the_cores_and_measured_is_within_the_bound():
    records = Records(figure1.reproduce_bound("wine", 2, 5))
    errors, bounds = (
        records.where(measure=name).by("method", "m", "repeat") for name in ("frobenius", "bound")
    )
    # Ten ratios of 178 rows give ten counts; icd has no randomness.
    assert len(errors) == 10 * (1 + 3 * 2) and set(errors) == set(bounds)
    assert all(0 < errors[run] <= bounds[run] for run in errors)
    X = nv.load("wine").X
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    for method in figure1.METHODS:
        a = nv.approximate(X, kernel, method, 9, seed=5)
        assert errors[method, 9, 0] == pytest.approx(nv.errors(X, kernel, a).frobenius)
        assert bounds[method, 9, 0] == pytest.approx(error_bound(X, kernel, a).total)
