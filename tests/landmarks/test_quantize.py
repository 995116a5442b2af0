"""Landmarks by clustering: seeds in feature space, Lloyd's steps from them, and farthest points."""

import numpy as np
import pytest
from scipy import sparse

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.lloyd import lloyd
from nysviz.landmarks.quantize import farthest, kmeanspp, kmeanspp_lloyd
from tests import naive
from tests.landmarks.frequencies import FIVE, p_value, sequences_drawn

CLOUD = np.random.default_rng(0).standard_normal((60, 3))


@pytest.mark.parametrize("kernel", [nv.Gaussian(0.8), nv.Polynomial(2)])
def test_kmeanspp_draws_in_proportion_to_the_distance_in_feature_space(kernel):
    counts = sequences_drawn(kmeanspp, FIVE, kernel, 3, 2_000)
    assert p_value(counts, naive.sequence_probabilities(naive.kmeanspp_step(kernel(FIVE)), 3)) > 1e-4


@pytest.mark.parametrize("method", [farthest, kmeanspp])
def test_every_row_may_come_first_and_none_after_it_coincides(method):
    rows = np.repeat(CLOUD[:4], 3, axis=0)
    runs = [method(KernelMatrix(rows, nv.Gaussian(1.0)), 9, np.random.default_rng(s)) for s in range(100)]
    assert len({int(found.pivots[0]) for found in runs}) == 12
    for found in runs:
        assert sorted(i // 3 for i in found.pivots) == [0, 1, 2, 3]
        assert found.notes == ("After 4 of 9 landmarks every row coincides with one of them.",)


@pytest.mark.parametrize("kernel", [nv.Gaussian(0.8), nv.Linear()])
def test_farthest_points(kernel):
    for seed in range(5):
        found = farthest(KernelMatrix(CLOUD, kernel), 12, np.random.default_rng(seed)).pivots
        m = 3 if kernel == nv.Linear() else 12
        assert list(found[:m]) == naive.farthest(kernel(CLOUD), int(found[0]), m)


@pytest.mark.parametrize("seed", range(5))
def test_between_points_that_are_equally_far_the_seed_decides(seed):
    grid, kernel = np.stack(np.meshgrid(*2 * [np.arange(6.0)]), axis=-1).reshape(-1, 2), nv.Gaussian(2.0)
    found = farthest(KernelMatrix(grid, kernel), 12, np.random.default_rng(seed)).pivots.tolist()
    rng = np.random.default_rng(seed)
    first, order = int(36 * rng.random()), rng.permutation(36)
    assert found == naive.farthest(kernel(grid), first, 12, order)


POINTWISE = {
    nv.Gaussian(0.8): lambda x, y: naive.gaussian(x, y, 0.8),
    nv.Laplacian(2.0): lambda x, y: naive.laplacian(x, y, 2.0),
    nv.Polynomial(2): lambda x, y: naive.polynomial(x, y, 2, 1.0),
}


@pytest.mark.parametrize("kernel, iterations", [*zip(POINTWISE, (10, 0, 3), strict=True)])
def test_refined_seeds(kernel, iterations):
    for seed in range(3):
        K = KernelMatrix(CLOUD, kernel)
        found = kmeanspp_lloyd(K, 5, np.random.default_rng(seed), iterations)
        seeds = CLOUD[kmeanspp(KernelMatrix(CLOUD, kernel), 5, np.random.default_rng(seed)).pivots]
        expected = naive.refined(POINTWISE[kernel], CLOUD, seeds, iterations)
        np.testing.assert_allclose(found.points, expected, atol=1e-12)
        kept = iterations > 0 and np.array_equal(found.points, seeds)
        assert (found.notes == ("No Lloyd step lowered the potential: the seeds are kept.",)) == kept


def check_lloyd(X, start, iterations, restart=True):
    centres, emptied = lloyd(X, start, iterations, restart=restart)
    spread = max(np.abs(X - X.mean(axis=0)).max(), 1e-300)
    atol = 1e-12 * spread + 1e-15 * np.abs(X).max()
    np.testing.assert_allclose(centres, naive.lloyd(X, start, iterations, restart), rtol=0, atol=atol)
    return emptied


@pytest.mark.parametrize("m, iterations", [(1, 1), (7, 3), (30, 50), (60, 2)])
@pytest.mark.parametrize("rows", [16, 1_000])
def test_lloyd(m, iterations, rows, monkeypatch):
    monkeypatch.setattr("nysviz.landmarks.lloyd.rows_per_block", lambda n, columns: rows)
    assert check_lloyd(CLOUD, CLOUD[::-1][:m], iterations) == 0


def test_lloyd_decides_close_calls_in_full_precision():
    """Distances within a group are below the last digit of float32 at its distance from the middle."""
    groups = np.repeat([[1e4, 0, 0], [-1e4, 5e3, 0]], 30, axis=0)
    check_lloyd(groups + 1e-4 * CLOUD, groups[::5] + 1e-4 * CLOUD[::5], 10)


@pytest.mark.parametrize("scale", [1e-120, 1e25])
def test_lloyd_in_any_units(scale):
    centres, _ = lloyd(CLOUD * scale, CLOUD[:8] * scale, 5)
    np.testing.assert_allclose(centres / scale, naive.lloyd(CLOUD, CLOUD[:8], 5), atol=1e-12)


@pytest.mark.parametrize("far, restart", [([0, 1], False), ([0, 1, 2, 3], True)])
def test_empty_clusters_restart_at_the_farthest_row_or_stay(far, restart):
    start = CLOUD[:6].copy()
    start[far] += 1e3
    assert check_lloyd(CLOUD, start, 1, restart) == len(far)
    assert check_lloyd(CLOUD, start, 4, restart) >= len(far)
    kept = lloyd(CLOUD, start, 4, restart=False)[0][far]
    np.testing.assert_allclose(kept, start[far], rtol=1e-14)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_k_means_keeps_the_centres_of_empty_clusters_where_asked(kind):
    rows = np.repeat(np.abs(CLOUD[:4]), 5, axis=0)
    start = rows[np.random.default_rng(3).permutation(20)[:8]]
    a = nv.approximate(kind(rows), nv.Linear(), "kmeans", 8, 3, empty="keep", iterations=4)
    np.testing.assert_allclose(a.landmarks, naive.lloyd(rows, start, 4, restart=False), atol=1e-12)
    assert any("an empty cluster kept its centre: " in note for note in a.notes)


def test_a_restart_does_not_empty_another_cluster():
    """The farthest row is the only one of its cluster: the second farthest moves."""
    rows = np.array([[0.0], [1.0], [2.0], [100.0]])
    start = np.array([[1.0], [60.0], [-500.0]])
    assert check_lloyd(rows, start, 1) == 1
    centres = np.sort(lloyd(rows, start, 1)[0].ravel())
    assert list(centres) in ([0.0, 1.5, 100.0], [0.5, 2.0, 100.0])
