from collections import Counter

import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks.eigenvector_pivoting import arp, osinsky
from nysviz.matrix import KernelMatrix
from tests import naive
from tests.landmarks.frequencies import EIGHT, p_value

KERNEL = nv.Gaussian(0.8)
RNG = np.random.default_rng(0)
# Eighty rows in a heap, and twelve far from all others.
HEAP = np.vstack([0.1 * RNG.standard_normal((80, 3)), 20.0 * RNG.standard_normal((12, 3))])


def test_rows_are_drawn_by_the_determinants_of_the_eigenvectors():
    dense, rng = KERNEL(EIGHT), np.random.default_rng(0)
    K = KernelMatrix(EIGHT, KERNEL, dense, naive.descending_eigh(dense))
    counts = Counter(tuple(sorted(map(int, arp(K, 3, rng).pivots))) for _ in range(8_000))
    assert p_value(counts, naive.projection_probabilities(naive.descending_eigh(dense)[1][:, :3])) > 1e-3


def trace_error(method, m, kernel, seed=0):
    a = nv.approximate(HEAP, kernel, method, m, seed)
    return kernel.diag(HEAP).sum() - (a.factor**2).sum()


@pytest.mark.parametrize("m", [20, 30])
def test_both_keep_within_the_factor_where_uniform_rows_do_not(m):
    kernel = nv.Gaussian(1.0)
    bound = (m + 1) * naive.descending_eigh(kernel(HEAP))[0][m:].sum()
    assert np.mean([trace_error("arp", m, kernel, seed) for seed in range(20)]) < bound
    assert trace_error("osinsky", m, kernel) < bound
    assert np.mean([trace_error("uniform", m, kernel, seed) for seed in range(20)]) > bound


@pytest.mark.parametrize("kernel", [nv.Gaussian(1.0), nv.Laplacian(2.0), nv.Polynomial(3)])
@pytest.mark.parametrize("seed", range(6))
def test_without_chance_each_row_has_the_least_expected_error(kernel, seed):
    rows = np.random.default_rng(seed).standard_normal((10, 3))
    found = osinsky(KernelMatrix(rows, kernel), 5, np.random.default_rng(0)).pivots
    assert [int(i) for i in found] == naive.osinsky(kernel(rows), 5)
