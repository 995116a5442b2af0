"""Lift against dense linear algebra, the range of bandwidths against scipy, and the published statements."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import wilcoxon

import nysviz as nv
from nysviz.papers.data import sample_rows
from nysviz.papers.oglic2017 import lift
from nysviz.papers.oglic2017.figures import bandwidths, kernel_at, matrices_of, squared_distances
from nysviz.sweep import run_jobs

IRIS = nv.load("iris")
RNG = np.random.default_rng(3)
NORMAL = RNG.standard_normal((90, 4))
FEW = ("kmeanspp", "kmeanspp_lloyd", "dpp", "icd", "svd")


def run(matrices, values, schemes, counts, repeats=3, seed=0, **more):
    jobs = lift.lift_jobs(matrices, [kernel_at(v) for v in values], schemes, counts, repeats, seed, **more)
    return [record for finished in run_jobs(jobs) for record in finished.records]


def dense_error(K, scheme, count, seed, kernel, X):
    """‖K − best rank-k part of K̃‖ by whole matrices and their eigenvalues."""
    rank, landmarks = count
    if scheme == "svd":
        values = np.linalg.eigvalsh(K)[::-1]
        return np.sqrt((values[rank:] ** 2).sum())
    of = lift.SCHEMES[scheme]
    a = nv.approximate(X, kernel, of.method, landmarks, seed, **dict(of.options))
    values, vectors = np.linalg.eigh(a.factor @ a.factor.T)
    top = vectors[:, -rank:] * values[-rank:] @ vectors[:, -rank:].T
    return np.linalg.norm(K - top)


def test_distances_and_range_are_those_of_scipy():
    squares = np.sort(pdist(NORMAL, "sqeuclidean"))
    np.testing.assert_allclose(np.sort(squared_distances(NORMAL)), squares, rtol=1e-9)
    # Far from the origin the differences would otherwise be lost.
    np.testing.assert_allclose(np.sort(squared_distances(NORMAL + 1e5)), squares, rtol=1e-4)
    found = bandwidths(NORMAL)
    near, median, far = np.percentile(squares, [1, 50, 99])
    assert found.values[0] == pytest.approx(1 / far) and found.standard == pytest.approx(1 / median)
    assert found.values[-1] == pytest.approx(max(1, 1 / near)) and len(found.values) == 10
    np.testing.assert_allclose(np.diff(np.log(found.values)), np.log(found.values[-1] / found.values[0]) / 9)


def test_repeated_rows_are_left_out_and_equal_rows_refused():
    twice = np.vstack([NORMAL] * 4)
    assert np.percentile(pdist(twice, "sqeuclidean"), 0.5) == 0
    found = bandwidths(twice)
    assert math.isfinite(found.values[-1]) and found.standard == pytest.approx(bandwidths(NORMAL).standard)
    with pytest.raises(ValueError, match="nearly"):
        bandwidths(np.full((8, 3), 1e6 + 0.1))
    # Two rows have one distance: where it is short, both ends of the range are one.
    assert len(bandwidths(np.array([[0.0], [0.1]])).values) == 1


def test_numbers_of_landmarks():
    assert lift.landmark_count(100, 5_000) == 100
    assert lift.landmark_count(100, 5_000, "k ln k") == math.ceil(100 * math.log(100)) == 461
    assert lift.landmark_count(100, 5_000, "k ln n") == 852
    assert lift.landmark_count(1, 50, "k ln k") == 1 and lift.landmark_count(40, 60, "k ln n") == 60


@pytest.mark.parametrize("rule", ["k", "k ln k"])
def test_lifts_are_ratios_of_dense_errors(rule):
    matrices, count = lift.Matrices("iris", IRIS.X, IRIS.digest), (6, lift.landmark_count(6, 150, rule))
    (cell,) = found = lift.lifts(run(matrices, [0.3], FEW, [6], rule=rule, seed=5))
    kernel = kernel_at(0.3)
    two = [job.work()[0] for job in lift.lift_jobs(matrices, [kernel], FEW, [6, 9])[:2]]
    assert [FEW[0] in of for of in lift.lifts(two).values()] == [True]
    K = kernel(IRIS.X)
    uniform = np.array([dense_error(K, "uniform", count, 5 + r, kernel, IRIS.X) for r in range(3)])
    for scheme in FEW:
        errors = np.array([dense_error(K, scheme, count, 5 + r, kernel, IRIS.X) for r in range(3)])
        np.testing.assert_allclose(found[cell][scheme], uniform / errors, rtol=1e-6)
    np.testing.assert_allclose(found[cell]["uniform"], 1.0)
    assert (cell.bandwidth, cell.rank, cell.landmarks) == (pytest.approx(0.3), *count)


def test_no_method_exceeds_the_best_and_nothing_helps_near_the_identity():
    matrices = lift.Matrices("normal", NORMAL, "normal")
    records = run(matrices, [0.01, 1.0, 1e4], [*FEW, "greedy", "rpcholesky"], [10])
    for cell, found in lift.lifts(records).items():
        for values in found.values():
            assert (values <= found["svd"] * (1 + 1e-9)).all()
            if cell.bandwidth > 100:
                np.testing.assert_allclose(values, 1.0, atol=1e-6)
    ends = {lift.cell_of(r).bandwidth: r.values["effective_rank"] for r in records}
    assert ends[max(ends)] == pytest.approx(90, rel=1e-6) and ends[min(ends)] < 2
    of_svd = {lift.cell_of(r).bandwidth: r for r in records if lift.scheme_of(r) == "svd"}
    largest = np.linalg.eigvalsh(kernel_at(0.01)(NORMAL))[-1]
    assert of_svd[min(ends)].values["largest"] == pytest.approx(largest / 90)


def test_gain_is_geometric_and_tested_in_pairs():
    values = np.array([2.0, 4.0, 8.0, 3.0, 5.0, 6.0, 2.5])
    one = lift.gain(values)
    assert one.mean == pytest.approx(values.prod() ** (1 / 7)) and one.runs == 7
    spread = np.log(values).std(ddof=1)
    assert (one.low, one.high) == pytest.approx((one.mean * np.exp(-spread), one.mean * np.exp(spread)))
    assert one.p == pytest.approx(wilcoxon(np.log(values)).pvalue)
    assert math.isnan(lift.gain(values[:5]).p) and lift.gain(np.ones(1)).high == 1.0
    assert lift.gain(1 / values).mean == pytest.approx(1 / one.mean)


def test_rows_are_standardised_and_sampled():
    X = matrices_of("iris", rows=60, seed=2).X
    assert X.shape == (60, 4) and len(np.unique(X, axis=0)) > 50
    np.testing.assert_allclose([X.mean(axis=0), X.std(axis=0)], [[0] * 4, [1] * 4], atol=1e-12)
    assert sample_rows(IRIS, 60, 2)[1] != sample_rows(IRIS, 60, 3)[1]
    assert sample_rows(IRIS, 150, 0)[1] == IRIS.digest


def test_cal_housing_as_published_and_beyond(needs):
    needs("cal_housing")
    matrices = matrices_of("cal_housing", rows=700)
    found = bandwidths(matrices.X)
    names = ("kmeanspp", "kmeanspp_lloyd", "greedy")
    records = run(matrices, [found.values[0], found.standard], names, [100])
    found = {name: lift.gains(lift.lifts(records), name) for name in names}
    assert all(one.mean > 1 for of in found.values() for one in of.values())
    plus, greedy = (next(iter(found[name].values())).mean for name in ("kmeanspp", "greedy"))
    assert greedy > 3 * plus
