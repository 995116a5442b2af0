"""The view "Nyström against random features": its numbers are those of the trials, its words follow them."""

import pytest
from scipy.stats import ttest_rel

import nysviz as nv
from nysviz.learning.feature_trial import Setting, trial
from tests.pages.driving import TITLES, answer, charts, lines, opened, table


def features(name, **link):
    view = {"learning_view": "Nyström against random features", "learning_features_trials": "3"}
    return opened("learning", data=TITLES[name], **view, **link)


def scores_of(name, method, m, machine="ridge", reading="frequencies", seed=0):
    data = nv.load(name)
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    setting = Setting(data.task, machine)
    return [trial(data.X, data.y, kernel, setting, method, m, seed + r, reading).score for r in range(3)]


def test_regression_with_its_test_and_its_chart():
    at = features("diabetes")
    ours, theirs = scores_of("diabetes", "uniform", 50), scores_of("diabetes", "rff", 50)
    told = table(at)
    mean = sum(ours) / 3
    assert float(told["uniform sampling"][0].split()[0]) == pytest.approx(mean, rel=6e-3)
    assert told["uniform sampling"][1] == "50" and told["random Fourier features"][1] == "100"
    p = ttest_rel(ours, theirs).pvalue
    assert float(told["p of the paired t-test"][0]) == pytest.approx(p, rel=6e-3)
    assert f"**{told['uniform sampling'][0].split()[0]}**" in answer(at, "Mean square")
    assert "; 3 trials, mean" in charts(at)["learning_features"]["layout"]["title"]["subtitle"]["text"]
    found = lines(at, "learning_features")
    line = found["Nyström, uniform sampling"]
    assert list(line["x"]) == [10, 20, 50, 100, 200]
    assert line["y"][2] == pytest.approx(mean, rel=1e-9)
    exact = sum(scores_of("diabetes", "exact", 1)) / 3
    assert found["exact kernel"]["y"][0] == pytest.approx(exact, rel=1e-9)
    assert "Nyström, k-means centres" in found


def test_classes_in_per_cent_by_the_support_vector_machine():
    at = features(
        "iris", learning_features_machine="linear SVM", learning_features_landmarks=nv.METHODS["kmeans"].label
    )
    ours = scores_of("iris", "kmeans", 20, "svm")
    line = lines(at, "learning_features")["Nyström, k-means centres"]
    # 120 training rows: no m above them.
    assert list(line["x"]) == [10, 20, 50, 100]
    assert line["y"][1] == pytest.approx(100 * sum(ours) / 3, rel=1e-9)
    assert answer(at, "Test accuracy")
    bands = [trace for trace in charts(at)["learning_features"]["data"] if trace.get("fill") == "toself"]
    assert bands and max(max(band["y"]) for band in bands) <= 100


def test_triangles_mark_where_a_difference_is_significant():
    at = features("diabetes")
    ahead = {"Nyström": [], "random features": []}
    for m in (10, 20, 50, 100, 200):
        ours, theirs = scores_of("diabetes", "uniform", m), scores_of("diabetes", "rff", m)
        if ttest_rel(ours, theirs).pvalue < 0.05:
            ahead["Nyström" if sum(ours) < sum(theirs) else "random features"].append(str(m))
    marks = [
        trace
        for name, trace in lines(at, "learning_features").items()
        if name.endswith("significantly ahead")
    ]
    assert sorted(str(m) for trace in marks for m in trace["x"]) == sorted(
        m for ms in ahead.values() for m in ms
    )
