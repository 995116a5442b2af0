"""The charts of kernel PCA: what they hold, whatever the classes, names and sizes."""

import numpy as np
import pytest

from nysviz.figures.class_marks import CLASS_HUES, CLASS_SYMBOLS, Points, class_hue, class_symbol
from nysviz.figures.kernel_pca import (
    PAIRS,
    embedding_chart,
    gram_chart,
    misalignment_chart,
)
from nysviz.figures.look import DARK, LIGHT, Sheet
from nysviz.figures.traces import Line
from tests.figures.test_look import contrast

RNG = np.random.default_rng(0)
EXACT, OTHER = RNG.standard_normal((2, 40, 3))
LIMITS = np.array([[-3.0, -4.0, -5.0], [3.0, 4.0, 5.0]])
CLASSES = Points(np.arange(40), np.arange(40) % 3, ("<b>a</b>", "b", "$c$"))


def test_classes_look_different():
    looks = {(class_hue(code, LIGHT), class_symbol(code)) for code in range(50)}
    assert len(looks) == len(CLASS_HUES) * len(CLASS_SYMBOLS) == 50
    for theme in (LIGHT, DARK):
        assert min(contrast(class_hue(code, theme), theme.ground) for code in range(10)) > 1.5


@pytest.mark.parametrize("pairs", [PAIRS[:1], PAIRS], ids=["one pair", "three pairs"])
def test_both_sides_hold_their_coordinates(pairs):
    figure = embedding_chart(EXACT, OTHER, CLASSES, LIMITS, ("e", "o"), Sheet(LIGHT, "t", "s"), pairs)
    dots = [trace for trace in figure.data if trace.type == "scatter" and len(trace.x) == 40]
    assert len(dots) == 2 * len(pairs)
    for k, (side, (i, j)) in enumerate([(side, pair) for side in (EXACT, OTHER) for pair in pairs]):
        np.testing.assert_allclose(dots[k].x, side[:, i], rtol=1e-6)
        np.testing.assert_allclose(dots[k].y, side[:, j], rtol=1e-6)
        number = "" if k == 0 else str(k + 1)
        assert tuple(figure.layout[f"xaxis{number}"].range) == tuple(LIMITS[:, i])
        assert tuple(figure.layout[f"yaxis{number}"].range) == tuple(LIMITS[:, j])
    assert "<b>" not in " ".join(dots[0].text) and "$" not in " ".join(dots[0].text)


def test_the_curve_leaves_out_rounding():
    x = np.array([1.0, 10.0])
    rounding = np.array([0.5, 1e-18])
    lines = [
        Line("kmeans", "k-means", x, x / 10, x / 20, x / 5, ("a", "b")),
        Line("icd", "icd", x, rounding, rounding, rounding, ("c", "d")),
    ]
    marks = [("icd", 5.0, 0.3, 0.1)]
    figure = misalignment_chart(lines, (1.0, 10.0), 3**0.5, marks, Sheet(LIGHT, "t", "s"))
    drawn = {trace.name: trace for trace in figure.data if trace.name}
    assert list(drawn["k-means"].y) == [0.1, 1.0] and list(drawn["icd"].y) == [0.5]
    assert list(drawn["printed"].y) == [0.3] and list(drawn["printed"].error_y.array) == [0.1]
    low, high = figure.layout.yaxis.range
    assert low <= np.log10(0.05) and high >= np.log10(3**0.5)
    empty = misalignment_chart([], (1.0, 10.0), 3**0.5, [], Sheet(LIGHT, "t", "s"))
    assert not empty.data and np.isfinite(empty.layout.yaxis.range).all()


def test_products_of_the_vectors():
    plain = np.array([[9.0, -0.5], [-0.5, 0.25]])
    figure = gram_chart(plain, np.eye(2), Sheet(DARK, "t", "s"))
    left, right = figure.data[:2]
    np.testing.assert_allclose(left.z, plain)
    np.testing.assert_allclose(right.z, np.eye(2))
    assert left.zmax == right.zmax == 2.0 == -left.zmin
    assert f"{np.linalg.norm(plain - np.eye(2)):.3g}" in figure.layout.annotations[0].text
