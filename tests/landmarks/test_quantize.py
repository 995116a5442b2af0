import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks.quantize import farthest, kmeanspp, kmeanspp_lloyd
from nysviz.matrix import KernelMatrix
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
