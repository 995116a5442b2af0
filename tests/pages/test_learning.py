"""The LS-SVM view of the page Learning: its numbers against the core, and data that it cannot use."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

import nysviz as nv
from nysviz.analysis.learning import ls_svm
from nysviz.analysis.learning.feature_trial import TrialSetting, trial
from nysviz.analysis.projection import principal_directions
from nysviz.papers.zhang2008.table4 import PAPER_METHODS
from nysviz.text import three_digits
from tests.pages.driving import TITLES, answer, charts, lines, opened, settle, start, table, unopened

UNIFORM = nv.METHODS["uniform"].brief


def learning(**link):
    return opened("learning", **({"data": TITLES["digits"], "learning_repeats": "5"} | link))


def kernel_of(X):
    return nv.Gaussian.from_width(nv.default_width(X))


def machines(pair, method, m, seed=0):
    """f of the test rows: exact machine, method with the exact and with the restricted test kernel."""
    kernel = kernel_of(pair.X)
    a = nv.approximate(pair.X, kernel, method, m, seed)
    machine = ls_svm.train(a, pair.y, 0.5)
    return (
        ls_svm.decide(ls_svm.train_exact(kernel(pair.X), pair.y, 0.5), pair.X, kernel, pair.X_test),
        ls_svm.decide(machine, pair.X, kernel, pair.X_test),
        ls_svm.decide_restricted(machine, a, pair.X_test),
    )


def test_the_first_screen_answers_for_two_digits():
    at = learning()
    assert set(charts(at)) == {"decision", "curves"}
    pair = ls_svm.two_classes(nv.load("digits"), 3, 8)
    values = [*machines(pair, "kmeans", 9), machines(pair, "svd", 9)[1]]
    exact, ours, restricted, floor = (f"{ls_svm.error_percent(of, pair.y_test):.2f} %" for of in values)
    said, shown = answer(at, "Test error").replace("\N{NO-BREAK SPACE}", " "), table(at)
    assert f"**{ours}** with {nv.METHODS['kmeans'].in_words(9)}" in said
    assert f"**{exact}** with the exact kernel" in said
    assert shown["test error, restricted test kernel"][0] == restricted
    assert shown["test error, best rank 9"][0] == floor
    assert [shown[name][1] for name in ("training", "training, exact")] == ["median of 3"] * 2
    agreement = 100 * ((values[1] >= 0) == (values[0] >= 0)).mean()
    assert float(shown["same class as exact"][0].split()[0]) == pytest.approx(agreement, rel=6e-3)
    # The plane is that of a machine on two principal components.
    chart = charts(at)["decision"]
    centre, directions, _ = principal_directions(pair.X)
    X, X_test = ((rows - centre) @ directions for rows in (pair.X, pair.X_test))
    kernel = kernel_of(X)
    machine = ls_svm.train(nv.approximate(X, kernel, "kmeans", 9), pair.y)
    ground, exact = chart["data"][0], chart["data"][1]
    grid = np.column_stack([part.ravel() for part in np.meshgrid(ground["x"], ground["y"])])
    expected = ls_svm.decide(machine, X, kernel, grid).reshape(ground["z"].shape)
    np.testing.assert_allclose(ground["z"], expected, atol=2e-4)
    expected = ls_svm.decide(ls_svm.train_exact(kernel(X), pair.y), X, kernel, grid).reshape(exact["z"].shape)
    np.testing.assert_allclose(exact["z"], expected, atol=2e-4)
    wrong = ls_svm.predicted(ls_svm.decide(machine, X, kernel, X_test)) != pair.y_test
    drawn = lines(at, "decision")
    np.testing.assert_allclose(drawn["error"]["x"], X_test[wrong, 0], rtol=1e-5)
    classes = [trace for name, trace in drawn.items() if name.startswith("class ")]
    assert [len(trace["x"]) for trace in classes] == [(pair.y_test == sign).sum() for sign in (-1, 1)]
    assert classes[0]["marker"]["symbol"] != classes[1]["marker"]["symbol"]


def test_the_curves_are_means_of_the_runs():
    drawn = lines(learning(learning_first="1", learning_second="7"), "curves")
    pair = ls_svm.two_classes(nv.load("digits"), 1, 7)
    curve, m = drawn[UNIFORM], round(0.05 * len(pair.X))
    values = [machines(pair, "uniform", m, seed=seed)[1] for seed in range(5)]
    errors = [ls_svm.error_percent(of, pair.y_test) for of in values]
    place = int(np.argmin(np.abs(np.array(curve["x"]) - 100 * m / len(pair.X))))
    assert curve["y"][place] == pytest.approx(np.mean(errors))
    high = three_digits(np.mean(errors) + np.std(errors, ddof=1))
    assert curve["text"][place].endswith(f" – {high}), 5 runs")
    assert {nv.METHODS[method].brief for method in PAPER_METHODS} | {"exact kernel"} <= set(drawn)


def own_data(y):
    X = np.random.default_rng(0).standard_normal((len(y), 3)) + 1.5 * np.array(y)[:, None]
    names = ("<b>low</b>", "$x$", "high")[: len(set(y))]
    data = nv.datasets.Dataset.from_arrays("mine", X, y, task="classification", classes=names)
    return settle(unopened("learning", {"learning_repeats": "5"}, data))


def test_the_page_opens_on_a_view_that_suits_the_data_or_says_why_there_is_none():
    # Values cannot be classified, whatever view the page had before.
    at = learning()
    at.selectbox(key="data").set_value("diabetes")
    for page in (settle(at), opened("learning", data=TITLES["diabetes"])):
        assert answer(page, "Mean square") and not page.info
        assert any(
            "is not shown" in caption.value and "has values" in caption.value for caption in page.caption
        )
    at.selectbox(key="data").set_value("iris")
    assert answer(settle(at), "Test error")
    no_target = unopened("learning", {}, nv.datasets.Dataset.from_arrays("mine", nv.load("iris").X))
    for at, sentence in ((own_data([0] * 20), "the same label"), (no_target, "no target")):
        assert not settle(at).error and not charts(at)
        (said,) = [info.value for info in at.info]
        assert sentence in said and "in the sidebar" in said and "Random features" not in said


def features(name, **link):
    view = {"learning_view": "Random features", "learning_features_trials": "3"}
    return opened("learning", data=TITLES[name], **view, **link)


def scores_of(name, method, m, machine="ridge"):
    data = nv.load(name)
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    setting = TrialSetting(data.task, machine)
    return [trial(data.X, data.y, kernel, setting, method, m, r).score for r in range(3)]


def test_regression_with_its_test_and_its_chart():
    at = features("diabetes")
    ours, theirs = scores_of("diabetes", "uniform", 50), scores_of("diabetes", "rff", 50)
    told = table(at)
    mean = sum(ours) / 3
    assert float(told["uniform sampling"][0].split()[0]) == pytest.approx(mean, rel=6e-3)
    assert told["uniform sampling"][1] == "50" and told["random Fourier features"][1] == "100"
    p = ttest_rel(ours, theirs).pvalue
    ahead = told["Nyström ahead by"]
    assert float(ahead[1].removeprefix("p ")) == pytest.approx(p, rel=6e-3)
    assert f"**{told['uniform sampling'][0].split()[0]}**" in answer(at, "Mean square")
    assert "; 3 trials, mean" in charts(at)["features"]["layout"]["title"]["subtitle"]["text"]
    found = lines(at, "features")
    line = found["uniform sampling"]
    assert list(line["x"]) == [10, 20, 50, 100, 200]
    assert line["y"][2] == pytest.approx(mean, rel=1e-9)
    exact = sum(scores_of("diabetes", "exact", 1)) / 3
    assert found["exact kernel"]["y"][0] == pytest.approx(exact, rel=1e-9)
    assert "k-means centres" in found


@pytest.mark.slow
def test_classes_in_per_cent_by_the_support_vector_machine():
    at = features(
        "iris", learning_features_machine="linear SVM", learning_features_landmarks=nv.METHODS["kmeans"].label
    )
    ours = scores_of("iris", "kmeans", 20, "svm")
    line = lines(at, "features")["k-means centres"]
    # 120 training rows: no m above them.
    assert list(line["x"]) == [10, 20, 50, 100]
    assert line["y"][1] == pytest.approx(100 * sum(ours) / 3, rel=1e-9)
    assert answer(at, "Test accuracy")
    bands = [trace for trace in charts(at)["features"]["data"] if trace.get("fill") == "toself"]
    assert bands and max(max(band["y"]) for band in bands) <= 100


def test_an_exact_number_of_landmarks_is_that_of_the_next_page_as_well():
    """13 of 150 flowers is no stop of the slider, and neither is 13 of the 50 training rows."""
    at = start("approximate", data="Iris flowers", ratio="m = 13")
    for page, said in (("learning", "Test error"), ("approximate", "Relative Frobenius error")):
        at.switch_page(f"../../pages/{page}.py")
        # As a click in the menu does.
        at.query_params.clear()
        at = settle(at)
        assert "13 landmarks" in answer(at, said).replace("\N{NO-BREAK SPACE}", " ").replace("*", "")
