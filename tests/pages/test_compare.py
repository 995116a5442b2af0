"""The page Compare: its numbers are those of the core, for every error, scale and view."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.studies.compare import MethodComparison, best_within_budget, points_of, verdict_of
from nysviz.studies.html import PLAIN
from nysviz.studies.scene import Scene
from nysviz.sweep import Record
from tests.pages.driving import IRIS, KERNEL, charts, lines, number, settled, table, unopened
from tests.pairing import quickly

OF_K = np.linalg.norm(KERNEL(IRIS.X))
MS = (2, 3, 4, 6, 8, 9, 10, 12, 14, 15)
LABEL = {name: entry.label for name, entry in nv.METHODS.items()}
BRIEF = {name: entry.brief for name, entry in nv.METHODS.items()}


def opened(**link):
    return settled(unopened("compare", {"compare_repeats": "5", **link}))


def test_first_view_shows_the_papers_schemes_with_bands_floor_answer_and_table():
    at = opened()
    drawn = lines(at, "curves")
    assert BRIEF["svd"] in drawn and len(drawn) == 6
    eigenvalues = nv.spectrum(IRIS.X, KERNEL)
    floor = [best_errors(eigenvalues, m)[0] / OF_K for m in MS]
    np.testing.assert_allclose(drawn[BRIEF["svd"]]["y"], floor, rtol=1e-6)
    np.testing.assert_allclose(drawn[BRIEF["svd"]]["x"], 100 * np.array(MS) / 150)
    runs = {}
    for name in ("icd", "uniform", "column_norm", "kmeans", "rpcholesky"):
        seeds = range(5 if nv.METHODS[name].random else 1)
        runs[name] = np.array([nv.error_curve(IRIS.X, KERNEL, name, MS, seed) / OF_K for seed in seeds])
    bands = [trace for trace in charts(at)["curves"]["data"] if trace.get("fill") == "toself"]
    assert len(bands) == 4  # svd and icd have no randomness
    top = runs["kmeans"].mean(0) + runs["kmeans"].std(0, ddof=1)
    assert any(np.allclose(band["y"][:10], top, rtol=1e-6) for band in bands)
    means = {name: of.mean(axis=0) for name, of in runs.items()}
    first, second = sorted(means, key=lambda name: means[name][MS.index(8)])[:2]
    answer = next(text.value for text in at.markdown if "mallest mean Frobenius error" in text.value)
    assert f"for {LABEL[first]}**" in answer and answer.endswith(f"for {LABEL[second]}.")
    assert "at m = 8:" in answer.replace("\N{NO-BREAK SPACE}", " ")
    shown = table(at)
    for name, values in means.items():
        np.testing.assert_allclose(drawn[BRIEF[name]]["y"], values, rtol=1e-6)
        assert number(shown[BRIEF[name]][0]) == pytest.approx(values[MS.index(8)], rel=6e-3)


@pytest.mark.parametrize("norm, scale", [("spectral", "absolute"), ("trace", "times the best possible")])
def test_other_errors_and_scales(norm, scale):
    drawn = lines(opened(compare_norm=norm, compare_scale=scale, compare_methods=LABEL["icd"]), "curves")
    assert list(drawn) == [BRIEF["icd"]]
    eigenvalues = nv.spectrum(IRIS.X, KERNEL)
    expected = []
    for m in MS:
        a = nv.approximate(IRIS.X, KERNEL, "icd", m)
        value = getattr(nv.errors(IRIS.X, KERNEL, a), norm)
        best = best_errors(eigenvalues, m)[("frobenius", "spectral", "trace").index(norm)]
        expected.append(value if scale == "absolute" else value / best)
    np.testing.assert_allclose(drawn[BRIEF["icd"]]["y"], expected, rtol=3e-3)


def test_error_against_seconds_has_a_point_of_every_method_after_a_few_runs():
    methods = ("icd", "uniform", "kmeans")
    scene = Scene(IRIS, KERNEL, 7, 1.0)
    study = MethodComparison(scene=scene, methods=methods, view="budget", norm="trace", repeats=3)
    run = MethodComparison.records.begin(study)
    first = [record for job in run.make()[:6] for record in job.work()]
    errors = {record.method for record in first if "trace" in record.values}
    seconds = {record.method for record in first if "seconds" in record.values}
    assert errors == seconds == set(methods)


def test_costs():
    drawn = lines(opened(compare_view="kernel evaluations against m / n"), "curves")
    for name in ("uniform", "icd"):
        counts = [nv.approximate(IRIS.X, KERNEL, name, m).kernel_evaluations for m in MS]
        np.testing.assert_allclose(drawn[BRIEF[name]]["y"], np.array(counts) / 150**2, rtol=1e-6)
    drawn = lines(opened(compare_view="error against seconds"), "curves")
    assert len(drawn) == 6 and all((np.array(line["x"]) > 0).all() for line in drawn.values())


def test_nobody_is_ahead_by_rounding():
    # The linear kernel of four features has rank 4: with six landmarks or more everything is exact.
    shown = table(opened(kernel="linear", compare_up_to="50 %"))
    spreads = [shown[entry.brief][1] for entry in nv.METHODS.values() if entry.brief in shown]
    # A method without randomness has no spread.
    assert len(spreads) == 6 and spreads.count("± 0 ≈") + spreads.count(" ≈") >= 4


@pytest.mark.parametrize("ahead, repeats, clear", [(9.0, 10, True), (0.01, 10, False), (9.0, 1, False)])
def test_the_table_marks_what_is_not_significant(ahead, repeats, clear):
    noise = np.random.default_rng(0).normal(size=(2, repeats))
    noise -= noise.mean(axis=1, keepdims=True)
    errors = {"uniform": 10 + noise[0], "kmeans": 10 - ahead + noise[1], "svd": np.array([1.0])}
    table = verdict_of("mean error", dict.fromkeys(range(1, 11), errors), 100, PLAIN).numbers.as_html()
    assert ("≈" not in table) == clear


def test_who_has_the_least_error_for_a_time():
    values, costs = {}, []
    for method, m, error, seconds in (
        ("uniform", 5, 0.5, 0.001), ("uniform", 10, 0.4, 0.002),
        ("kmeans", 5, 0.2, 0.011), ("kmeans", 8, 0.15, 0.015), ("kmeans", 10, 0.1, 0.021),
    ):  # fmt: skip
        values.setdefault(m, {})[method] = np.full(10, error)
        measured = {"seconds": seconds}
        costs.append(Record("", 100, 4, KERNEL, method, (), m, 0, 0, measured, seconds))
    budget, best = best_within_budget(points_of(values, costs))
    assert budget == pytest.approx(0.011)
    assert [(point.method, point.m) for point in best.itertuples()] == [("kmeans", 5), ("uniform", 10)]
    assert best_within_budget(points_of({}, []))[1].empty


def accuracies(method, m, d, how, repeats=3):
    K = KERNEL(IRIS.X)
    best = np.sqrt((np.linalg.eigvalsh(K)[::-1][d:] ** 2).sum())
    found = []
    for seed in range(repeats if nv.METHODS[method].random else 1):
        H = nv.approximate(IRIS.X, KERNEL, method, m, seed).truncate(d, how).factor
        found.append(100 * best / np.linalg.norm(K - H @ H.T))
    return np.array(found)


@pytest.mark.parametrize("d", quickly((5,), (5, 10)))
def test_charts_answer_and_table_have_the_cores_numbers(d):
    what = {"compare_what": "Accuracy at rank d", "compare_rank_d": str(d)}
    at = opened(compare_rank_repeats="3", **what)
    shown = [6, 8, 9, 10, 12, 14, 15] if d == 5 else [12, 15, 18, 21, 24, 27, 30]
    drawn = lines(at, "accuracy")
    assert len(drawn) == 7
    for method in ("uniform", "kmeans", "greedy", "adaptive_full"):
        line = drawn[BRIEF[method]]
        np.testing.assert_allclose(line["x"], 100 * np.array(shown) / 150)
        means = [accuracies(method, m, d, "best").mean() for m in shown]
        np.testing.assert_allclose(line["y"], means, rtol=1e-6)
        in_table = number(table(at)[BRIEF[method]][0].removesuffix(" %"))
        assert in_table == pytest.approx(means[3], rel=6e-3)
    pair = lines(at, "truncations")
    for name, how in (("best rank d of K̃", "best"), ("classical, from W", "landmark")):
        means = [accuracies("greedy", m, d, how).mean() for m in shown]
        np.testing.assert_allclose(pair[name]["y"], means, rtol=1e-6)
    first = max(LABEL, key=lambda name: drawn[BRIEF[name]]["y"][3] if BRIEF[name] in drawn else 0)
    assert any(f" % for {LABEL[first]}**," in text.value for text in at.markdown)
    seconds = lines(at, "seconds")
    assert len(seconds) == 7 and all((np.array(line["y"]) > 0).all() for line in seconds.values())
