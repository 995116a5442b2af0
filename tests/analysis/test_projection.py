from functools import partial

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.projection import principal_directions, row_order

RNG = np.random.default_rng(4)
SCALES = np.array([5.0, 2.0, 1.0, 0.5])
TALL = RNG.standard_normal((80, 4)) * SCALES + 7.0
WIDE = RNG.standard_normal((6, 30)) + 3.0
BLOBS = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 10, axis=0) + 0.1 * RNG.standard_normal((30, 2))


@pytest.mark.parametrize("X", [TALL, WIDE, TALL + 1e6, TALL[:2], TALL[:, :2]])
def test_directions_are_singular_vectors(X):
    centre, directions, shares = principal_directions(X)
    np.testing.assert_allclose(centre, X.mean(axis=0))
    _, sizes, vectors = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    expected = sizes[:2] ** 2 / (sizes**2).sum()
    np.testing.assert_allclose(shares, expected, atol=1e-9)
    for k in range(2):
        if shares[k] > 0:
            assert abs(directions[:, k] @ vectors[k]) == pytest.approx(1.0, abs=1e-6)
            # A sign of its own: the largest coordinate is positive, so that a picture is never mirrored.
            assert directions[np.abs(directions[:, k]).argmax(), k] > 0


@pytest.mark.parametrize("X", [np.full((5, 3), 2.0), np.ones((1, 4)), np.ones((1, 1))])
def test_constant_data_have_no_direction(X):
    centre, directions, shares = principal_directions(X)
    np.testing.assert_array_equal(centre, X[0])
    assert directions.shape == (X.shape[1], 2) and not directions.any() and not shares.any()


def test_points_that_are_close_stand_together():
    # K falls apart into three blocks. The leading eigenvector is the largest block's alone, which stands at
    # the end whatever sign was found: the others are 0 in it, and only k-means tells them apart.
    for _ in range(30):
        shuffled = RNG.permutation(30)
        order = partial(row_order, BLOBS[shuffled], None, nv.Gaussian(1.0))
        clustered, leading = (shuffled[order(by)] // 10 for by in ("cluster", "eigenvector"))
        assert int((np.diff(clustered) != 0).sum()) == 2
        assert len(set(leading[-10:])) == 1
