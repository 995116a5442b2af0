"""yang-fig1 at the paper's size against what the paper prints, and the rows and table that it writes."""

from collections import Counter

import numpy as np
import pytest

import nysviz as nv
from nysviz.learning.leading_subspace import principal_cosines
from nysviz.papers.row import Row
from nysviz.papers.yang2012 import figure1


@pytest.fixture(scope="module")
def balls():
    return nv.two_balls(figure1.N, figure1.REDUNDANT, seed=0)


@pytest.fixture(scope="module")
def exact(balls):
    return figure1.exact_pairs(balls.X, figure1.SIGMA)


@pytest.mark.slow
def test_the_printed_eigenvalues(balls, exact):
    first, second = exact.values[:2] / balls.n
    assert first == pytest.approx(0.785, abs=0.005) and second == pytest.approx(0.0067, abs=0.0005)
    assert len(exact.values) == 100 and exact.vectors.shape == (10_000, 2)
    assert exact.residual < 1e-6


@pytest.mark.parametrize(
    "method, scale, low, high",
    [
        ("uniform", "", 98.0, 100.0),
        ("rff", "1/σ", 88.0, 98.5),
        ("rff", "1", 45.0, 58.0),
        ("rff", "σ", 45.0, 58.0),
    ],
)
def test_accuracy_at_a_hundred(balls, method, scale, low, high):
    (record,) = figure1.accuracy_record(figure1.problem_of(balls, 6.0), method, scale, 100, 0, 0)
    assert low <= 100 - record.values["test_error"] <= high


@pytest.mark.slow
def test_nystroem_keeps_the_leading_plane_and_fourier_features_only_its_first_direction(balls, exact):
    def cosines(method, scale):
        found = figure1.feature_pairs(balls.X, method, 100, 6.0, 0, scale)
        return principal_cosines(exact.vectors, found.vectors)

    assert cosines("uniform", "1/σ").min() >= 0.99
    defined = cosines("rff", "1/σ")
    assert defined[0] > 0.999 and 0.3 < defined[1] < 0.95
    for scale in ("1", "σ"):
        assert cosines("rff", scale).max() < 0.2


@pytest.mark.slow
def test_the_printed_spread_of_the_eigenvectors(balls, exact):
    reach = np.abs(exact.vectors).max(axis=0)
    assert 0.0095 < reach[0] < 0.0106 and reach[1] == pytest.approx(0.0185, abs=0.002)
    wide = figure1.feature_pairs(balls.X, "rff", 100, 6.0, 0, "1")
    assert np.abs(wide.vectors).max() == pytest.approx(0.037, abs=0.008)


def test_reproduce_writes_every_measure_and_the_table_reads_them(monkeypatch):
    monkeypatch.setattr(figure1, "N", 240)
    monkeypatch.setattr(figure1, "MS", (5, 20))
    rows = list(figure1.reproduce("two_balls", repeats=2, seed=3))
    assert all(isinstance(row, Row) and row.experiment == "yang-fig1" and row.n == 240 for row in rows)
    count = Counter(row.measure for row in rows)
    # Two landmark methods, two random features at three scales; two trials; two values of m.
    assert count == {"eigenvalue": 100, "cosine": 8 * 2, "test_error": 8 * 2 * 2}
    values = sorted((row.m, row.value) for row in rows if row.measure == "eigenvalue")
    X = nv.two_balls(240, seed=3).X
    np.testing.assert_allclose(
        [value for _, value in values], nv.spectrum(X, nv.Gaussian(6.0), 100) / 240, rtol=1e-5, atol=1e-12
    )
    text = figure1.table(rows)
    assert "0.7850" in text and "0.0067" in text
