"""Theorem 1's conclusion tried on clusterings, and ranks from more landmarks with Li's bound."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.bounds.eigengap import conclusion
from nysviz.bounds.relative import best_clustering, li_bound
from nysviz.matrix import KernelMatrix
from nysviz.papers.oglic2017.lift import landmark_count
from nysviz.papers.oglic2017.more_landmarks import rank_jobs
from nysviz.spectrum import best_errors
from nysviz.sweep import Problem, run_jobs
from tests import naive


def by_definition(features, labels, rank):
    """Gap and share outside from the covariance's eigenvectors and the centroids, one at a time."""
    centred = features - features.mean(axis=0)
    values, vectors = naive.descending_eigh(centred.T @ centred)
    total = outside = 0.0
    for k in set(labels.tolist()):
        rows = centred[labels == k]
        mean = rows.mean(axis=0)
        left = mean - vectors[:, :rank] @ (vectors[:, :rank].T @ mean)
        total += len(rows) * mean @ mean
        outside += len(rows) * left @ left
    return (values[rank - 1] - values[rank]) / values[rank - 1], outside / total


@pytest.mark.parametrize("rank", [1, 2, 4, 20])
def test_gap_and_share_outside_by_definition(rank):
    # 60 columns: Lanczos for the small ranks, all singular vectors for the large one.
    features = np.random.default_rng(0).standard_normal((90, 60)) * np.geomspace(3, 0.1, 60) + 1.0
    labels = np.random.default_rng(rank).integers(rank + 1, size=90)
    found = conclusion(features, labels, rank)
    gap, outside = by_definition(features, labels, rank)
    assert found.gap == pytest.approx(gap, rel=1e-8)
    assert found.outside == pytest.approx(outside, rel=1e-8)
    assert not found.holds


def test_it_holds_for_points_that_are_their_centroids():
    points = np.array([[0.0, 0.0, 5.0], [4.0, 0.0, 5.0], [0.0, 3.0, 5.0]])
    found = conclusion(np.repeat(points, 6, axis=0), np.repeat([0, 1, 2], 6), 2)
    assert found.holds and found.gap == pytest.approx(1.0)


def test_a_shift_of_all_points_changes_nothing():
    rng = np.random.default_rng(2)
    features, labels = rng.standard_normal((40, 6)) * np.arange(6, 0, -1), rng.integers(3, size=40)
    here, there = (conclusion(features + shift, labels, 2) for shift in (0.0, 7.0))
    assert here.gap == pytest.approx(there.gap) and here.outside == pytest.approx(there.outside)


def test_a_wide_gap_does_not_make_the_conclusion_exact():
    # Two groups far apart along one axis: the gap nears 1, and the centroids still lean a little.
    rng = np.random.default_rng(0)
    features = rng.standard_normal((40, 2)) + np.repeat([[-1e3, 0.0], [1e3, 0.0]], 20, axis=0)
    found = conclusion(features, best_clustering(features, 2, 3).labels, 1)
    assert found.gap > 0.999999
    assert 0 < found.outside < 1e-6


@pytest.mark.parametrize("rule", ["K", "K ln K", "K ln n"])
def test_errors_of_the_best_rank_from_more_landmarks(rule):
    data = nv.load("iris")
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    K = kernel(data.X)
    jobs = rank_jobs(Problem("iris", data.X, kernel, data.digest), ("kmeanspp", "dpp"), (5, 10), 3, 2, rule)
    records = [record for finished in run_jobs(jobs) for record in finished.records]
    # A record carries its repeat: the same run under another seed and repeat is another cell.
    others = rank_jobs(Problem("iris", data.X, kernel, data.digest), ("kmeanspp", "dpp"), (5, 10), 3, 3, rule)
    assert len(records) == 12 and len({job.key for job in (*jobs, *others)}) == 24
    matrix = KernelMatrix(data.X, kernel, dense=K)
    values = nv.spectrum(data.X, kernel)
    for record in records:
        rank = int(record.values["rank"])
        assert record.m == landmark_count(rank, data.n, rule) and record.seed == 2 + record.repeat
        a = nv.approximate(data.X, kernel, record.method, record.m, record.seed, matrix=matrix)
        low = naive.descending_eigh(a.factor @ a.factor.T)
        best = low[1][:, :rank] * low[0][:rank] @ low[1][:, :rank].T
        assert record.values["frobenius"] == pytest.approx(np.linalg.norm(K - best), rel=1e-6)
    for rank in (5, 10):
        mean = np.mean(
            [r.values["frobenius"] for r in records if (r.method, r.values["rank"]) == ("dpp", rank)]
        )
        assert mean / best_errors(values, rank)[0] >= 1.0
        assert mean / best_errors(values, rank)[0] <= li_bound(
            landmark_count(rank, data.n, rule), rank, data.n
        )
