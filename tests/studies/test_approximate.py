"""The study of one approximation: its numbers are those of its parts, and its charts show them."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.figures.look import THEMES
from nysviz.nystroem.measures import residual_diagonal

IRIS = nv.load("iris")
KERNEL = nv.Laplacian(1.5)


@pytest.fixture(scope="module")
def result():
    return nv.studies.approximate(
        IRIS, KERNEL, "rpcholesky", 10, {"form": "simple"}, axes=(2, 0), order="file", seed=3
    )


def test_the_numbers_are_those_of_the_core(result):
    a = nv.approximate(IRIS.X, KERNEL, method="rpcholesky", m=10, seed=3, form="simple")
    np.testing.assert_array_equal(result.landmarks, a.landmarks)
    errors, values = nv.errors(IRIS.X, KERNEL, a), nv.spectrum(IRIS.X, KERNEL)
    best = np.linalg.norm(values[10:]), values[10], values[10:].sum()
    table = result.table.set_index("measure")["value"]
    for norm, least in zip(("frobenius", "spectral", "trace"), best, strict=True):
        assert table[norm] == pytest.approx(getattr(errors, norm), rel=1e-4)
        assert table[f"best_{norm}"] == pytest.approx(least)
    assert table["quantization"] == pytest.approx(nv.quantization_error(IRIS.X, a.landmarks))
    points, *_, rings = result.figures["map"].data
    np.testing.assert_allclose(points.marker.color, residual_diagonal(IRIS.X, KERNEL, a), atol=1e-6)
    np.testing.assert_allclose(points.x, IRIS.X[:, 2])
    np.testing.assert_allclose(np.c_[rings.x, rings.y], a.landmarks[:, [2, 0]])
    rows = [int(name.removeprefix("row ")) for name in result.figures["picture_K"].data[0].x]
    K = KERNEL(IRIS.X[rows])
    assert len(rows) == 120 and rows == sorted(rows)
    np.testing.assert_allclose(result.figures["picture_K"].data[0].z, K, rtol=1e-6)
    gap = result.figures["picture_residual"].data[0].z
    np.testing.assert_allclose(gap, abs(K - a.factor[rows] @ a.factor[rows].T), atol=1e-6)


@pytest.mark.parametrize("drag", ["m", "σ"])
def test_the_strip_is_made_of_the_frames(drag):
    result = nv.studies.approximate(IRIS, method="rpcholesky", m=10, seed=3, drag=drag)
    figure, frames = result.figures["strip"], list(result.frames.values())
    assert len(frames) == len(figure.frames) == (24 if drag == "m" else 16)
    values = [each.m if drag == "m" else each.sigma for each in frames]
    points, _, curve, spot = figure.data
    assert values == sorted(values) and spot.x[0] in values
    np.testing.assert_allclose(curve.x, values)
    np.testing.assert_allclose(curve.customdata, [each.relative for each in frames])
    k = figure.layout.sliders[0].active
    np.testing.assert_allclose(points.marker.color, frames[k].residuals, rtol=1e-6)
    curve, spot = result.figures["curve"].data
    assert spot.y[0] == pytest.approx(result.errors.relative_frobenius)
    here = [each.relative for each in frames if each.stop == result.hand.stop]
    assert drag == "m" or spot.y[0] == pytest.approx(here[0])


def test_a_kernel_without_a_bandwidth_has_frames_of_m():
    result = nv.studies.approximate(IRIS, nv.Linear(), method="rpcholesky", m=3, drag="σ")
    assert result.dragged.along == "m" and len(result.frames) == 24


def test_other_ground_and_an_array():
    dark = nv.studies.approximate(IRIS.X, method="rff", m=4, theme="dark")
    assert dark.landmarks is None and set(dark.figures) == set(dark.charts)
    assert dark.figures["map"].layout.paper_bgcolor == THEMES["dark"].ground
    # Without classes there are no labels to order the rows by.
    assert dark.figures["picture_K"].layout.title.subtitle.text == "120 rows by cluster"


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "no"},
        {"m": 151},
        {"order": "colour"},
        {"axes": (0, 4)},
        {"options": {"a": 1}},
        {"drag": "n"},
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(arguments):
    with pytest.raises(ValueError, match=r"^.+\.$"):
        nv.studies.approximate(IRIS, **arguments)
