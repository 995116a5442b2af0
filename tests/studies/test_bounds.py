"""The studies of bounds: their numbers are those of the matrices themselves, and what they refuse."""

import numpy as np
import pytest

import nysviz as nv

DATA, KERNEL = nv.load("iris").sampled(40), nv.Laplacian(1.5)
K = KERNEL(DATA.X)
STUDIES = {
    "bounds": (nv.studies.bounds, {"method": "rpcholesky", "m": 6}),
    "relative": (nv.studies.relative_bounds, {"rank": 5, "rule": "k ln k"}),
}


def test_error_worst_entry_and_bound_are_those_of_the_matrices():
    result = nv.studies.bounds(DATA, KERNEL, "rpcholesky", 6, seed=3)
    Z = nv.approximate(DATA.X, KERNEL, "rpcholesky", 6, seed=3).landmarks
    W, E = KERNEL(Z), KERNEL(DATA.X, Z)
    gap = np.abs(K - E @ np.linalg.solve(W, E.T))
    report, table = result.report, result.table
    assert report.error == pytest.approx(np.linalg.norm(gap))
    squares = ((DATA.X[:, None] - Z) ** 2).sum(axis=2)
    T, e = np.bincount(squares.argmin(axis=1)).max(), squares.min(axis=1).sum()
    C, inverse = 2 / 1.5**2, np.linalg.norm(np.linalg.inv(W))
    limit = 4 * T * np.sqrt(6 * C * e * T) + 6 * C * T * e * inverse
    assert report.bound.total == pytest.approx(limit)
    np.fill_diagonal(gap, 0.0)
    assert gap[result.worst] == pytest.approx(gap.max())
    assert result.entry_errors["entry_error"] == pytest.approx(gap.max())
    row = table[table.measure == "entry_error_as_landmarks"].iloc[0]
    assert (row.row, row.column) == result.worst and row.value < 1e-10
    curve = table[(table.measure == "bound") & (table.m == 4)]
    assert len(curve) == 5 and "guarantees at most" in result.answer


def test_errors_and_guarantees_are_relative_to_the_best_of_the_rank():
    result = nv.studies.relative_bounds(DATA, KERNEL, rank=5, rule="k ln k", seed=2)
    values = np.linalg.eigvalsh(K)[::-1]
    best, m = np.linalg.norm(values[5:]), 9  # ⌈5 ln 5⌉
    assert result.guarantees["best_frobenius"] == pytest.approx(best)
    assert result.guarantees["li_bound"] == pytest.approx((m + 1) / (m + 1 - 5) * np.sqrt(35))
    runs = [nv.approximate(DATA.X, KERNEL, "dpp", m, 2 + repeat).truncate(5).factor for repeat in range(10)]
    ratios = [np.linalg.norm(K - G @ G.T) / best for G in runs]
    assert result.ratios[5]["dpp"] == pytest.approx(ratios)
    table = result.table
    errors = table[(table.measure == "frobenius") & (table.method == "dpp") & (table["rank"] == 5)]
    assert errors.value.to_numpy() == pytest.approx(best * np.array(ratios))
    assert "best of rank 5" in result.answer and "(no guarantee for this m)" in result.answer


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_have_the_ground_of_their_theme(name, theme):
    study, settings = STUDIES[name]
    result = study(DATA, KERNEL, theme=theme, **settings)
    assert {*result.figures} == {*result.charts}
    for figure in result.figures.values():
        assert figure.layout.paper_bgcolor == result.theme.ground


@pytest.mark.parametrize(
    "name, settings, sentence",
    [
        ("bounds", {"method": "nothing"}, "choose one of"),
        ("bounds", {"method": "rff"}, "needs one set of landmarks"),
        ("bounds", {"m": 41}, "from 1 to 40"),
        ("bounds", {"options": {"steps": 3}}, "does not know the option"),
        ("relative", {"rank": 6}, "one of 2, 5"),
        ("relative", {"rule": "2 k"}, "one of k, k ln k"),
        ("relative", {"kernel": nv.Linear(), "data": np.ones((9, 2))}, "rank 2 or less"),
    ],
)
def test_bad_arguments_give_one_sentence(name, settings, sentence):
    study, _ = STUDIES[name]
    with pytest.raises(ValueError, match=sentence):
        study(**{"data": DATA, "kernel": nv.Gaussian(1.0), **settings})
