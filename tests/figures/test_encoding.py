import numpy as np
import pytest

from nysviz.figures.encoding import deviation_chart, encoding_chart, padded
from nysviz.figures.look import THEMES, Sheet, colour
from nysviz.papers.zhang2008.figure2 import Cloud

LABELS = {"kmeans": "k-means centres", "icd": "incomplete Cholesky"}
POINTS = Cloud(
    ("kmeans", "icd"),
    np.array([0, 0, 0, 1]),
    np.array([5, 6, 7, 5]),
    np.array([1.0, 2.0, 4.0, 8.0]),
    np.array([10.0, 20.0, 15.0, 60.0]),
    np.array([0.1, 0.2, 0.15, 0.6]),
)
both_grounds = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


@both_grounds
def test_one_point_a_run(theme):
    figure = encoding_chart(POINTS, LABELS, 1, Sheet(theme, "title", "subtitle"))
    kmeans, icd, ring = figure.data
    assert list(kmeans.x) == [1, 2, 4] and list(kmeans.y) == [0.1, 0.2, 0.15]
    assert [list(pair) for pair in kmeans.customdata] == [[0, 5], [1, 6], [2, 7]]
    assert [list(pair) for pair in icd.customdata] == [[3, 5]]
    assert kmeans.marker.color == colour("kmeans", theme) and icd.marker.color == colour("icd", theme)
    assert (ring.x[0], ring.y[0]) == (2, 0.2)
    for axis, values in ((figure.layout.xaxis, POINTS.quantization), (figure.layout.yaxis, POINTS.relative)):
        assert axis.range[0] < values.min() and values.max() < axis.range[1]


@both_grounds
def test_deviations_have_no_mean_left(theme):
    figure = deviation_chart(POINTS, LABELS, Sheet(theme, "title", "subtitle"))
    # A single run has nothing to deviate from.
    assert [trace.name for trace in figure.data] == ["k-means centres"]
    np.testing.assert_allclose(figure.data[0].x, np.array([1, 2, 4]) - 7 / 3)
    np.testing.assert_allclose(figure.data[0].y, [-0.05, 0.05, 0], atol=1e-12)


@pytest.mark.parametrize("values", [[], [3.0], [0.0, 0.0], [-2.0, 5.0]])
def test_ranges_hold_their_values(values):
    low, high = padded(np.array(values))
    assert low < high and all(low < value < high for value in values)
