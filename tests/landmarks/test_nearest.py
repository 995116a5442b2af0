"""The nearest of some points, against distances one by one."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import nysviz as nv
from nysviz.analysis import bounds
from nysviz.landmarks import nearest as module
from nysviz.landmarks.nearest import nearest
from tests import naive

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("n, d, m, shift", [(1, 1, 1, 0.0), (70, 3, 9, 1e6), (40, 5, 60, 0.0)])
def test_nearest_is_that_of_all_distances(n, d, m, shift, monkeypatch):
    X, points = RNG.standard_normal((n, d)) + shift, RNG.standard_normal((m, d)) + shift
    all_gaps = np.array([[naive.squared_distance(x, z) for z in points] for x in X])
    for size in (256, 16):
        monkeypatch.setattr(module, "rows_per_block", lambda rows, columns, size=size: size)
        labels, gaps = nearest(X, points)
        np.testing.assert_array_equal(labels, all_gaps.argmin(axis=1))
        np.testing.assert_allclose(gaps, all_gaps.min(axis=1), rtol=1e-8)


def test_gaps_of_close_pairs_are_exact():
    """One far point moves the middle: rows less the middle have lost their own last digits."""
    X = RNG.standard_normal((50, 3))
    points = np.vstack([X + 1e-9 * RNG.standard_normal(X.shape), np.full(3, 1e6)])
    expected = [naive.squared_distance(x, z) for x, z in zip(X, points[:-1], strict=True)]
    labels, gaps = nearest(X, points)
    np.testing.assert_array_equal(labels, np.arange(50))
    np.testing.assert_allclose(gaps, expected, rtol=1e-14)


STAMPS = np.array([[0.0], [1e9], [1e9 + 1], [1e9 + 2], [1e9 + 3]])


def test_groups_far_from_the_middle_are_told_apart():
    """One row at 0 beside raw times: products of centred rows have lost the differences between those."""
    labels, gaps = nearest(STAMPS, STAMPS)
    assert list(labels) == [0, 1, 2, 3, 4] and not gaps.any()
    assert list(bounds.encode(STAMPS, STAMPS).labels) == [0, 1, 2, 3, 4]
    assert nv.quantization_error(STAMPS, STAMPS) == 0
    # In steps of the last digits there, so that squared distances are exact.
    rows = np.vstack([np.zeros((3, 4)), 1.6e9 + RNG.integers(0, 40, (300, 4)) / 8])
    points = rows[[0, *range(10, 60)]]
    labels, gaps = nearest(rows, points)
    np.testing.assert_array_equal(labels, cdist(rows, points).argmin(axis=1))
    assert list(gaps) == [naive.squared_distance(x, points[j]) for x, j in zip(rows, labels, strict=True)]


@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_of_equally_near_points_the_first_is_taken(shift):
    """Rows in the middle between points on a grid, whose scores differ by rounding alone."""
    rows = RNG.integers(-3, 4, (200, 5)).astype(float)
    points = RNG.permutation(rows)[:60] + shift
    expected = [min(range(60), key=lambda j: ((x - points[j]) ** 2).sum()) for x in rows]
    np.testing.assert_array_equal(nearest(rows, points)[0], expected)
