import numpy as np
import pytest
from scipy import stats
from scipy.linalg import eigvalsh
from scipy.spatial.distance import cdist, pdist

from nysviz.datasets import chosen_spectrum, clusters, eigengap_mixture, largest_gap, swiss_roll, two_balls


@pytest.mark.parametrize("distance", [0.0, 1.0, 2.5])
def test_two_balls_lie_in_their_discs_and_fill_them(distance):
    data = two_balls(n=4001, redundant=3, seed=1, distance=distance)
    assert data.X.shape == (4001, 5) and data.classes == ("-1", "1")
    assert np.bincount(data.y > 0).tolist() == [2000, 2001]
    for sign in (-1, 1):
        disc = data.X[data.y == sign, :2] - [sign * distance / 2, 0.5]
        radius = np.linalg.norm(disc, axis=1)
        assert radius.max() <= 0.5
        # Uniform on the area: squared radius and angle are uniform.
        assert stats.kstest((radius / 0.5) ** 2, "uniform").pvalue > 1e-3
        angle = np.arctan2(disc[:, 1], disc[:, 0])
        assert stats.kstest(angle / (2 * np.pi) + 0.5, "uniform").pvalue > 1e-3
    assert stats.kstest(data.X[:, 2:].ravel(), "uniform").pvalue > 1e-3
    assert np.abs(np.corrcoef(data.X[:, 2:], data.y, rowvar=False)[-1, :-1]).max() < 0.08


def test_two_balls_default_is_the_papers_and_the_knob_moves_the_same_points():
    data = two_balls()
    assert data.X.shape == (10_000, 102) and (data.y == 1).sum() == 5000
    assert (data.X[:, 2:].min(), data.X[:, 2:].max()) == pytest.approx((0.0, 1.0), abs=1e-4)
    # The discs touch at distance 1, so the sign of the first feature is the class.
    assert np.array_equal(np.sign(data.X[:, 0]), data.y)
    near, far = two_balls(n=100, redundant=4, distance=1.0), two_balls(n=100, redundant=4, distance=3.0)
    assert np.array_equal(near.y, far.y) and np.array_equal(near.X[:, 1:], far.X[:, 1:])
    np.testing.assert_allclose(far.X[:, 0] - near.X[:, 0], near.y)
    assert np.array_equal(two_balls(n=100, redundant=0).X, two_balls(n=100, redundant=9).X[:, :2])


@pytest.mark.parametrize("k, d, separation", [(2, 1, 4.0), (10, 2, 0.0), (5, 30, 8.0), (1, 3, 4.0)])
def test_clusters_have_unit_covariance_and_the_asked_separation(k, d, separation):
    n = 4000 * k
    data = clusters(n=n, k=k, d=d, separation=separation, seed=2)
    assert np.bincount(data.y).tolist() == [4000] * k
    means = np.array([data.X[data.y == j].mean(axis=0) for j in range(k)])
    within = data.X - means[data.y]
    np.testing.assert_allclose(np.cov(within, rowvar=False), np.eye(d).squeeze(), atol=0.06)
    if k > 1 and separation > 0:
        # A mean of 4 000 points is off by 1/63 a coordinate.
        assert pdist(means).min() == pytest.approx(separation, abs=0.15)
    else:
        assert cdist(means, means).max() < 0.1 * np.sqrt(d)


def test_swiss_roll_is_a_rolled_sheet_and_y_the_position():
    data = swiss_roll(n=3000, seed=4)
    assert np.allclose(np.hypot(data.X[:, 0], data.X[:, 2]), data.y)
    assert np.allclose(data.X[:, 0], data.y * np.cos(data.y)) and data.task == "regression"
    assert stats.kstest((data.y / np.pi - 1.5) / 3.0, "uniform").pvalue > 1e-3
    assert stats.kstest(data.X[:, 1] / 21.0, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("make", [two_balls, clusters, swiss_roll, eigengap_mixture, chosen_spectrum])
def test_the_seed_decides(make):
    more = {"d": 40} if make is chosen_spectrum else {}

    def of(seed):
        return make(n=100, seed=seed, **more).digest

    assert of(5) == of(5) != of(6)


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
    on_own = np.count_nonzero(spread[np.arange(103), data.y])
    assert (np.count_nonzero(spread, axis=1) <= 1).all() and on_own > 100


LAWS = {
    "power": lambda j, rate: (1 + j) ** -rate,
    "exponential": lambda j, rate: np.exp(-rate * j),
    "step": lambda j, rate: 10**-rate if j else 1.0,
}


@pytest.mark.parametrize("coherence", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rank", [1, 7])
def test_the_linear_kernel_has_the_chosen_spectrum(law, rank, coherence):
    data = chosen_spectrum(60, 25, law, 1.5, rank, coherence, seed=3)
    found = eigvalsh(data.X @ data.X.T)[::-1]
    expected = [LAWS[law](max(i - rank, 0), 1.5) for i in range(1, 26)]
    np.testing.assert_allclose(found[:25], expected, atol=1e-14)
    np.testing.assert_allclose(found[25:], 0.0, atol=1e-14)
    # The features are the eigenvectors, whose order the law keeps.
    np.testing.assert_allclose(data.X.T @ data.X, np.diag(expected), atol=1e-14)
    assert data.y is None and data.from_catalog


def test_the_coherence_grows_from_random_directions_to_axes():
    def leverages(knob, seed):
        return (chosen_spectrum(200, 20, rate=0.0, coherence=knob, seed=seed).X ** 2).sum(axis=1)

    for seed in range(3):
        found = [leverages(knob, seed) for knob in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]
        coherences = [200 / 20 * of.max() for of in found]
        assert (np.diff(coherences) > 0).all() and coherences[0] < 3.5 and coherences[-1] == pytest.approx(10)
        assert sorted(found[-1].round(12))[-20:] == [1.0] * 20 and np.count_nonzero(found[-1]) == 20
