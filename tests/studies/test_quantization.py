"""Quantization: its points, correlations and the run that is shown are the core's."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

import nysviz as nv

IRIS, KERNEL = nv.load("iris"), nv.Laplacian(2.0)
METHODS = ("rpcholesky", "kmeans", "greedy")  # the last without randomness
M, REPEATS, SEED = 9, 6, 4
MINUS = str.maketrans("−", "-")


@pytest.fixture(scope="module")
def result():
    chosen = ("kmeans", SEED + 2)
    return nv.studies.quantization(
        IRIS, KERNEL, METHODS, M, REPEATS, shown_run=chosen, seed=SEED, theme="dark"
    )


@pytest.fixture(scope="module")
def errors():
    found = {}
    for method in METHODS:
        for seed in range(SEED, SEED + (REPEATS if nv.METHODS[method].random else 1)):
            a = nv.approximate(IRIS.X, KERNEL, method, M, seed)
            error = nv.errors(IRIS.X, KERNEL, a).relative_frobenius
            found.setdefault(method, []).append((nv.quantization_error(IRIS.X, a.landmarks), error))
    return {method: np.array(values) for method, values in found.items()}


def test_points_and_correlations(result, errors):
    points, cells = result.points, {name.text: rest for name, *rest in result.numbers.rows}
    for method, values in errors.items():
        rows = points.runs_of(method)
        np.testing.assert_allclose(np.c_[points.quantization, points.relative][rows], values, rtol=1e-6)
    every = np.concatenate([*errors.values()])
    random = [values for values in errors.values() if len(values) > 1]
    within = np.concatenate([values - values.mean(axis=0) for values in random])
    kmeans = nv.METHODS["kmeans"].brief
    for name, values in (("all runs", every), ("within methods", within), (kmeans, errors["kmeans"])):
        for cell, statistic in zip(cells[name], (spearmanr, pearsonr), strict=True):
            value, _, ends = cell.translate(MINUS).partition(" <small>")
            low, high = map(float, ends.removesuffix("</small>").split(" … "))
            assert float(value) == pytest.approx(statistic(*values.T).statistic, abs=0.006)
            assert low <= float(value) <= high
    assert f"over {len(every)} runs: **{cells['all runs'][0].split(' ')[0]}**" in result.answer


def test_the_chosen_run_is_shown_or_else_the_most_accurate(result, errors):
    a = nv.approximate(IRIS.X, KERNEL, "kmeans", M, SEED + 2)
    np.testing.assert_array_equal(result.shown_approximation.landmarks, a.landmarks)
    assert result.figures["map"].layout.title.text.startswith(f"K-means centres, seed {SEED + 2}: relative")
    best = nv.studies.quantization(IRIS, KERNEL, ["kmeans"], M, 3, seed=SEED)
    assert best.shown_scene.seed == SEED + errors["kmeans"][:3, 1].argmin()
    assert set(best.figures) == {"runs", "map", "deviations"}


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"methods": ["rff"]}, "choose one or more of"),
        ({"methods": []}, "choose one or more of"),
        ({"m": 151}, "a whole number from 1 to 150"),
        ({"repeats": 0}, "repeats is 0"),
        ({"shown_run": ("kmeans", 99)}, "no run of kmeans with seed 99"),
        ({"kernel": nv.Precomputed(KERNEL(IRIS.X))}, "precomputed"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ValueError, match=words):
        nv.studies.quantization(IRIS, **{"methods": ["kmeans"], "m": M, **arguments})
