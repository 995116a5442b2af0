"""Distances, repeated rows, bandwidths and numbers of landmarks: against numpy, scipy and exact residuals."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import nysviz as nv
from nysviz.advice.data import PERCENTILES, pairwise_distances, repeated_rows, standard_bandwidths
from nysviz.advice.trial import TRIALS, LandmarkCounts, Trials, enough_landmarks, trials

IRIS = nv.load("iris").X
RNG = np.random.default_rng(5)


def test_the_distances_are_those_of_scipy():
    X = RNG.standard_normal((300, 7)) + 50.0
    found = pairwise_distances(X)
    exact = np.sort(pdist(X, "sqeuclidean"))
    np.testing.assert_allclose(found.squares, exact, rtol=1e-9)
    assert (found.rows, found.n, found.equal) == (300, 300, 0)
    for one, percent in zip((found.near, found.median, found.far), PERCENTILES, strict=True):
        assert one.value == pytest.approx(np.percentile(exact, percent), rel=1e-9)
        assert one.low == one.value == one.high  # nothing was sampled
    # Pairs of equal rows are counted and left out.
    X = np.repeat(RNG.standard_normal((40, 3)), 3, axis=0) + 1e3
    found = pairwise_distances(X)
    assert found.equal == 40 * 3  # three pairs in each group of three
    exact = pdist(X, "sqeuclidean")
    np.testing.assert_allclose(found.squares, np.sort(exact[exact > 0]), rtol=1e-6)


def test_the_intervals_of_sampled_percentiles_cover_the_exact_ones():
    # Two clumps and a tail: rows differ much in how near the others are to them.
    X = np.concatenate([RNG.standard_normal((900, 2)), 6 + 0.3 * RNG.standard_normal((500, 2))])
    X = np.concatenate([X, RNG.standard_t(3, (200, 2))])
    exact = np.percentile(pdist(X, "sqeuclidean"), PERCENTILES)
    covered = np.zeros(3)
    for seed in range(100):
        found = pairwise_distances(X, rows=200, seed=seed)
        ends = [(one.low, one.high) for one in (found.near, found.median, found.far)]
        covered += [low <= value <= high for (low, high), value in zip(ends, exact, strict=True)]
        assert found.rows == 200 and all(low < high for low, high in ends)
    # 100 intervals of 95 %: fewer than 88 would be a chance of 1 in 400.
    assert (covered >= 88).all(), covered


@pytest.mark.parametrize(
    "X",
    [
        IRIS, RNG.integers(0, 3, (2_000, 5)).astype(float), RNG.integers(0, 2, (500, 60)) * 2.0**-30,
        np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [1.0, -0.0], [0.0, 1.0]]), np.ones((4, 1)),
        np.zeros((1, 3)), RNG.standard_normal((300, 2)),
    ],
)  # fmt: skip
def test_repeated_rows_are_those_of_numpy(X):
    assert repeated_rows(X) == len(X) - len(np.unique(X + 0.0, axis=0))


def test_the_standard_bandwidths_are_the_papers():
    found = standard_bandwidths(IRIS, pairwise_distances(IRIS))
    by_rule = {one.rule: one.sigma for one in found}
    squares = pdist(IRIS, "sqeuclidean")
    squares = squares[squares > 0]
    assert by_rule["median"] == pytest.approx(math.sqrt(np.median(squares)))
    assert by_rule["far end"] == pytest.approx(math.sqrt(np.percentile(squares, 99)))
    assert nv.Gaussian(by_rule["default width"]).width == pytest.approx(nv.default_width(IRIS))
    assert [one.sigma for one in found] == sorted(by_rule.values())
    # Rows far away carry the mean of the squares with them, the median stays.
    stretched = np.concatenate([IRIS, IRIS[:2] + 1e4])
    assert standard_bandwidths(stretched, pairwise_distances(stretched))[0].rule == "median"


@pytest.mark.parametrize("kernel", [nv.Gaussian(1.5), nv.Linear()])
def test_the_trials_are_exact_where_all_rows_are_used(kernel):
    found = trials(IRIS, kernel, seed=3, least_error=0.01)
    K = kernel(IRIS)
    assert (found.rows, found.n) == (150, 150) and len(found.errors) == TRIALS
    for trial, errors in enumerate(found.errors):
        pivots = nv.approximate(IRIS, kernel, "rpcholesky", 64, 3 + trial).pivots
        for m in {1, 2, min(5, len(errors) - 1)}:
            chosen = pivots[:m]
            rest = K - K[:, chosen] @ np.linalg.pinv(K[np.ix_(chosen, chosen)], 1e-12, True) @ K[chosen]
            assert errors[m] == pytest.approx(np.trace(rest) / np.trace(K), rel=1e-5, abs=1e-10)
    assert (found.errors[:, 0] == 1).all() and (found.errors[:, -1] <= 0.01).all()
    assert (found.errors[:, -2] > 0.01).any()


def test_sampled_trials_estimate_the_error_on_all_rows():
    X, kernel = RNG.standard_normal((1_500, 4)), nv.Gaussian(2.0)
    found = trials(X, kernel, rows=300, repeats=12, least_error=0.1)
    assert (found.rows, found.n) == (300, 1_500)
    m = found.errors.shape[1] - 1
    exact = []
    for seed in range(12):
        chosen = X[np.random.default_rng(seed).permutation(len(X))[:300]]
        a = nv.approximate(chosen, kernel, "rpcholesky", m, seed)
        features = a.transform(X)
        exact.append(1.0 - np.einsum("ij,ij->", features, features) / len(X))
    gap = found.errors[:, -1] - exact
    # Unbiased: the mean of the gaps is within three standard errors of 0, and each gap is small.
    assert abs(gap.mean()) < 3 * gap.std(ddof=1) / math.sqrt(len(gap)) and np.abs(gap).max() < 0.03


def test_trials_end_at_the_most_and_where_the_rank_ends():
    narrow = trials(RNG.standard_normal((200, 5)), nv.Gaussian(0.05), max_landmarks=50)
    # The first trial falls short, and no other one could change the answer.
    assert narrow.errors.shape == (1, 51) and (narrow.errors[:, -1] > 0.7).all()
    X = np.repeat(RNG.standard_normal((6, 2)), 20, axis=0)
    found = trials(X, nv.Gaussian(0.3), least_error=0.01)
    assert enough_landmarks(found, 0.01).m <= 6
    assert (found.errors[:, -1] < 1e-9).all()
    one = trials(np.zeros((1, 2)), nv.Linear())
    assert enough_landmarks(one, 0.1) == LandmarkCounts(0.1, 0, 0, 0)


def test_enough_landmarks_by_hand():
    errors = np.array([[1, 0.5, 0.2, 0.1], [1, 0.2, 0.1, 0.05], [1, 0.6, 0.3, 0.15]])
    assert enough_landmarks(Trials(errors, 3, 3), 0.2) == LandmarkCounts(0.2, 2, 1, 3)
    assert enough_landmarks(Trials(errors, 3, 3), 0.1) == LandmarkCounts(0.1, None, 2, None)
    assert enough_landmarks(Trials(errors, 3, 3), 0.01) == LandmarkCounts(0.01, None, None, None)
    with pytest.raises(ValueError, match="between 0 and 1"):
        enough_landmarks(Trials(errors, 3, 3), 1.0)
