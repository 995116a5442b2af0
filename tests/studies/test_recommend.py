"""Recommend in a notebook: what nv.recommend finds, and refusals."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.refusal import Refusal

DATA = nv.load("iris")
KERNEL = nv.Laplacian(1.2)
METHODS = ("uniform", "kmeans", "greedy")


def test_it_finds_what_nv_recommend_finds():
    result = nv.studies.recommend(DATA, KERNEL, 0.2, "frobenius", METHODS, seed=3, theme="dark")
    alone = nv.recommend(DATA.X, KERNEL, 0.2, "frobenius", y=DATA.y, task=DATA.task, seed=3, methods=METHODS)
    best = result.recommendation.best
    assert (best.method, best.m) == (alone.best.method, alone.best.m)
    assert f"**{best.label} with m = {best.m}**" in result.answer.replace("take", "Take")
    assert [width.loss for width in result.recommendation.widths] == [width.loss for width in alone.widths]
    measured = result.table.query("measure == 'relative_frobenius'").set_index("method")["value"]
    a = nv.approximate(DATA.X, KERNEL, best.method, best.m, 3)
    assert measured[best.method] == pytest.approx(nv.errors(DATA.X, KERNEL, a).relative_frobenius)
    assert sorted(result.figures) == ["bandwidths", "errors"] and f"<b>{nv.METHODS[best.method].brief}" in (
        result._repr_html_()
    )


def test_a_kernel_without_a_bandwidth_has_no_chart_of_bandwidths():
    result = nv.studies.recommend(np.random.default_rng(0).random((60, 2)), nv.Linear(), 0.3, methods=["icd"])
    assert list(result.figures) == ["errors"] and result.better_width is None
    assert "approximates K" in result.pipeline and "method='icd'" in result.pipeline


def test_a_better_bandwidth_of_equal_rows_is_a_multiple_of_one():
    data = nv.datasets.Dataset.from_arrays(
        "equal", np.ones((12, 2)), np.arange(12) % 2, task="classification", classes=("a", "b")
    )
    result = nv.studies.recommend(data, methods=["uniform"])
    assert result.better_multiple == pytest.approx(2.0 * result.better_width.sigma**2)


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"target": 2}, "a number between 0 and 1"),
        ({"norm": "spectral"}, "choose one of trace, frobenius"),
        ({"methods": ["kmeen"]}, "choose one of"),
        ({"methods": ["rff"], "kernel": nv.Gaussian(1.2)}, "norm = 'frobenius'"),
        ({"seconds": 0}, "budget seconds"),
    ],
)
def test_what_cannot_be_recommended_is_refused_in_a_sentence(arguments, said):
    with pytest.raises(Refusal, match=said):
        nv.studies.recommend(**{"data": DATA, "kernel": KERNEL, **arguments})
