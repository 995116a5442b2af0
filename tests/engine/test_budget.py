"""What computations are said to hold, beside what they do hold."""

import tracemalloc

import numpy as np
import pytest

from nysviz.approximation import approximate
from nysviz.bounds.relative import best_clustering, feature_rows, outside_share, theta
from nysviz.engine.budget import EIGEN_COPIES, square_bytes
from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.matrix import KernelMatrix

N = 700
# Beside arrays of this many entries: rows, blocks, vectors, code that is loaded on the way.
ASIDE = 4_000_000
X = np.random.default_rng(0).random((N, 3))
KERNEL = Gaussian(0.3)


def held_by(work):
    """Peak of the memory that arrays take while this is done, in bytes; their result among it."""
    work()
    tracemalloc.start()
    try:
        result = work()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("method", METHODS)
def test_an_approximation_holds_what_it_says(method, share):
    m = int(share * N)
    K = KERNEL(X)
    # What is compiled the first time holds memory of its own.
    approximate(X[:60], KERNEL, method, 5, 0)

    def work():
        # With K at hand, as on the pages.
        return approximate(X, KERNEL, method, m, 0, matrix=KernelMatrix(X, KERNEL, dense=K))

    told = METHODS[method].cost(N, 0, m, {}).bytes
    assert held_by(work)[0] <= 1.2 * told + ASIDE


def test_eigenpairs_hold_what_they_say():
    K = KERNEL(X)
    held, (values, vectors) = held_by(lambda: KernelMatrix(X, KERNEL, dense=K).eigenpairs(N))
    np.testing.assert_allclose((vectors * values) @ vectors.T, K, atol=1e-12 * N)
    assert held <= 1.05 * square_bytes(N, EIGEN_COPIES)


def test_clusters_hold_no_more_than_the_eigenpairs_before_them():
    values, vectors = KernelMatrix(X, KERNEL, dense=KERNEL(X)).eigenpairs(N)

    def work():
        features = feature_rows(values, vectors)
        labels = best_clustering(features, 11, 2).labels
        return theta(features, labels, 10, 1.0) + outside_share(features, labels, 10)

    assert held_by(work)[0] <= square_bytes(N, 1.0 + EIGEN_COPIES)
