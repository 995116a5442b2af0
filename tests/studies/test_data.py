"""The study of a bandwidth and m: its suggestion against one made step by step, and what it refuses."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import nysviz as nv
from nysviz.advice.trial import enough_landmarks, trials
from nysviz.kernels import Linear

IRIS = nv.load("iris")


def value_of(table, measure, **where):
    for name, value in where.items():
        table = table[table[name] == value]
    (value,) = table[table["measure"] == measure]["value"]
    return value


def test_the_suggestion_is_the_narrowest_standard_bandwidth_that_a_tenth_of_the_rows_serves():
    chosen, target = nv.Laplacian(1.0), 0.2
    result = nv.studies.data(IRIS, chosen, target=target, seed=3, theme="dark")
    squares = pdist(IRIS.X, "sqeuclidean")
    squares = squares[squares > 0]
    sigmas = {
        "default_width": math.sqrt(nv.default_width(IRIS.X) / 2),
        "median": math.sqrt(np.percentile(squares, 50)),
        "far_end": math.sqrt(np.percentile(squares, 99)),
        "chosen": 1.0,
    }
    needed = {}
    for rule, sigma in sigmas.items():
        kernel = nv.Laplacian(sigma)
        needed[rule] = enough_landmarks(trials(IRIS.X, kernel, seed=3, least_error=target), target).m
        assert value_of(result.table, "needed_m", rule=rule) == needed[rule]
    served = [rule for rule in list(sigmas)[:3] if needed[rule] <= 15]
    best = min(served, key=sigmas.get) if served else min(list(sigmas)[:3], key=needed.get)
    assert (
        result.best.sigma == pytest.approx(sigmas[best]) and f"**{needed[best]} landmarks**" in result.answer
    )
    assert value_of(result.table, "distance_50") == pytest.approx(sigmas["median"])
    assert list(result.figures) == ["distances", "trials"]
    light = nv.studies.data(IRIS, chosen, target=target, seed=3)
    grounds = {one.figures["trials"].layout.paper_bgcolor for one in (light, result)}
    assert len(grounds) == 2


def test_arrays_and_kernels_without_a_bandwidth():
    result = nv.studies.data(IRIS.X, Linear())
    assert result.best.sigma is None and "σ" not in result.answer and "the trace of K" in result.answer


@pytest.mark.parametrize("target", [0.0, 1.0, float("nan")])
def test_a_target_outside_of_0_and_1_is_refused(target):
    with pytest.raises(ValueError, match="between 0 and 1"):
        nv.studies.data(IRIS, target=target)
