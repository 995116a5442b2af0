"""The arithmetic of one entry is that of the approximation, at each landmark and in sum."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.studies.choice import Choice
from nysviz.studies.entry import WRITTEN, entry_of
from nysviz.studies.scene import scene_of
from nysviz.text import signed

IRIS = nv.load("iris")
KERNEL = nv.Gaussian(0.8)


@pytest.mark.parametrize("method", ["kmeans", "rpcholesky", "uniform", "leverage"])
def test_the_terms_of_all_landmarks_sum_to_the_entry(method):
    scene = scene_of(IRIS, KERNEL, 3)
    choice = Choice.from_arguments(scene, method, 12, None)
    a = nv.approximate(IRIS.X, KERNEL, method, 12, 3, **dict(choice.options))
    for i, j in ((0, 0), (3, 140), (140, 3), (77, 78)):
        entry = entry_of(scene, choice, i, j)
        assert entry.true == pytest.approx(KERNEL(IRIS.X[[i, j]])[0, 1])
        assert entry.product == pytest.approx(a.factor[i] @ a.factor[j], abs=1e-10)
        assert entry.terms.sum() == pytest.approx(entry.product, abs=1e-8)
        few = entry.landmarks - 1
        assert len(few) == WRITTEN and list(few) == sorted(few)
        np.testing.assert_allclose(entry.row, KERNEL(IRIS.X[[i]], a.landmarks)[0, few])
        np.testing.assert_allclose(entry.column, KERNEL(IRIS.X[[j]], a.landmarks)[0, few])
        inverse = np.linalg.pinv(KERNEL(a.landmarks), hermitian=True, rcond=1e-12)
        np.testing.assert_allclose(entry.inverse, inverse[np.ix_(few, few)], rtol=1e-6, atol=1e-6)
        left_out = np.setdiff1d(np.arange(12), few)
        assert np.abs(entry.terms[left_out]).max() <= np.abs(entry.terms[few]).min()
        text = entry.as_html()
        assert f"<b>{signed(entry.product)}</b>" in text and f"<b>{signed(entry.true)}</b>" in text
        assert f"the {WRITTEN} of 12 landmarks" in text and text.count("<table>") == 3


def test_few_landmarks_are_all_written_out_and_other_methods_have_the_entry_alone():
    scene = scene_of(IRIS, KERNEL)
    entry = entry_of(scene, Choice.from_arguments(scene, "rpcholesky", 3, None), 5, 9)
    assert entry.row @ entry.inverse @ entry.column == pytest.approx(entry.product)
    assert "all landmarks" in entry.as_html() and "…" not in entry.as_html()
    for method in ("svd", "rff", "ensemble"):
        choice = Choice.from_arguments(scene, method, 20, None)
        a = nv.approximate(IRIS.X, KERNEL, method, 20, 0, **dict(choice.options))
        entry = entry_of(scene, choice, 5, 9)
        assert entry.row is None and entry.product == pytest.approx(a.factor[5] @ a.factor[9], abs=1e-10)
        assert "<table>" not in entry.as_html()
