import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks import quantize
from nysviz.landmarks.quantize import farthest, kernel_potential, kmeanspp, kmeanspp_lloyd
from nysviz.matrix import KernelMatrix
from tests import naive
from tests.landmarks.frequencies import p_value, sequences_drawn

CLOUD = np.random.default_rng(0).standard_normal((60, 3))
FIVE = np.array([[0.0, 0], [0.3, 0], [0.2, 0.3], [2, 1], [3, -1]])


def test_kmeans_starts_from_distinct_rows(monkeypatch):
    starts = []

    def note(X, start, iterations, checkpoint, *, restart):
        starts.append((start, iterations))
        return start, 0

    monkeypatch.setattr(quantize, "lloyd", note)
    K = KernelMatrix(CLOUD, nv.Gaussian(1.0))
    for seed in range(3):
        quantize.kmeans(K, 50, np.random.default_rng(seed))
    for start, iterations in starts:
        assert iterations == 10
        assert len(np.unique(start, axis=0)) == 50
        assert {tuple(row) for row in start} < {tuple(row) for row in CLOUD}
    assert not np.array_equal(starts[0][0], starts[1][0])
    assert K.evaluations == 0


def test_kmeans_says_when_clusters_ran_empty():
    a = nv.approximate(np.repeat(CLOUD[:3], 5, axis=0), nv.Gaussian(1.0), "kmeans", 6)
    assert any("empty cluster" in note for note in a.notes)


@pytest.mark.parametrize("kernel", [nv.Gaussian(0.8), nv.Linear(), nv.Polynomial(2)])
def test_kmeanspp_draws_in_proportion_to_the_distance_in_feature_space(kernel):
    counts = sequences_drawn(kmeanspp, FIVE, kernel, 3, 3_000)
    assert p_value(counts, naive.sequence_probabilities(naive.kmeanspp_step(kernel(FIVE)), 3)) > 1e-4


def test_kmeanspp_never_takes_a_row_that_coincides_with_a_chosen_one():
    rows = np.repeat(CLOUD[:4], 3, axis=0)
    for seed in range(20):
        selection = kmeanspp(KernelMatrix(rows, nv.Gaussian(1.0)), 9, np.random.default_rng(seed))
        assert sorted(i // 3 for i in selection.pivots) == [0, 1, 2, 3]
        assert selection.notes == ("After 4 of 9 landmarks every row coincides with one of them.",)


@pytest.mark.parametrize("kernel", [nv.Gaussian(0.8), nv.Laplacian(1.0), nv.Linear(), nv.Polynomial(2)])
def test_farthest_points(kernel):
    for seed in range(5):
        found = farthest(KernelMatrix(CLOUD, kernel), 12, np.random.default_rng(seed)).pivots
        m = 3 if kernel == nv.Linear() else 12
        assert list(found[:m]) == naive.farthest(kernel(CLOUD), int(found[0]), m)


def test_farthest_starts_anywhere_and_stops_at_the_last_distinct_row():
    rows = np.repeat(CLOUD[:4], 3, axis=0)
    runs = [farthest(KernelMatrix(rows, nv.Gaussian(1.0)), 9, np.random.default_rng(s)) for s in range(100)]
    assert len({int(found.pivots[0]) for found in runs}) == 12
    for found in runs:
        assert sorted(i // 3 for i in found.pivots) == [0, 1, 2, 3]
        assert found.notes == ("After 4 of 9 landmarks every row coincides with one of them.",)


POINTWISE = {
    nv.Gaussian(0.8): lambda x, y: naive.gaussian(x, y, 0.8),
    nv.Laplacian(2.0): lambda x, y: naive.laplacian(x, y, 2.0),
    nv.Polynomial(2): lambda x, y: naive.polynomial(x, y, 2, 1.0),
}


@pytest.mark.parametrize("kernel", POINTWISE)
@pytest.mark.parametrize("iterations", [0, 1, 3, 10])
def test_refined_seeds(kernel, iterations):
    for seed in range(4):
        K = KernelMatrix(CLOUD, kernel)
        found = kmeanspp_lloyd(K, 5, np.random.default_rng(seed), iterations)
        seeds = CLOUD[kmeanspp(KernelMatrix(CLOUD, kernel), 5, np.random.default_rng(seed)).pivots]
        expected = naive.refined(POINTWISE[kernel], CLOUD, seeds, iterations)
        np.testing.assert_allclose(found.points, expected, atol=1e-12)
        kept = iterations > 0 and np.array_equal(found.points, seeds)
        assert (found.notes == ("No Lloyd step lowered the potential: the seeds are kept.",)) == kept


@pytest.mark.parametrize("kernel", POINTWISE)
def test_kernel_potential(kernel, monkeypatch):
    monkeypatch.setattr(quantize, "rows_per_block", lambda n, columns: 16)
    K = KernelMatrix(CLOUD, kernel)
    found = kernel_potential(K, CLOUD[:6] + 0.1)
    np.testing.assert_allclose(found, naive.kernel_potential(POINTWISE[kernel], CLOUD, CLOUD[:6] + 0.1))
    assert K.evaluations == 6 * len(CLOUD) + 6 + len(CLOUD)
