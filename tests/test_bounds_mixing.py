"""The chains watched on their way are the method's own, and their measures are the definitions'."""

import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks.selection import residual_floor
from nysviz.matrix import KernelMatrix
from nysviz.measures import sampled_errors
from nysviz.papers.oglic2017.figures import mixing_jobs
from nysviz.steps.mixing import chain
from nysviz.sweep import Problem, run_jobs
from tests import naive

X = np.random.default_rng(5).standard_normal((70, 2))
KERNEL = nv.Gaussian(0.8)
STEPS = (0, 1, 7, 100, 300)


def dense():
    return KernelMatrix(X, KERNEL, dense=KERNEL(X))


@pytest.mark.parametrize("held", [True, False])
def test_the_moments_between_are_those_of_the_slow_twin(held):
    m, seed, last = 9, 2, STEPS[-1]
    rng = np.random.default_rng(seed)
    inside = rng.permutation(len(X))[:m]
    outside = np.setdiff1d(np.arange(len(X)), inside)
    positions, slots = rng.integers(m, size=last), rng.integers(len(X) - m, size=last)
    uniforms = rng.random(last)
    K = dense() if held else KernelMatrix(X, KERNEL)
    for moment in chain(K, m, seed, "uniform", STEPS):
        t = moment.steps
        expected = naive.swap_chain(
            KERNEL(X), inside.copy(), outside.copy(), positions[:t], slots[:t], uniforms[:t]
        )
        assert list(moment.landmarks) == [int(i) for i in expected[0]]
        W = KERNEL(X[moment.landmarks])
        assert moment.log_determinant == pytest.approx(np.linalg.slogdet(W)[1], rel=1e-6)
        assert moment.kept == len(set(moment.landmarks.tolist()) & set(inside.tolist())) / m


def test_repeated_rows_keep_the_logarithm_finite():
    rows = np.vstack([X[:20], X[:20]])
    K = KernelMatrix(rows, KERNEL, dense=KERNEL(rows))
    moments = [chain(K, 12, seed, "uniform", (0, 5)) for seed in range(6)]
    values = np.array([moment.log_determinant for run in moments for moment in run])
    assert np.isfinite(values).all()
    twice = [run[0] for run in moments if len(set(run[0].landmarks % 20)) < 12]
    assert twice
    for moment in twice:
        # One singular direction for each repeated row, of the size that the diagonal is raised by.
        lost = 12 - len(set(moment.landmarks % 20))
        assert moment.log_determinant < lost * (math.log(residual_floor(K)) + 1.0)
        assert moment.singular == lost


@pytest.mark.parametrize("rows", [70, 5_000])
def test_the_records_hold_the_errors_of_the_landmarks(rows, monkeypatch):
    data = np.random.default_rng(1).standard_normal((rows, 2))
    monkeypatch.setattr("nysviz.papers.oglic2017.figures.checkpoints", lambda n: (0, 40))
    problem = Problem("noise", data, KERNEL, f"noise of {rows}")
    jobs = mixing_jobs(problem, 8, 2, seed=4)
    records = [record for finished in run_jobs(jobs) for record in finished.records]
    # A record carries its repeat: the same chain under another seed and repeat is another cell.
    keys = {job.key for job in (*jobs, *mixing_jobs(problem, 8, 2, seed=5))}
    assert len(jobs) == 4 and len(keys) == 8 and len(records) == 8
    for record in records:
        options = dict(record.options)
        assert record.seed == 4 + record.repeat and options["steps"] == 40
        if record.values["steps"] == 40:
            a = nv.approximate(data, KERNEL, "dpp", 8, record.seed, **options)
        else:
            a = nv.approximate(data, KERNEL, options["start"], 8, record.seed)
        if rows == 70:
            found = nv.errors(data, KERNEL, a)
        else:
            found = sampled_errors(data, KERNEL, a)
        assert record.values["relative_frobenius"] == pytest.approx(found.relative_frobenius, rel=1e-6)
