"""Two balls: its numbers, pictures and curves are the core's, at every frequency scale."""

import re

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.learning.leading_subspace import principal_cosines
from nysviz.papers.yang2012 import figure1
from nysviz.text import three_digits

DATA = nv.two_balls(400, 20, 3, 1.2)
SIGMA, M, SEED, TRIALS = 4.0, 30, 3, 2
CASES = {
    "Nyström, uniform": ("uniform", ""), "Nyström, k-means": ("kmeans", ""),
    "RFF, s = 1/σ": ("rff", "1/σ"), "RFF, s = 1": ("rff", "1"), "RFF, s = σ": ("rff", "σ"),
    "ORF, s = 1": ("orf", "1"),
}  # fmt: skip


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figure1, "TRIALS", TRIALS)
        patch.setattr(figure1, "MS", (5, 30))
        yield nv.studies.two_balls(400, 20, 1.2, SIGMA, M, "1", seed=SEED, theme="dark")


def test_accuracies_and_cosines_of_every_method(result):
    exact, problem = figure1.exact_pairs(DATA.X, SIGMA), figure1.problem_of(DATA, SIGMA)
    cells = {name.text: rest for name, *rest in result.numbers.rows}
    assert set(cells) == {"K, exact", *CASES}
    for name, (method, scale) in CASES.items():
        pairs = figure1.feature_pairs(DATA.X, method, M, SIGMA, SEED, scale or "1/σ")
        (record,) = figure1.accuracy_record(problem, (method, scale), M, 0, SEED)
        assert float(cells[name][0]) == pytest.approx(100 - record.values["test_error"], abs=0.051)
        cosine = principal_cosines(exact.vectors, pairs.vectors)[-1]
        assert float(cells[name][1]) == pytest.approx(cosine, abs=6e-4)
    words = re.findall(r"\*\*([0-9.]+) %\*\*", result.answer)
    assert words == [cells["Nyström, uniform"][0], cells["RFF, s = 1"][0]]
    assert "features of scale 1 " in result.answer


def test_pictures_of_eigenvectors_and_eigenvalues(result):
    figures, values = result.figures, figure1.exact_pairs(DATA.X, SIGMA).values / 400
    leading = figure1.exact_pairs(DATA.X, SIGMA, 2).vectors
    np.testing.assert_allclose(figures["eigenvalues"].data[0].y, values, rtol=1e-6)
    numbers = re.findall(r"= ([0-9.]+)", figures["eigenvalues"].layout.title.text)
    assert [*map(float, numbers)] == pytest.approx(values[:2], rel=6e-3)
    # Three panels of two classes, each point of K's panel an entry of its eigenvectors.
    panels, layout = figures["eigenvectors"].data, figures["eigenvectors"].layout
    rows = panels[0].customdata
    assert len(panels) == 6 and (DATA.y[rows] == -1).all() and len(rows) + len(panels[1].x) == 300
    np.testing.assert_allclose(panels[0].x, np.abs(leading[rows, 0]), rtol=1e-4)
    np.testing.assert_allclose(np.abs(panels[0].y), np.abs(leading[rows, 1]), rtol=1e-3, atol=1e-6)
    assert layout.xaxis.range == layout.xaxis2.range == layout.xaxis3.range
    assert layout.yaxis.range == layout.yaxis3.range


def test_curves_hold_the_trials(result):
    drawn = {trace.name: trace for trace in result.figures["accuracy"].data if trace.name}
    assert set(drawn) == {"Nyström, uniform", "Nyström, k-means", "RFF", "ORF"}
    problem = figure1.problem_of(DATA, SIGMA)
    jobs = figure1.accuracy_jobs(problem, {"rff": "1"}, figure1.MS, TRIALS, SEED)
    records = [record for job in jobs for record in job.work()]
    for i, m in enumerate(figure1.MS):
        accuracies = [100 - r.values["test_error"] for r in records if r.m == m]
        assert drawn["RFF"].y[i] == pytest.approx(np.mean(accuracies))
        high = three_digits(min(100.0, np.mean(accuracies) + np.std(accuracies, ddof=1)))
        assert drawn["RFF"].text[i].endswith(f" – {high}), {TRIALS} runs")


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"m": 51}, "m is 51; it must be a whole number from 1 to 50"),
        ({"scale": "2"}, "must be one of 1/σ, 1, σ"),
        ({"distance": -1.0}, "distance is -1.0"),
        ({"sigma": 0.0}, "sigma"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ValueError, match=words):
        nv.studies.two_balls(**{"n": 100, "m": 5, **arguments})
