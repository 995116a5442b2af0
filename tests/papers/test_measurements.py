"""Measurements that only the claims need, against the plain formula."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.papers.farahat2011 import measurements as farahat
from nysviz.papers.oglic2017 import measurements as oglic
from nysviz.papers.oglic2017.bandwidths import kernel_at


def test_errors_on_all_rows_are_those_of_the_whole_matrix():
    gamma = 0.05
    rows = list(oglic._on_all_rows("breast_cancer", gamma, 2, 3))
    assert {row.method for row in rows} == {"uniform", *oglic.WHOLE_SCHEMES}
    X = nv.load("breast_cancer").X
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    K = kernel_at(gamma)(X)
    for row in rows:
        assert row.n == len(X) and row.data == f"breast_cancer {len(X)}@gamma={gamma}"
        if row.method in ("uniform", "kmeanspp"):
            pivots = nv.approximate(X, kernel_at(gamma), row.method, row.m, 3 + row.repeat).pivots
            E = K[:, pivots]
            error = np.linalg.norm(K - E @ np.linalg.pinv(K[np.ix_(pivots, pivots)], hermitian=True) @ E.T)
            assert row.value == pytest.approx(error / np.linalg.norm(K), rel=1e-6)


def test_seconds_are_taken_with_and_without_k():
    rows = list(farahat.seconds(["breast_cancer"], 1, 0))
    ways = {row.data.partition("@")[2] for row in rows}
    assert ways == {farahat.GIVEN, farahat.COMPUTED}
    cells = {(row.data, row.method, row.m) for row in rows}
    assert len(cells) == len(rows) == 2 * len(farahat.TIMED) * len({row.m for row in rows})
    assert all(row.value >= 0 and row.measure == "seconds" for row in rows)
