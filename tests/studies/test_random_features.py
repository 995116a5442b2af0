"""The study of random features: scores and tests against trials one by one, and what it refuses."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

import nysviz as nv
from nysviz.analysis.learning.feature_trial import TrialSetting, trial

DIABETES = nv.load("diabetes")
FEW = {"m": 8, "largest": 10, "trials": 2, "exact": False}


def test_scores_and_the_paired_test():
    kernel = nv.Gaussian(0.2)
    settings = {"m": 15, "largest": 10, "trials": 3, "random": "orf", "reading": "columns", "seed": 2}
    result = nv.studies.random_features(DIABETES, kernel, "farthest", beside=["uniform"], **settings)
    assert result.ms == (10, 15) and set(result.scores) == {"farthest", "orf_columns", "uniform", "exact"}
    setting = TrialSetting("regression")

    def scores_of(method, m):
        seeds = range(2, 5)
        return [trial(DIABETES.X, DIABETES.y, kernel, setting, method, m, s, "columns").score for s in seeds]

    ours, theirs = scores_of("farthest", 15), scores_of("orf", 15)
    assert list(result.scores["farthest"][15].values()) == pytest.approx(ours)
    assert [*result.scores["exact"]] == [354]
    assert result.tests[15].p == pytest.approx(ttest_rel(theirs, ours).pvalue)
    assert result.tests[15].difference == pytest.approx(np.mean(theirs) - np.mean(ours))
    rows = result.table[(result.table.m == 15) & (result.table.measure == "mean_mse")].set_index("line")
    assert rows.value["farthest"] == pytest.approx(np.mean(ours))


def test_other_kernels_have_landmarks_only():
    result = nv.studies.random_features(DIABETES, nv.Laplacian(1.0), theme="dark", **FEW)
    assert set(result.scores) == {"uniform", "kmeans"} and result.tests == {}
    figure = result.figures["features"]
    light = nv.studies.random_features(DIABETES, nv.Laplacian(1.0), **FEW).figures["features"]
    assert figure.layout.paper_bgcolor != light.layout.paper_bgcolor


@pytest.mark.parametrize(
    "settings, sentence",
    [
        ({"method": "rff"}, "method = 'rff'"), ({"random": "uniform"}, "rff, orf"),
        ({"reading": "rows"}, "columns"), ({"machine": "tree"}, "ridge, svm"),
        ({"machine": "svm"}, "tells classes apart"), ({"beside": ["best"]}, "'best' is not known"),
        ({"trials": 0}, "trials"), ({"m": 400}, "from 1 to 354"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        nv.studies.random_features(DIABETES, **{**FEW, **settings})


def test_data_that_nothing_can_be_learned_from_are_refused():
    with pytest.raises(ValueError, match="no target"):
        nv.studies.random_features(DIABETES.X)
    few = nv.Dataset.from_arrays("few", DIABETES.X[:8], DIABETES.y[:8], task="regression")
    with pytest.raises(ValueError, match="8 rows cannot be split"):
        nv.studies.random_features(few, trials=1)
