"""A mixture holds weights of all its experts' landmarks: too many are refused, or left out, in a sentence."""

import numpy as np
import pytest

import nysviz as nv
from nysviz import machine
from nysviz.sweep import Problem, cost_jobs, sweep_jobs
from nysviz.ui import large

X = np.random.default_rng(0).standard_normal((200, 3))
# Weights of 100 landmarks and no more: 8 · 100² bytes are an eighth of this.
LIMIT = 64 * 100**2


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(machine, "limit_bytes", lambda: LIMIT)
    monkeypatch.setattr(machine, "free_bytes", lambda: 2**40)


def test_too_many_are_refused_in_a_sentence(small):
    nv.approximate(X, nv.Gaussian(1.0), "ensemble", 10)
    with pytest.raises(ValueError, match=r"for the 110 landmarks of all its experts.*enough for 100; choose"):
        nv.approximate(X, nv.Gaussian(1.0), "ensemble", 11)
    nv.approximate(X, nv.Gaussian(1.0), "ensemble", 50, experts=2)
    # Others have no such weights.
    nv.approximate(X, nv.Gaussian(1.0), "uniform", 150)
    nv.approximate(X, nv.Gaussian(1.0), "ensemble", 150, experts=1)


def test_a_grid_leaves_them_out_and_keeps_all_others(small):
    problem = Problem("x", X, nv.Gaussian(1.0), "x")
    for make in (sweep_jobs, cost_jobs):
        jobs = make(problem, {"ensemble": (), "uniform": ()}, [5, 10, 11, 150], 1)
        found = {(record.method, record.m) for job in jobs for record in job.work()}
        assert found == {("ensemble", 5), ("ensemble", 10)} | {("uniform", m) for m in (5, 10, 11, 150)}


def test_a_page_says_from_which_m_on(small):
    assert large.mixtures_sentence(["uniform", "kmeans"], [5, 150]) == ""
    assert large.mixtures_sentence(["ensemble"], [5, 10]) == ""
    assert large.mixtures_sentence(["uniform", "ensemble"], [5, 11, 150]).endswith("ensemble from m = 11.")
