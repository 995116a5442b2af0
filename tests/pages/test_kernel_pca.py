"""The page Kernel PCA: its numbers are the core's, for every view, method, kind of data and size."""

import math

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning.kernel_pca import (
    approximate_embedding,
    departure,
    exact_embedding,
    misalignment,
    principal_angles,
)
from nysviz.figures.look import CLASS_HUES
from nysviz.numerics import memory
from nysviz.papers.zhang2008 import table3
from nysviz.studies import matrices
from tests.pages.driving import IRIS, KERNEL, answer, charts, code_of, lines, number, opened, table
from tests.pairing import quickly


def check(at, X, kernel, method, m, seed=0):
    exact = exact_embedding(X, kernel, min(3, len(X) - 1))
    found = approximate_embedding(nv.approximate(X, kernel, method, m, seed), exact.vectors.shape[1])
    shown = table(at)
    error = misalignment(exact.vectors, found.vectors)
    said = answer(at, "Misalignment").split("**")[1]
    assert number(said) == pytest.approx(error, rel=6e-3, abs=1e-12)
    angles = principal_angles(exact.vectors, found.vectors)
    if error > 1e-6:
        for j, angle in enumerate(angles, 1):
            assert number(shown[f"angle θ{j}"][0].rstrip("°")) == pytest.approx(angle, rel=6e-3, abs=1e-5)
    return exact, found


def test_first_screen():
    at = opened("kernel_pca", kernel_pca_pair="2 and 3")
    found = charts(at)
    assert set(found) == {"embedding", "misalignment", "forms"}
    exact, _ = check(at, IRIS.X, KERNEL, "kmeans", 8)
    assert "with 8 landmarks" in answer(at, "Misalignment")
    # The times that are compared are medians.
    assert [table(at)[name][1] for name in ("time", "time, exact")] == ["median of 3"] * 2
    sides = [trace for trace in found["embedding"]["data"] if trace["mode"] == "markers"][3:]
    assert [len(side["x"]) for side in sides] == [150, 150]
    # The exact side shows the exact eigenvectors, up to their sign.
    layout, vectors = found["embedding"]["layout"], np.abs(exact.vectors) * math.sqrt(150)
    for axis, k in (("x", 1), ("y", 2)):
        np.testing.assert_allclose(np.abs(sides[0][axis]), vectors[:, k], rtol=1e-3, atol=1e-4)
        assert layout[f"{axis}axis"]["title"]["text"] == f"direction {k + 1}"
    assert layout["xaxis"]["range"] == layout["xaxis2"]["range"]
    assert len(set(sides[0]["marker"]["color"])) == 3 <= len(CLASS_HUES)


@pytest.mark.parametrize("method", quickly(("uniform", "ensemble", "rff"), nv.METHODS))
def test_each_method(method):
    at = opened("kernel_pca", method=nv.METHODS[method].label, seed="2")
    check(at, IRIS.X, KERNEL, method, 8, seed=2)
    a = nv.approximate(IRIS.X, KERNEL, method, 8, 2)
    extends = a.landmarks is not None and a.shares is None
    assert ("forms" in charts(at)) == extends
    if extends:
        plain = departure(a.eigh(8, form="extension")[1])
        heading = charts(at)["forms"]["layout"]["annotations"][0]["text"]
        assert number(heading.split(" = ")[1]) == pytest.approx(plain, rel=6e-3)
    else:
        assert any("plain extension needs landmarks" in text.value for text in at.caption)


def test_the_curve_holds_the_medians_of_all_runs():
    drawn = lines(opened("kernel_pca", seed="4"), "misalignment")
    exact = exact_embedding(IRIS.X, KERNEL).vectors
    for name in ("kmeans", "kmeans_keep", "uniform", "icd", "icd_first"):
        line, (method, options) = drawn[table3.label_of(name)], table3.method_and_options(name)
        place = list(line["x"]).index(5.0)
        runs = []
        for s in range(4, 14 if table3.is_random(name) else 5):
            a = nv.approximate(IRIS.X, KERNEL, method, 8, s, **dict(options))
            runs.append(misalignment(exact, approximate_embedding(a).vectors))
        assert line["y"][place] == pytest.approx(np.median(runs), rel=1e-5)
        assert line["text"][place].endswith(f"{len(runs)} run{'s' * (len(runs) > 1)}")


def test_values_to_predict_colour_some_of_the_points():
    data = nv.load("diabetes")
    at = opened("kernel_pca", data=data.title)
    rows = matrices.drawn_rows(data.n, 400)
    chart = charts(at)["embedding"]
    np.testing.assert_allclose(chart["data"][0]["marker"]["color"], data.y[rows], rtol=1e-6)
    assert "400 points drawn" in chart["layout"]["title"]["subtitle"]["text"]


def test_large_data_are_sampled_and_said(monkeypatch):
    monkeypatch.setattr(memory, "HELD_ROWS", 120)
    at = opened("kernel_pca", seed="3")
    assert any("120 random rows of 150" in text.value for text in at.caption)
    check(at, IRIS.sampled(120).X, KERNEL, "kmeans", 6, seed=3)
    assert 'nv.load("iris")\n' in code_of(at)  # the study takes the sample
