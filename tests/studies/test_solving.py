"""The studies of a system with K: their numbers are those of the core, and what they refuse."""

import math
from dataclasses import replace

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning.conjugate_gradients import solve_exactly
from nysviz.kernels.matrix import KernelMatrix

DATA, KERNEL = nv.load("diabetes").sampled(90), nv.Gaussian(0.2)
VIEWS = {
    "system": (nv.studies.linear_system, {"relative_shift": 1e-3}),
    "process": (
        nv.studies.gaussian_process,
        {"noise": 0.3, "along_feature": 8, "along_method": "rpcholesky"},
    ),
}


def values(table, measure, **where):
    rows = table[table.measure == measure]
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows.value.to_numpy()


def test_the_residuals_are_those_of_the_preconditioned_system():
    result = nv.studies.linear_system(DATA, KERNEL, methods=["rpcholesky"], m=7, relative_shift=1e-3, seed=4)
    K = KERNEL(DATA.X)
    A, b = K + 1e-3 * np.trace(K) * np.eye(90), (DATA.y - DATA.y.mean()) / DATA.y.std()
    shift = 1e-3 * np.trace(K)
    x = solve_exactly(KernelMatrix(DATA.X, KERNEL), b, shift)
    np.testing.assert_allclose(A @ x, b, atol=1e-9)
    record = next(r for r in result.systems if (r.method, r.m) == ("rpcholesky", 7))
    a = nv.approximate(DATA.X, KERNEL, "rpcholesky", 7, seed=4)
    # The preconditioned matrix itself, whose condition the iterations approach from below.
    root = np.linalg.cholesky(a.factor @ a.factor.T + shift * np.eye(90))
    condition = np.linalg.cond(np.linalg.solve(root, np.linalg.solve(root, A).T))
    assert 0.9 * condition < record.condition <= condition * (1 + 1e-9)
    assert condition <= record.bound == pytest.approx(1 + np.trace(K - a.factor @ a.factor.T) / shift)
    residuals = values(result.table, "residual", method="rpcholesky", m=7)
    assert residuals[0] == 1 and residuals[-1] <= 1e-6 and len(residuals) == record.iterations + 1
    assert f"**{record.iterations} iterations** with 7 landmarks" in result.answer
    assert sorted({*result.table.m}) == [0, 7, 10, 20, 50]


@pytest.mark.parametrize(
    "direct, iterated, says",
    [(0.5, 2.0, "from about **n = 360** on"), (2.0, 0.5, "landmarks pay here"), (0.5, math.inf, "")],
)
def test_iterations_pay_from_where_n_cubed_meets_n_squared(direct, iterated, says):
    result = nv.studies.linear_system(DATA, KERNEL, methods=["rpcholesky"], m=7, relative_shift=1e-3)
    times = {"exact": direct, "rpcholesky": iterated, "none": 9.0}
    result.records_by_part["systems"] = [
        replace(record, seconds=times[record.method], converged=times[record.method] < math.inf)
        for record in result.systems
    ]
    assert says in result.answer and ("pay" in result.answer) == bool(says)
    if rows := result.paying_rows:
        assert rows**3 * direct / 90**3 == pytest.approx(rows**2 * iterated / 90**2, rel=0.05)


def test_the_evidence_and_its_bounds_are_those_of_the_densities():
    result = nv.studies.gaussian_process(
        DATA, KERNEL, methods=["greedy"], m=12, noise=0.3, along_feature=8, seed=3
    )
    order = np.random.default_rng([3, 1]).permutation(90)
    train, test = order[:72], order[72:]
    y = (DATA.y - DATA.y[train].mean()) / DATA.y[train].std()
    X, K = DATA.X[train], KERNEL(DATA.X[train])

    def log_density(C):
        return -0.5 * (y[train] @ np.linalg.solve(C, y[train]) + np.linalg.slogdet(2 * np.pi * C)[1])

    G, noise = nv.approximate(X, KERNEL, "greedy", 12, seed=3).factor, 0.3 * np.eye(72)
    lower = log_density(G @ G.T + noise) - np.trace(K - G @ G.T) / 0.6
    assert values(result.table, "evidence", method="exact") == pytest.approx([log_density(K + noise)])
    assert values(result.table, "evidence", method="greedy", m=12) == pytest.approx([lower])
    weights = np.linalg.solve(K + noise, np.c_[y[train], KERNEL(X, DATA.X[test])])
    mean, spent = KERNEL(DATA.X[test], X) @ weights[:, 0], weights[:, 1:] * KERNEL(X, DATA.X[test])
    variance = 1.3 - spent.sum(axis=0)
    nlpd = np.mean(np.log(2 * np.pi * variance) + (y[test] - mean) ** 2 / variance) / 2
    assert values(result.table, "nlpd", method="exact") == pytest.approx([nlpd])
    assert result.along_method == "greedy" and "12 inducing points by" in result.answer


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_have_the_ground_of_their_theme(view, theme):
    study, settings = VIEWS[view]
    result = study(DATA, KERNEL, methods=["rpcholesky"], m=9, theme=theme, **settings)
    assert len(result.figures) == 3
    for figure in result.figures.values():
        assert figure.layout.paper_bgcolor == result.theme.ground


@pytest.mark.parametrize(
    "view, settings, sentence",
    [
        ("system", {"methods": ["nothing"]}, "choose one of"),
        ("system", {"m": 91}, "from 1 to 90"),
        ("system", {"relative_shift": 0.0}, "above 0"),
        ("process", {"m": 73}, "from 1 to 72"),
        ("process", {"noise": -1.0}, "above 0"),
        ("process", {"methods": ["rff"]}, "no bound"),
        ("process", {"along_method": "greedy", "methods": ["uniform"]}, "one of those compared"),
        ("process", {"along_feature": 10}, "from 0 to 9"),
        ("process", {"data": DATA.X}, "no target"),
    ],
)
def test_bad_arguments_give_one_sentence(view, settings, sentence):
    study, _ = VIEWS[view]
    with pytest.raises(ValueError, match=sentence):
        study(**{"data": DATA, "kernel": KERNEL, "methods": ["uniform"], "m": 10, **settings})
