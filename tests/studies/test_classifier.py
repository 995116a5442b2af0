"""The study of a classifier: errors and the plane's boundaries step by step, and what it refuses."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning import ls_svm

IRIS = nv.load("iris")
FEW = {"m": 7, "repeats": 1}


def test_machines_of_two_classes_with_other_settings():
    sigma = np.sqrt(nv.default_width(IRIS.X))  # a default σ times √2
    settings = {"classes": (1, 2), "C": 2.0, "share": 0.3, "split": 4, "test_kernel": "restricted", **FEW}
    result = nv.studies.classifier(IRIS, nv.Gaussian(sigma), "uniform", axes=[0, 2], seed=5, **settings)
    pair = ls_svm.two_classes(IRIS, 1, 2, share=0.3, seed=4)
    kernel = nv.Gaussian(np.sqrt(nv.default_width(pair.X)))
    a = nv.approximate(pair.X, kernel, "uniform", 7, seed=5)
    values = ls_svm.decide_restricted(ls_svm.train(a, pair.y, 2.0), a, pair.X_test)
    exact = ls_svm.decide(ls_svm.train_exact(kernel(pair.X), pair.y, 2.0), pair.X, kernel, pair.X_test)
    np.testing.assert_allclose(result.approximate.restricted, values, rtol=1e-9)
    np.testing.assert_allclose(result.exact.values, exact, rtol=1e-9)
    errors = [f"{ls_svm.error_percent(each, pair.y_test):.2f} %" for each in (values, exact)]
    assert [f"**{error}**" in result.answer for error in errors] == [True, True]
    assert result.reasons.relative_frobenius == pytest.approx(
        nv.errors(pair.X, kernel, a).relative_frobenius, rel=1e-9
    )
    largest = np.linalg.norm(kernel(pair.X) - a.factor @ a.factor.T, 2)
    assert result.reasons.residual_over_ridge == pytest.approx(2.0 * largest)
    assert set(result.table.machine.dropna()) == {"exact", "best", "approximate"}
    assert result.figures["decision"].layout.xaxis.title.text == IRIS.feature_names[0]
    assert list(result.figures) == ["decision", "curves"]


def test_dark_figures_and_the_first_two_classes():
    result = nv.studies.classifier(IRIS, theme="dark", **FEW)
    assert result.classes == (0, 1)
    grounds = {figure.layout.paper_bgcolor for figure in result.figures.values()}
    light = nv.studies.classifier(IRIS, **FEW)
    assert grounds.isdisjoint(figure.layout.paper_bgcolor for figure in light.figures.values())


@pytest.mark.parametrize(
    "settings, sentence",
    [
        ({"method": "best"}, "Method 'best' is not known"), ({"m": 51}, "from 1 to 50"),
        ({"classes": (0, 7)}, "no class 7"), ({"classes": (1, 1)}, "two different ones"),
        ({"classes": ("a", "b")}, "two values of y"), ({"share": 1.0}, "between 0 and 1"),
        ({"test_kernel": "own"}, "exact, restricted"), ({"axes": (0, 4)}, "from 0 to 3"),
        ({"C": -1.0}, "C"), ({"repeats": 0}, "repeats"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        nv.studies.classifier(IRIS, **settings)


def test_data_without_two_classes_are_refused():
    for data in (IRIS.X, nv.load("diabetes")):
        with pytest.raises(ValueError, match="has no classes"):
            nv.studies.classifier(data)
    one = nv.Dataset.from_arrays("one", IRIS.X, np.zeros(150), task="classification")
    with pytest.raises(ValueError, match="no two classes"):
        nv.studies.classifier(one)
