"""nysviz.plot: the figures show the results that they were given."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nysviz as nv
from nysviz.analysis import steps
from nysviz.figures.look import DARK
from nysviz.kernels.matrix import KernelMatrix

SCRIPTS = sorted((Path(__file__).parents[2] / "docs" / "gallery").glob("*.py"))
DATA = nv.load("iris")
KERNEL = nv.Gaussian(1.0)
A = nv.approximate(DATA.X, KERNEL, method="kmeans", m=10, seed=0)
ERRORS = {"uniform": np.array([[4.0, 2.0], [2.0, 2.0]]), "kmeans": np.array([1.0, 0.5])}


def trace(figure, name):
    (found,) = [one for one in figure.data if one.name == name]
    return found


def test_error_curves_are_means_with_a_band_of_one_deviation():
    figure = nv.plot.error_curves([5, 10], ERRORS)
    np.testing.assert_allclose(trace(figure, "uniform sampling").y, [3.0, 2.0])
    np.testing.assert_allclose(trace(figure, "k-means centres").y, [1.0, 0.5])
    (band,) = [one for one in figure.data if one.fill]
    np.testing.assert_allclose(sorted(band.y), sorted([3 - 2**0.5, 3 + 2**0.5, 2.0, 2.0]))


def test_a_frame_stands_for_a_mapping():
    frame = pd.DataFrame({"uniform": [4.0, 2.0], "kmeans": [1.0, 0.5]}, index=[5, 10])
    for draw in (nv.plot.error_curves, nv.plot.lift):
        assert draw(frame.index, frame) == draw([5, 10], dict(frame))


def test_lift_is_the_mean_error_of_uniform_sampling_over_that_of_the_method():
    figure = nv.plot.lift([5, 10], ERRORS, "landmarks m")
    np.testing.assert_allclose(trace(figure, "k-means centres").y, [3.0, 4.0])


@pytest.mark.parametrize("method", ["kmeans", "icd", "svd", "rff"])
def test_landmarks_stand_on_the_residuals_of_all_rows(method):
    a = nv.approximate(DATA.X, KERNEL, method=method, m=10, seed=0)
    figure = nv.plot.landmarks(DATA, a, theme="dark")
    K, approximated = KERNEL(DATA.X), a.factor @ a.factor.T
    wanted = np.abs(np.diag(K - approximated))
    if method == "rff":
        wanted = np.linalg.norm(K - approximated, axis=1) / np.linalg.norm(K, axis=1)
    np.testing.assert_allclose(figure.data[0].marker.color, wanted, rtol=1e-5, atol=1e-6)
    marks = [one for one in figure.data if one.name and one.name.startswith("landmark")]
    assert [len(one.x) for one in marks] == ([10] if method in ("kmeans", "icd") else [])
    assert figure.layout.paper_bgcolor == DARK.ground


def test_matrices_hold_the_entries_of_the_same_rows():
    figure = nv.plot.matrices(DATA, A)
    left, right = (one for one in figure.data if one.xaxis != "x9")
    order = [int(name.removeprefix("row ")) for name in left.y]
    assert sorted(order) == list(range(DATA.n)) and tuple(right.y) == tuple(left.y)
    np.testing.assert_allclose(left.z, KERNEL(DATA.X[order]), atol=1e-6)
    np.testing.assert_allclose(right.z, A.take(order) @ A.take(order).T, atol=1e-6)


def test_the_spectrum_is_that_of_both_matrices():
    values = nv.spectrum(DATA.X, KERNEL)
    figure = nv.plot.spectrum(values, A)
    own = trace(figure, "K̃, k-means")
    np.testing.assert_allclose(own.y, A.eigh()[0] / DATA.n, rtol=1e-9)
    np.testing.assert_allclose(trace(figure, "K").y[:20], values[:20] / DATA.n)


@pytest.mark.parametrize("value", [A, DATA, nv.errors(DATA.X, KERNEL, A)], ids=type)
def test_results_are_short_in_a_notebook(value):
    assert len(repr(value)) < 200 and repr(value).startswith(type(value).__name__)
    assert value._repr_html_().startswith("<table>") and "<script" not in value._repr_html_()


def test_texts_of_a_file_are_inert_in_a_notebook():
    assert "<b>" not in nv.parse(b"a,b\n1,2\n3,4\n", "<b>.csv")._repr_html_()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_each_script_of_the_gallery_draws(script):
    lines = [one for one in runpy.run_path(str(script))["figure"].data if one.type == "scatter"]
    assert all(np.isfinite(np.asarray(one.y, dtype=float)).all() for one in lines)


def test_steps_are_numbered_where_the_rows_stand_that_were_chosen():
    K = KernelMatrix(DATA.X, KERNEL)
    found = steps.trace(K, "greedy", 8, np.random.default_rng(0))
    figure = nv.plot.steps(DATA, found)
    picked = nv.approximate(DATA.X, KERNEL, "greedy", 8)
    other = nv.plot.landmarks(DATA, picked)
    marks, numbers = other.data[-1], figure.data[-1]
    assert list(numbers.text) == [str(t) for t in range(1, 9)]
    np.testing.assert_allclose(numbers.x, np.asarray(marks.x, dtype=float), rtol=1e-6)
    few = steps.trace(KernelMatrix(DATA.X[:20], KERNEL), "icd", 3, np.random.default_rng(0))
    with pytest.raises(ValueError, match="150 rows, but the trace is of 20"):
        nv.plot.steps(DATA, few)
