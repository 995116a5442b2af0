"""What a method says that it costs, and what it does cost."""

from functools import partial

import numpy as np
import pytest

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import cost, cost_seconds
from nysviz.numerics.lapack.symmetric import EIGEN_COPIES
from nysviz.numerics.memory import square_bytes
from tests.traced import traced

RNG = np.random.default_rng(0)
KERNEL = nv.Gaussian(3.0)


@pytest.mark.parametrize("method", nv.METHODS)
def test_entries_are_the_kernel_evaluations(method):
    for n, m in ((300, 20), (800, 100)):
        X = RNG.standard_normal((n, 5))
        counted = nv.approximate(X, KERNEL, method, m).kernel_evaluations
        told = nv.METHODS[method].cost(n, 5, m).entries
        assert 0.7 * counted <= told <= 1.4 * counted, (told, counted)


@pytest.mark.parametrize(
    "method, options, n, m",
    [*((name, {}, 1_500, 100) for name in nv.METHODS), ("greedy", {"form": "lean"}, 1_500, 100),
     ("arp", {"basis": "sketch"}, 1_500, 100), ("arp", {"basis": "sketch"}, 3_000, 300),
     pytest.param("arp", {"basis": "sketch"}, 700, 500, marks=pytest.mark.slow),
     *(pytest.param(name, {}, 700, 500, marks=pytest.mark.slow) for name in nv.METHODS)],
)  # fmt: skip
def test_the_bytes_are_those_that_are_allocated(method, options, n, m):
    # K takes 18 MB: a method that must not hold it and does is far above what it says.
    X = RNG.standard_normal((n, 5))
    nv.approximate(X[:200], KERNEL, method, 2, **options)
    _, peak = traced(lambda: nv.approximate(X, KERNEL, method, m, **options))
    told = nv.METHODS[method].cost(n, 5, m, options).bytes
    assert 0.3 * told - 3e6 <= peak <= 1.3 * told + 3e6, (peak, told)


def test_options_count():
    def of(method, **options):
        return nv.METHODS[method].cost(10_000, 5, 100, options)

    assert of("kmeans", iterations=20).flops > 1.5 * of("kmeans", iterations=10).flops
    assert of("greedy", form="dense").bytes > 8 * 10_000**2 > of("greedy", form="lean").bytes
    assert of("arp", basis="sketch").flops < 0.1 * of("arp").flops
    assert of("arp", basis="sketch").bytes < 8 * 10_000**2 / 4 < of("arp").bytes
    assert of("partition_greedy", groups=1_000).bytes - of("partition_greedy", groups=1).bytes > 7e7
    assert of("ensemble", experts=20).entries == 2 * of("ensemble").entries
    # Whole numbers and numpy's are numbers too.
    assert of("leverage_approx", oversampling=20).bytes == of("leverage_approx", oversampling=20.0).bytes
    assert of("ensemble", experts=np.int64(9)).bytes == of("ensemble", experts=9).bytes
    assert nv.METHODS["ensemble"].all_landmarks(100, {"experts": np.int64(9)}) == 900


def test_above_what_may_be_held_nothing_of_n_rows_is_counted_but_pivots_factors():
    assert nv.METHODS["kmeans"].cost(1_000_000, 10, 100).bytes < 8 * 1_000_000 * 100 / 4
    assert nv.METHODS["icd"].cost(1_000_000, 10, 100).bytes >= 8 * 1_000_000 * 100


def test_seconds_grow_with_the_work(monkeypatch):
    monkeypatch.setattr(cost, "speeds", lambda: (2e-11, 2e-9))
    for method in nv.METHODS:
        few, many = (cost_seconds(method, n, 10, 50) for n in (400, 4_000))
        assert 0 < few < many < 1_000
    assert cost_seconds("leverage", 2_000, 10, 50) > 3 * cost_seconds("uniform", 2_000, 10, 50)


def test_eigenpairs_hold_what_they_say():
    X, kernel = np.random.default_rng(0).random((700, 3)), nv.Gaussian(0.3)
    K = kernel(X)
    eigenpairs = partial(KernelMatrix(X, kernel, dense=K).eigenpairs, 700)
    eigenpairs()
    (values, vectors), held = traced(eigenpairs)
    np.testing.assert_allclose((vectors * values) @ vectors.T, K, atol=1e-9)
    assert held <= 1.05 * square_bytes(700, EIGEN_COPIES)
