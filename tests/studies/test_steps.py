"""The study of a method's steps: its traces are the core's, and its frames show them."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.steps import trace
from nysviz.figures.look import THEMES
from nysviz.kernels.matrix import KernelMatrix

IRIS = nv.load("iris")
KERNEL = nv.Laplacian(2.0)


def test_the_traces_are_those_of_the_core():
    result = nv.studies.steps(
        IRIS, KERNEL, ["kmeans", "sgma"], 9, 7, {"sgma": {"candidates": 12}}, axes=(3, 1), seed=2
    )
    K = KernelMatrix(IRIS.X, KERNEL)
    centres = trace(K, "kmeans", 9, np.random.default_rng(2), landmarks=7)
    chosen = trace(K, "sgma", 9, np.random.default_rng(2), candidates=12)
    for traced, expected in zip(result.traces, (centres, chosen), strict=True):
        np.testing.assert_allclose(traced.errors, expected.errors)
    np.testing.assert_array_equal(result.traces[1].picks, chosen.picks)
    table = result.table[(result.table["measure"] == "row") & (result.table["method"] == "sgma")]
    np.testing.assert_array_equal(table["value"], chosen.picks)
    figure = result.figures["map_1"]
    np.testing.assert_allclose(figure.data[0].x, IRIS.X[:, 3])
    np.testing.assert_allclose(figure.frames[4].data[1].y, IRIS.X[chosen.picks[:5], 1])
    assert result.sentences["sgma"][0].startswith(f"Row {chosen.picks[0]} has the largest gain of ")
    assert result.arguments()["options"] == {"sgma": {"candidates": 12}}


def test_one_method_other_ground_and_random_rows_of_many():
    X = np.random.default_rng(0).standard_normal((700, 3))
    dark = nv.studies.steps(X, methods=["farthest"], steps=4, theme="dark")
    assert set(dark.figures) == {"map_0", "bars_0", "residual", "error"}
    assert dark.figures["error"].layout.paper_bgcolor == THEMES["dark"].ground
    assert "500 random rows of 700" in dark.sample and len(dark.traces[0].residuals[0]) == 500


@pytest.mark.parametrize(
    "arguments",
    [
        {"methods": []}, {"methods": ["no"]}, {"methods": ["rff"]}, {"methods": ["icd", "greedy", "sgma"]},
        {"steps": 151}, {"methods": ["kmeans"], "m": 0}, {"axes": (0, 9)}, {"options": {"icd": {}}},
        {"methods": ["greedy"], "options": {"greedy": {"colour": 1}}},
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence(arguments):
    with pytest.raises(ValueError, match=r"^.+\.$"):
        nv.studies.steps(IRIS, **arguments)
