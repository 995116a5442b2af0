import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks import pivoting
from nysviz.landmarks.pivoting import icd, rpcholesky, rpcholesky_block
from nysviz.matrix import KernelMatrix
from tests import naive
from tests.landmarks.frequencies import FIVE, p_value, sequences_drawn

X = np.random.default_rng(0).standard_normal((50, 3))
KERNELS = [nv.Gaussian(0.7), nv.Laplacian(1.0), nv.Polynomial(2), nv.Linear()]


def select(method, kernel, m, rows=X, seed=0, **options):
    return method(KernelMatrix(rows, kernel), m, np.random.default_rng(seed), **options)


@pytest.mark.parametrize("kernel", KERNELS)
def test_icd_is_incomplete_cholesky(kernel):
    m = 3 if kernel == nv.Linear() else 9
    pivots, factor = naive.incomplete_cholesky(kernel(X), m)
    found = select(icd, kernel, m)
    assert list(found.pivots) == pivots
    np.testing.assert_allclose(found.factor, factor, atol=1e-9)


def test_rounding_does_not_choose_the_first_pivot():
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert np.ptp(nv.Linear().diag(unit)) > 0.0
    for seed in range(4):
        rows = unit[np.random.default_rng(seed).permutation(len(unit))]
        assert select(icd, nv.Linear(), 2, rows).pivots[0] == 0
    drawn = {nv.approximate(unit, nv.Linear(), "icd", 1, seed, first="random").pivots[0] for seed in range(9)}
    assert len(drawn) > 5


@pytest.mark.parametrize(
    "kernel, form, few",
    [(nv.Gaussian(0.8), "accelerated", False), (nv.Polynomial(2), "simple", False),
     (nv.Gaussian(0.8), "accelerated", True)],
)  # fmt: skip
def test_rpcholesky_draws_in_proportion_to_the_residual(kernel, form, few, monkeypatch):
    if few:
        # Two proposals a round, so that the third pivot often comes from a second or third round.
        monkeypatch.setattr(pivoting, "FIRST_PROPOSALS", 2)
        monkeypatch.setattr(pivoting, "MOST_PROPOSALS", 2)
    probabilities = naive.sequence_probabilities(naive.rpcholesky_step(kernel(FIVE)), 3)
    counts = sequences_drawn(rpcholesky, FIVE, kernel, 3, 2_000, form=form)
    assert p_value(counts, probabilities) > 1e-4


@pytest.mark.parametrize("block", [1, 2, 4])
def test_block_rpcholesky_draws_a_block_by_the_residual_before_it(block):
    K = nv.Gaussian(0.8)(FIVE)
    probabilities = naive.rpcholesky_block(K, 3, block)
    if block == 1:
        assert probabilities == pytest.approx(naive.sequence_probabilities(naive.rpcholesky_step(K), 3))
    counts = sequences_drawn(rpcholesky_block, FIVE, nv.Gaussian(0.8), 3, 2_000, block=block)
    assert p_value(counts, probabilities) > 1e-4


def test_many_pivots_keep_their_digits():
    """All pivots of a matrix that falls to rounding: the factor must still reproduce it."""
    kernel = nv.Gaussian(1.5)
    K = kernel(X)
    for method in (icd, rpcholesky, rpcholesky_block):
        G = select(method, kernel, 50).factor
        assert np.linalg.norm(K - G @ G.T) < 1e-11 * np.linalg.norm(K)
