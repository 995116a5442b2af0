"""The charts of kernel PCA: what they hold, whatever the classes, names and sizes."""

import numpy as np

from nysviz.figures.class_marks import CLASS_HUES, CLASS_SYMBOLS, class_hue, class_symbol
from nysviz.figures.kernel_pca import (
    misalignment_chart,
)
from nysviz.figures.look import DARK, LIGHT, Sheet
from nysviz.figures.traces import Line
from tests.figures.test_look import contrast


def test_classes_look_different():
    looks = {(class_hue(code, LIGHT), class_symbol(code)) for code in range(50)}
    assert len(looks) == len(CLASS_HUES) * len(CLASS_SYMBOLS) == 50
    for theme in (LIGHT, DARK):
        assert min(contrast(class_hue(code, theme), theme.ground) for code in range(10)) > 1.5


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
