"""Guarantees relative to the best, their formulas and the clustering that theorem 4 needs."""

import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.bounds import relative
from nysviz.analysis.bounds.relative import arthur_bound, best_clustering, li_bound, oglic_bound
from nysviz.analysis.spectrum import best_errors
from nysviz.papers.oglic2017.lift import rank_jobs
from nysviz.sweep import Problem
from tests import naive

CENTRES = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]])
X = np.concatenate([np.random.default_rng(k).normal(c, 0.2, (12, 2)) for k, c in enumerate(CENTRES)])
KERNEL = nv.Gaussian(1.5)
K = KERNEL(X)
VALUES, VECTORS = naive.descending_eigh(K)
FEATURES = relative.feature_rows(VALUES, VECTORS)


def potential(labels):
    """Σ over clusters of squared distances to the mean, from the kernel alone."""
    total = 0.0
    for k in set(labels):
        rows = np.flatnonzero(labels == k)
        block = K[np.ix_(rows, rows)]
        total += np.trace(block) - block.sum() / len(rows)
    return total


def test_the_same_run_under_another_seed_and_repeat_is_another_cell():
    iris = nv.load("iris")
    problem = Problem("iris", iris.X, KERNEL, iris.digest)
    jobs = [rank_jobs(problem, ("kmeanspp", "dpp"), (5, 10), 3, seed, "k ln n") for seed in (2, 3)]
    assert len({job.key for of in jobs for job in of}) == sum(map(len, jobs)) == 24


def test_formulas():
    assert oglic_bound(10, 110) == pytest.approx(8 * (math.log(11) + 2) * 10)
    assert oglic_bound(10, 110, 3.0) == pytest.approx(8 * (math.log(11) + 2) * 13)
    assert li_bound(10, 10, 110) == pytest.approx(11 * 10)
    assert li_bound(19, 10, 110) == pytest.approx(2 * 10)
    assert arthur_bound(1) == 16.0
    for impossible in (lambda: oglic_bound(5, 5), lambda: li_bound(3, 5, 9), lambda: arthur_bound(0)):
        with pytest.raises(ValueError, match="needed"):
            impossible()


def test_well_separated_groups_are_found_and_their_potential_is_the_kernels():
    found = best_clustering(FEATURES, 3, 4)
    groups = [set(found.labels[12 * k : 12 * k + 12].tolist()) for k in range(3)]
    assert [len(group) for group in groups] == [1, 1, 1] and len(set.union(*groups)) == 3
    assert found.potential == pytest.approx(potential(found.labels))
    # Seeds are centres that are points: never better than the means of the best clusters found.
    assert (found.seed_potentials >= found.potential).all()


@pytest.mark.parametrize("clusters", [2, 5])
def test_mean_potential_of_seeds_is_within_the_guarantee(clusters):
    found = best_clustering(FEATURES, clusters, 40)
    assert found.seed_potentials.mean() <= arthur_bound(clusters) * found.potential


def test_theta_and_the_share_outside_by_projection():
    found, rank = best_clustering(FEATURES, 3, 2), 2
    onto = VECTORS[:, :rank] @ np.diag(np.sqrt(VALUES[:rank]))
    means = np.array([FEATURES[found.labels == k].mean(axis=0) for k in found.labels])
    inside = np.array([onto[found.labels == k].mean(axis=0) for k in found.labels])
    tail = best_errors(VALUES, rank)[0]
    assert relative.theta(FEATURES, found.labels, rank, tail) == pytest.approx(
        ((onto - inside) ** 2).sum() / tail
    )
    share = 1 - (inside**2).sum() / (means**2).sum()
    assert relative.outside_share(FEATURES, found.labels, rank) == pytest.approx(share)
    assert relative.theta(FEATURES, found.labels, rank, 0.0) == math.inf


@pytest.mark.parametrize("name, method", [("iris", "kmeanspp"), ("wine", "dpp")])
def test_mean_measured_ratio_is_within_the_guarantee(name, method):
    data = nv.load(name)
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    values = nv.spectrum(data.X, kernel)
    for rank in (2, 5, 15):
        runs = [nv.approximate(data.X, kernel, method, rank, seed) for seed in range(8)]
        ratio = np.mean([nv.errors(data.X, kernel, a).frobenius for a in runs]) / best_errors(values, rank)[0]
        bound = oglic_bound(rank, data.n) if method == "kmeanspp" else li_bound(rank, rank, data.n)
        assert 1.0 <= ratio <= bound


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


@pytest.mark.parametrize("rank", [1, 20])
def test_gap_and_share_outside_by_definition(rank):
    # 60 columns: Lanczos for the small ranks, all singular vectors for the large one.
    features = np.random.default_rng(0).standard_normal((90, 60)) * np.geomspace(3, 0.1, 60) + 1.0
    labels = np.random.default_rng(rank).integers(rank + 1, size=90)
    found = relative.conclusion(features, labels, rank)
    gap, outside = by_definition(features, labels, rank)
    assert found[0] == pytest.approx(gap, rel=1e-8)
    assert found[1] == pytest.approx(outside, rel=1e-8)
    assert found[1] > 1e-8
