"""The page Solve: both views show the core's numbers, for every kind of data and size."""

import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning.conjugate_gradients import condition_bound, solve
from nysviz.analysis.learning.feature_trial import single_target, split
from nysviz.analysis.learning.gaussian_process import exact_process, sparse_process
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import memory
from nysviz.studies import solving
from tests.pages.driving import IRIS, KERNEL, TITLES, answer, charts, lines, number, settled, table, unopened

PROCESS = {"solve_view": "Gaussian process"}


def systems(method, m, share=1e-4):
    K, shift = KernelMatrix(IRIS.X, KERNEL, dense=KERNEL(IRIS.X)), share * IRIS.n
    a = None if method is None else nv.approximate(IRIS.X, KERNEL, method, m)
    found = solve(K, single_target(IRIS), shift, a)
    return found, None if a is None else condition_bound(K, a, shift)


def test_the_system_of_the_first_screen():
    at = settled(unopened("solve"))
    assert set(charts(at)) == {"residuals", "iterations", "seconds"}
    shown, least = table(at), math.inf
    for method in solving.FIRST_METHODS:
        found, bound = systems(method, 100)
        row, least = shown[nv.METHODS[method].brief], min(least, found.iterations)
        assert int(row[0]) == found.iterations
        assert [number(row[2]), number(row[3])] == pytest.approx([found.condition, bound], rel=6e-3)
        line = lines(at, "residuals")[nv.METHODS[method].brief]
        np.testing.assert_allclose(line["y"], found.residuals, rtol=1e-6)
    # Each time is the median of three runs: they are short here.
    assert any("median of three runs" in caption.value for caption in at.caption)
    plain = systems(None, 0)[0]
    assert shown["no preconditioner"][0] == str(plain.iterations) and plain.iterations > least
    said = answer(at, "(K + μI) x")
    assert f"**{least} iterations**" in said and f"**{plain.iterations}**" in said
    curve = lines(at, "iterations")["k-means"]
    assert list(curve["x"]) == [10, 20, 50, 100]
    assert list(curve["y"]) == [systems("kmeans", m)[0].iterations for m in (10, 20, 50, 100)]
    at.multiselect(key="solve_methods").set_value([])
    assert set(table(settled(at))) >= {"no preconditioner", "exact (Cholesky)"}
    assert f"takes **{plain.iterations} iterations**." in answer(at, "(K + μI) x")


def test_the_process_is_the_cores():
    data = nv.load("diabetes")
    at = settled(unopened("solve", {**PROCESS, "data": data.title, "solve_noise": "0.3"}))
    assert set(charts(at)) == {"gap", "nlpd", "along"}
    kernel = nv.Gaussian(math.sqrt(nv.default_width(data.X) / 2.0))
    train, test = split(data.n, 0)
    y = single_target(data, train)
    exact = exact_process(data.X[train], y[train], kernel, 0.3)
    shown = {
        name: [number(cell.replace("−", "-")) for cell in row if cell != "–"]
        for name, row in table(at).items()
        if name
    }
    score = exact.nlpd(data.X[test], y[test])
    assert shown["exact process"] == pytest.approx([exact.evidence, score], rel=6e-3)
    for method in solving.FIRST_METHODS:
        a = nv.approximate(data.X[train], kernel, method, 200)
        found = sparse_process(data.X[train], y[train], a, 0.3)
        gap = exact.evidence - found.evidence
        expected = [found.evidence, gap, found.trace_term, found.nlpd(data.X[test], y[test])]
        assert shown[nv.METHODS[method].brief] == pytest.approx(expected, rel=6e-3)
        assert lines(at, "gap")[nv.METHODS[method].brief]["y"][-1] == pytest.approx(gap, rel=1e-6)
    along = lines(at, "along")
    places = np.tile(data.X[train].mean(axis=0), (len(along["exact process"]["x"]), 1))
    # Body mass tells most of the progress of the illness.
    places[:, 2] = along["exact process"]["x"]
    np.testing.assert_allclose(along["exact process"]["y"], exact.posterior(places)[0], atol=1e-4)


def test_rows_too_many_for_K_have_bounds_and_the_chosen_m_alone(monkeypatch):
    monkeypatch.setattr(memory, "HELD_ROWS", 100)
    names = [nv.METHODS["kmeans"].label, nv.METHODS["uniform"].label]
    link = {"solve_methods_many": names}
    at = settled(unopened("solve", link))
    assert set(charts(at)) == {"residuals"} and "exact (Cholesky)" not in table(at)
    assert int(table(at)["k-means"][0]) == pytest.approx(systems("kmeans", 100)[0].iterations, abs=1)
    at = settled(unopened("solve", PROCESS | {"solve_process_methods_many": names}))
    assert "exact process" not in table(at)
    train, _ = split(IRIS.n, 0)
    X, y = IRIS.X[train], single_target(IRIS, train)[train]
    found = [sparse_process(X, y, nv.approximate(X, KERNEL, "uniform", m), 0.1) for m in (10, 20, 50, 100)]
    gaps = [one.upper - one.evidence for one in found]
    np.testing.assert_allclose(lines(at, "gap")["uniform"]["y"], gaps, rtol=1e-5)
    monkeypatch.setattr(solving, "MOST_ROWS", 120)
    at = settled(unopened("solve", link))
    assert any("120 random rows of 150" in text.value for text in at.caption)


@pytest.mark.parametrize("n, link", [(1, {}), (1, PROCESS), (9, PROCESS), (30, {})])
def test_a_handful_of_rows_without_a_class(n, link):
    at = settled(unopened("solve", {"data": TITLES["swiss_roll"], "swiss_roll_n": str(n), **link}))
    assert bool(at.info) == bool(link and n < 13) or charts(at)
