import numpy as np
import pytest

import nysviz as nv
from nysviz.papers.yang2012 import figure3, measurements
from nysviz.spectrum.operators import distance_bound

IRIS = nv.load("iris")
KERNEL = nv.Gaussian.from_width(nv.default_width(IRIS.X))


def test_rows_are_the_eigenvalues_of_the_kernel_matrix():
    rows = list(figure3.reproduce("iris", 3, 0))
    assert [row.m for row in rows] == list(range(1, 151))  # whole, so once
    assert {(row.experiment, row.data, row.n, row.d, row.measure) for row in rows} == {
        ("yang-fig3", "iris", 150, 4, "eigenvalue")
    }
    expected = np.linalg.eigvalsh(KERNEL(IRIS.X))[::-1] / 150
    np.testing.assert_allclose([row.value for row in rows], expected, atol=1e-14)


def test_large_sets_are_sampled_and_each_repeat_draws_anew(monkeypatch):
    monkeypatch.setattr(figure3, "rows_that_fit", lambda: 60)
    rows = list(figure3.reproduce("iris", 2, 5))
    assert len(rows) == 120 and {row.n for row in rows} == {60}
    for repeat in range(2):
        X = IRIS.X[np.random.default_rng(5 + repeat).permutation(150)[:60]]
        expected = nv.spectrum(X, nv.Gaussian.from_width(nv.default_width(X))) / 60
        found = [row.value for row in rows if row.repeat == repeat]
        np.testing.assert_allclose(found, expected, atol=1e-14)


def test_theorem_five_on_a_set():
    rows = list(measurements.operator_rows("iris", 20, 0))
    bounds = {row.m: row.value for row in rows if row.measure == "bound"}
    assert list(bounds) == [10, 20, 50, 100]
    for m, bound in bounds.items():
        assert bound == pytest.approx(float(distance_bound(150, m)))
        seen = [row.value for row in rows if row.measure == "frobenius" and row.m == m]
        assert len(seen) == 20 and max(seen) < bound


def test_cpu_has_a_gap_and_theorem_one_asks_for_a_sample_within_the_data(needs):
    needs("cpu")
    data = nv.load("cpu")
    X = data.X[np.random.default_rng(0).permutation(data.n)[:1500]]
    values = nv.spectrum(X, nv.Gaussian.from_width(nv.default_width(X)), 20) / 1500
    assert values[0] - values[1] > 5 * (values[1] - values[2])
