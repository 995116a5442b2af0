"""Errors on data of the papers, where the data folder has the files."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.matrix import KernelMatrix

SEEDS = range(10)


@pytest.fixture(scope="module")
def german():
    """German credit data scaled to [-1, 1], with Zhang's default width."""
    try:
        X = nv.load("german").X
    except ValueError as absent:
        pytest.skip(str(absent))
    assert X.min() == -1 and X.max() == 1
    kernel = nv.Gaussian.from_width(nv.default_width(X))
    return X, kernel, kernel(X)


@pytest.mark.parametrize(
    "method, m, published, tolerance",
    [
        ("icd", 50, 91.6, 0.5),
        ("kmeans", 100, 17.9, 0.6),
        ("uniform", 100, 26.4, 1.0),
        ("column_norm", 100, 30.1, 1.5),
    ],
)
def test_frobenius_errors_on_german(german, method, m, published, tolerance):
    """Zhang 2008, figure 1: means over ten draws, read with the tolerance of their spread."""
    X, kernel, K = german
    seeds = SEEDS if nv.METHODS[method].random else [0]
    matrix = KernelMatrix(X, kernel, dense=K)
    errors = [nv.error_curve(X, kernel, method, [m], seed, matrix=matrix)[0] for seed in seeds]
    assert np.mean(errors) == pytest.approx(published, abs=tolerance)
