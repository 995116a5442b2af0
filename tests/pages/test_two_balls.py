"""The page Two balls: its numbers are those of the core, at every frequency scale."""

import re

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning.leading_subspace import principal_cosines
from nysviz.papers.yang2012 import figure1
from nysviz.text import three_digits
from tests.pages.driving import answer, charts, lines, opened, table

CHARTS = {"balls_points", "balls_eigenvectors", "balls_eigenvalues", "balls_accuracy"}
TRIALS = 2


@pytest.fixture(autouse=True)
def few_trials(monkeypatch):
    monkeypatch.setattr(figure1, "TRIALS", TRIALS)
    monkeypatch.setattr(figure1, "MS", (5, 100))


def balls(**link):
    return opened("two_balls", balls_n="500", **link)


def expected(method, scale, m, data, sigma=6.0, seed=0):
    exact = figure1.exact_pairs(data.X, sigma)
    found = figure1.feature_pairs(data.X, method, m, sigma, seed, scale or "1/σ")
    problem = figure1.problem_of(data, sigma)
    (record,) = figure1.accuracy_record(problem, (method, scale), m, 0, seed)
    return 100 - record.values["test_error"], principal_cosines(exact.vectors, found.vectors)[-1]


def test_numbers_pictures_and_curves_are_those_of_the_core():
    at = balls()
    data = nv.two_balls(500, 100, 0)
    names = {
        "Nyström, uniform": ("uniform", ""), "Nyström, k-means": ("kmeans", ""),
        "RFF, s = 1/σ": ("rff", "1/σ"), "RFF, s = 1": ("rff", "1"), "RFF, s = σ": ("rff", "σ"),
        "ORF, s = 1/σ": ("orf", "1/σ"),
    }  # fmt: skip
    shown = table(at)
    assert set(shown) - {""} == {"K, exact", *names}
    for name, (method, scale) in names.items():
        accuracy, cosine = expected(method, scale, 100, data)
        assert float(shown[name][0]) == pytest.approx(accuracy, abs=0.051)
        assert float(shown[name][1]) == pytest.approx(cosine, abs=6e-4)
    numbers = [
        float(value) for value in re.findall(r"\*\*([0-9.]+)(?: %)?\*\*", answer(at, "Test accuracy at"))
    ]
    ours, theirs = shown["Nyström, uniform"], shown["RFF, s = 1/σ"]
    assert numbers == [float(cell) for cell in (ours[0], theirs[0])]
    found, data = charts(at), nv.two_balls(500, 100, 0)
    assert set(found) == CHARTS
    assert sum('"nysviz-title"' in one.proto.body for one in at.get("html")) == len(CHARTS)
    exact, leading = figure1.exact_pairs(data.X, 6.0).values, figure1.exact_pairs(data.X, 6.0, 2).vectors
    first, second = exact[:2] / 500
    title = found["balls_eigenvalues"]["layout"]["title"]["text"]
    assert [float(x) for x in re.findall(r"= ([0-9.]+)", title)] == pytest.approx([first, second], rel=6e-3)
    np.testing.assert_allclose(found["balls_eigenvalues"]["data"][0]["y"], exact / 500, rtol=1e-6)
    # Three panels of two classes, each point of K's panel an entry of its eigenvectors.
    panels = found["balls_eigenvectors"]["data"]
    assert len(panels) == 6
    rows = panels[0]["customdata"]
    assert (data.y[rows] == -1).all() and len(rows) + len(panels[1]["x"]) == 300
    np.testing.assert_allclose(panels[0]["x"], np.abs(leading[rows, 0]), rtol=1e-4)
    np.testing.assert_allclose(np.abs(panels[0]["y"]), np.abs(leading[rows, 1]), rtol=1e-3, atol=1e-6)
    layout = found["balls_eigenvectors"]["layout"]
    assert layout["xaxis"]["range"] == layout["xaxis2"]["range"] == layout["xaxis3"]["range"]
    assert layout["yaxis"]["range"] == layout["yaxis3"]["range"]
    drawn = lines(at, "balls_accuracy")
    assert set(drawn) == {"Nyström, uniform", "Nyström, k-means", "RFF", "ORF"}
    jobs = figure1.accuracy_jobs(figure1.problem_of(data, 6.0), {"rff": "1/σ"}, figure1.MS, TRIALS, 0)
    records = [record for job in jobs for record in job.work()]
    for i, m in enumerate(figure1.MS):
        found = [100 - r.values["test_error"] for r in records if r.m == m]
        assert drawn["RFF"]["y"][i] == pytest.approx(np.mean(found))
        high = three_digits(min(100.0, np.mean(found) + np.std(found, ddof=1)))
        assert drawn["RFF"]["text"][i].endswith(f" – {high}), {TRIALS} runs")


def test_a_bandwidth_far_below_all_distances_makes_k_the_identity_in_which_nothing_leads():
    at = balls(balls_sigma="0.05")
    assert set(charts(at)) == CHARTS
    assert any("no leading plane" in text.value for text in at.caption)
