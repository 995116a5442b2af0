import numpy as np
import pytest
from scipy.linalg import eigvalsh
from scipy.spatial.distance import cdist

from nysviz.datasets import eigengap_mixture, largest_gap


def eigenvalues(X):
    width = np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=1))
    return eigvalsh(np.exp(-cdist(X, X, "sqeuclidean") / width))[::-1] / len(X)


@pytest.mark.parametrize("n, r", [(40, 2), (59, 2), (400, 7), (609, 5), (1000, 5), (1003, 15)])
@pytest.mark.parametrize("share", [0.11, 0.4, 0.89])
def test_the_realised_gap_is_the_asked_one(n, r, share):
    gap = share * largest_gap(r)
    values = eigenvalues(eigengap_mixture(n, r, gap, seed=n).X)
    assert values[r - 1] - values[r] == pytest.approx(gap, rel=0.1)


def test_points_in_r_places_have_the_largest_gap():
    for r in (2, 5, 9):
        values = eigenvalues(np.repeat(np.eye(r), 20, axis=0))
        assert values[r - 1] - values[r] == pytest.approx(largest_gap(r), rel=1e-9)


def test_clusters_are_as_described():
    data = eigengap_mixture(n=103, r=5, gap=0.1, seed=3)
    assert data.X.shape == (103, 10) and np.bincount(data.y).tolist() == [21, 21, 21, 20, 20]
    assert np.array_equal(data.X[:, :5], np.eye(5)[data.y])
    spread = data.X[:, 5:]
    assert (np.count_nonzero(spread, axis=1) <= 1).all() and np.count_nonzero(
        spread[np.arange(103), data.y]
    ) > 100
