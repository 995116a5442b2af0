"""The methods that must not hold anything of the size of the kernel matrix."""

import tracemalloc

import numba
import numpy as np
import pytest

import nysviz as nv

N, M = 8_000, 5
LEAN = {
    "uniform": {},
    "diagonal": {},
    "column_norm": {},
    "kmeanspp": {},
    "kmeanspp_lloyd": {},
    "farthest": {},
    "icd": {},
    "rpcholesky": {},
    "greedy": {"form": "lean"},
    "partition_greedy": {},
    "sgma": {},
    "adaptive_partial": {},
    "leverage_approx": {},
    "rls": {},
    "dpp": {"steps": 200},
    "ensemble": {"experts": 4},
}


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="as plain Python the loops take minutes at this size"
)
@pytest.mark.parametrize("method", LEAN)
def test_nothing_of_the_size_of_the_matrix_is_held(method):
    X = np.random.default_rng(0).standard_normal((N, 3))
    kernel = nv.Gaussian(1.0)
    nv.approximate(X[:300], kernel, method, M, **LEAN[method])
    tracemalloc.start()
    nv.approximate(X, kernel, method, M, **LEAN[method])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Some blocks of 8 MiB, one or two a core; K takes 512 MB.
    assert peak < 8 * N * N / 6
