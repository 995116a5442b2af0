"""Figure 2 of Zhang, Tsang and Kwok 2008: what its runs are, and what is found on german."""

import numpy as np
import pytest
from scipy.stats import spearmanr

import nysviz as nv
from nysviz.papers.experiments import problem_of
from nysviz.papers.zhang2008 import figure2
from nysviz.sweep import Problem, run_jobs

DATA = nv.load("iris")
KERNEL = nv.Gaussian.from_width(nv.default_width(DATA.X))
PROBLEM = Problem(DATA.name, DATA.X, KERNEL, DATA.digest)


def records(methods=("kmeans", "uniform", "icd"), m=9, repeats=4, seed=3, problem=PROBLEM):
    return [r for done in run_jobs(figure2.jobs(problem, methods, m, repeats, seed)) for r in done.records]


def test_each_point_is_one_approximation():
    points = figure2.cloud(records(), ("kmeans", "uniform", "icd"))
    assert [len(points.of(method)) for method in points.methods] == [4, 4, 1]
    for row in range(len(points)):
        method, seed = points.methods[points.groups[row]], int(points.seeds[row])
        a = nv.approximate(DATA.X, KERNEL, method, 9, seed)
        found = nv.errors(DATA.X, KERNEL, a)
        assert points.quantization[row] == pytest.approx(nv.quantization_error(DATA.X, a.landmarks), rel=1e-9)
        assert points.frobenius[row] == pytest.approx(found.frobenius, rel=1e-6)
        assert points.relative[row] == pytest.approx(found.relative_frobenius, rel=1e-6)


def test_correlations_of_the_cloud():
    points = figure2.cloud(records(repeats=12), ("kmeans", "uniform", "icd"))
    assert points.overall().spearman == pytest.approx(
        spearmanr(points.quantization, points.relative).statistic, abs=1e-12
    )
    rows = points.of("uniform")
    expected = spearmanr(points.quantization[rows], points.relative[rows]).statistic
    assert points.of_method("uniform").spearman == pytest.approx(expected, abs=1e-12)
    # The one run of icd has no deviation of its own to correlate.
    assert points.pooled().runs == 24 and np.isnan(points.of_method("icd").spearman)


def test_errors_that_are_rounding_count_as_none():
    methods = ("kmeans", "uniform")
    numbers, zero = np.array([0, 1, 1]), np.zeros(3)
    found = figure2.Cloud(
        methods,
        numbers,
        numbers,
        np.array([1e-3, 5e-10, 5e-9]),
        zero,
        np.array([0.1, 2e-10, 5e-11]),
    )
    settled = found.settled(scatter=1e3)
    # Below 1e-12 of the scatter, and below 1e-10 of K itself.
    assert settled.quantization.tolist() == [1e-3, 0.0, 5e-9]
    assert settled.relative.tolist() == [0.1, 2e-10, 0.0]
    assert settled.methods == methods and found.quantization[1] > 0


@pytest.mark.slow
def test_german_as_in_the_paper(needs):
    needs("german")
    of = records(figure2.METHODS, 100, 100, 0, problem_of(nv.load("german")))
    points = figure2.cloud(of, figure2.METHODS)
    means = {method: points.frobenius[points.of(method)].mean() for method in points.methods}
    assert means["kmeans"] == pytest.approx(17.9, rel=0.02)
    assert means["uniform"] == pytest.approx(26.4, rel=0.02)
    assert means["column_norm"] == pytest.approx(30.1, rel=0.03)
    assert points.overall().spearman > 0.9
    assert points.of_method("uniform").spearman > 0.6 > points.of_method("kmeans").spearman
