"""The page Quantization: its points, correlations and the run that is shown are the core's."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

import nysviz as nv
from nysviz.ui.quantization import FIRST_METHODS
from tests.pages.driving import IRIS, KERNEL, charts, landmark_count, lines, number, opened, settle, table

MINUS = str.maketrans("−", "-")


def runs_of(methods, m, repeats, seed=0):
    found = {}
    for method in methods:
        entry = nv.METHODS[method]
        for s in range(seed, seed + (repeats if entry.random else 1)):
            a = nv.approximate(IRIS.X, KERNEL, method, m, s)
            error = nv.errors(IRIS.X, KERNEL, a).relative_frobenius
            found.setdefault(method, []).append((nv.quantization_error(IRIS.X, a.landmarks), error))
    return {method: np.array(values) for method, values in found.items()}


def test_the_points_are_the_runs_and_the_correlations_scipys():
    at = opened("quantization", quantization_runs="10", seed="4")
    found, expected = charts(at), runs_of(FIRST_METHODS, 8, 10, seed=4)
    drawn, deviations = lines(at, "quantization_runs_chart"), lines(at, "quantization_deviations")
    for method, values in expected.items():
        trace = drawn[nv.METHODS[method].brief]
        np.testing.assert_allclose(np.c_[trace["x"], trace["y"]], values, rtol=1e-5)
        if nv.METHODS[method].random:
            away = deviations[nv.METHODS[method].brief]
            np.testing.assert_allclose(np.c_[away["x"], away["y"]], values - values.mean(axis=0), atol=1e-6)
    everything, shown = np.concatenate(list(expected.values())), table(at)
    ring, best = drawn["shown below; click another"], everything[everything[:, 1].argmin()]
    np.testing.assert_allclose([ring["x"][0], ring["y"][0]], best, rtol=1e-5)
    assert landmark_count(found["quantization_map"]) == 8
    for name, values in [("all runs", everything)] + [
        (nv.METHODS[method].brief, values) for method, values in expected.items()
    ]:
        for cell, statistic in zip(shown[name], (spearmanr, pearsonr), strict=True):
            value, low, _, high = (cell.translate(MINUS) + " ").split(" ")[:4]
            assert float(value) == pytest.approx(statistic(*values.T).statistic, abs=0.006)
            assert float(low) <= float(value) <= float(high)
    told = next(text.value for text in at.markdown if text.value.startswith("Rank correlation"))
    assert "over 50 runs" in told and f"**{shown['all runs'][0].split(' ')[0]}**" in told
    deviations = np.concatenate([values - values.mean(axis=0) for values in expected.values()])
    within = float(shown["within methods"][0].split(" ")[0].translate(MINUS))
    assert within == pytest.approx(spearmanr(*deviations.T).statistic, abs=0.006)


def test_a_clicked_run_is_shown_until_another_is():
    at = opened("quantization", quantization_runs="10")
    uniform = lines(at, "quantization_runs_chart")["uniform"]
    _, seed = uniform["customdata"][3]
    at.query_params["quantization_run"] = f"uniform-{seed}-8"
    found = charts(settle(at))
    ring = found["quantization_runs_chart"]["data"][-1]
    assert (ring["x"][0], ring["y"][0]) == (uniform["x"][3], uniform["y"][3])
    title = found["quantization_map"]["layout"]["title"]["text"]
    assert title.startswith(f"Uniform sampling, seed {seed}: relative error ")
    assert number(title.rsplit(" ", 1)[1]) == pytest.approx(uniform["y"][3], rel=6e-3)
    a = nv.approximate(IRIS.X, KERNEL, "uniform", 8, seed)
    (marks,) = (t for name, t in lines(at, "quantization_map").items() if name.startswith("landmark"))
    assert [int(text.rsplit(" ", 1)[1]) for text in marks["text"]] == list(a.pivots)
    # Another number of landmarks means other runs: the best of those is shown.
    at.select_slider(key="ratio").set_value(10)
    other = charts(settle(at))
    relative = np.concatenate([t["y"] for t in other["quantization_runs_chart"]["data"][:-1]])
    assert other["quantization_runs_chart"]["data"][-1]["y"][0] == relative.min()
