"""The study of the spectrum: its reading, its curves and its samples are those of the core."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.spectrum.gaps import decay, effective_dimension
from nysviz.analysis.spectrum.operators import operator_distances, smallest_sample
from nysviz.figures.look import THEMES
from nysviz.kernels.matrix import KernelMatrix

IRIS = nv.load("iris")
KERNEL = nv.Polynomial(2, 1.0)


def test_the_numbers_are_those_of_the_core():
    result = nv.studies.spectrum(IRIS, KERNEL, ["greedy", "dpp"], 12, ridge=0.05, ranks="linear", seed=4)
    values, top = nv.spectrum(IRIS.X, KERNEL) / 150, KERNEL.diag(IRIS.X).max()
    gaps = values[:-1] - values[1:]
    reading = result.reading
    assert reading.gap.r == gaps.argmax() + 1 and reading.gap.size == pytest.approx(gaps.max())
    assert reading.dimension == pytest.approx(effective_dimension(values, 0.05 * top))
    assert reading.theorem_m == smallest_sample(150, gaps.max() / top)
    assert [law.rate for law in reading.laws] == pytest.approx([law.rate for law in decay(values)])
    for method in ("greedy", "dpp"):
        a = nv.approximate(IRIS.X, KERNEL, method=method, m=12, seed=4)
        np.testing.assert_allclose(result.curves[method][:12], a.eigh()[0] / 150, atol=1e-9)
    distances = operator_distances(KernelMatrix(IRIS.X, KERNEL), result.samples.sizes.tolist(), 100, 4) / top
    np.testing.assert_allclose(result.samples.values, distances)
    table = result.table
    worst = table[table["measure"] == "largest_distance"]["value"]
    np.testing.assert_allclose(worst, distances.max(axis=0))
    # A polynomial has no bandwidth.
    assert set(result.figures) == {"spectrum", "distances"}
    assert result.figures["spectrum"].layout.xaxis.type != "log"


def test_other_ground_and_methods_that_do_not_suit_the_kernel():
    dark = nv.studies.spectrum(IRIS.X, nv.Laplacian(2.0), theme="dark")
    assert dark.methods == ("uniform", "kmeans")
    assert set(dark.figures) == {"spectrum", "bandwidths", "distances"}
    assert dark.figures["spectrum"].layout.paper_bgcolor == THEMES["dark"].ground


def test_equal_eigenvalues_have_no_gap():
    flat = nv.studies.spectrum(np.eye(30), nv.Linear(), [], 3)
    assert "no gap" in flat.answer and flat.numbers is None and set(flat.figures) == {"spectrum"}


@pytest.mark.parametrize("arguments", [{"methods": ["no"]}, {"m": 0}, {"ridge": 0.0}, {"ranks": "square"}])
def test_what_cannot_be_is_refused_in_one_sentence(arguments):
    with pytest.raises(ValueError, match=r"^.+\.$"):
        nv.studies.spectrum(IRIS, **arguments)
