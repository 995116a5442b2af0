"""Every chart has a caption, and every row of every table an explanation."""

import re
from functools import cache
from inspect import isfunction

import pytest

import nysviz as nv
from nysviz.studies.study import Study

IRIS = nv.load("iris")
VALUES = nv.Dataset.from_arrays("values", IRIS.X, IRIS.X[:, 0] + IRIS.X[:, 1], task="regression")
CALLS = {
    "accuracy": (IRIS, {"methods": ["greedy", "uniform"], "d": 5, "repeats": 2}),
    "approximate": (IRIS, {"m": 8}),
    "approximate rff": (IRIS, {"method": "rff", "m": 8}),
    "bounds": (IRIS, {"method": "uniform", "m": 8}),
    "classifier": (IRIS, {"classes": (1, 2), "m": 5, "repeats": 2}),
    "compare": (IRIS, {"methods": ["svd", "uniform", "kmeans"], "repeats": 2}),
    "compare budget": (IRIS, {"methods": ["uniform", "icd"], "view": "budget", "repeats": 1}),
    "compare seconds": (IRIS, {"methods": ["uniform", "icd"], "view": "seconds"}),
    "compare evaluations": (IRIS, {"methods": ["uniform", "icd"], "view": "evaluations"}),
    "data": (IRIS, {}),
    "data linear": (IRIS, {"kernel": nv.Linear()}),
    "gaussian_process": (VALUES, {"methods": ["uniform"], "m": 20}),
    "kernel_pca": (IRIS, {"m": 8, "methods": ["uniform"]}),
    "lift": (IRIS, {"methods": ["svd", "kmeanspp"], "repeats": 1}),
    "lift rank": (IRIS, {"methods": ["kmeanspp"], "view": "rank", "repeats": 1}),
    "lift seconds": (IRIS, {"methods": ["kmeanspp"], "view": "seconds", "repeats": 1}),
    "linear_system": (IRIS, {"methods": ["uniform"], "m": 50}),
    "quantization": (IRIS, {"methods": ["kmeans", "uniform"], "m": 8}),
    "random_features": (IRIS, {"m": 10, "largest": 10, "trials": 2}),
    "random_features values": (VALUES, {"m": 10, "largest": 10, "trials": 2, "exact": False}),
    "recommend": (IRIS, {"target": 0.3, "methods": ["uniform", "icd"]}),
    "relative_bounds": (IRIS, {"rank": 5}),
    "spectrum": (IRIS, {"methods": ["rpcholesky"], "m": 8}),
    "steps": (IRIS, {"methods": ["greedy", "dpp"], "steps": 5}),
    "steps kmeans": (IRIS, {"methods": ["kmeans"], "steps": 3}),
    "tournament": (None, {"methods": ["uniform", "kmeans", "greedy"]}),
    "two_balls": (None, {"n": 100, "redundant": 3, "m": 20}),
    "playground": (None, {}),
    "claims": (None, {}),
}
FUNCTIONS = {name: function for name, function in vars(nv.studies).items() if isfunction(function)}
# A sentence begins with a capital, a sign or a letter of its own, and ends with a full stop.
SENTENCE = re.compile(r"[^ ].*[.]")


@cache
def result_of(case: str) -> Study:
    data, settings = CALLS[case]
    return FUNCTIONS[case.split()[0]](*([] if data is None else [data]), **settings)


def test_all_studies_are_here():
    assert {case.split()[0] for case in CALLS} == {*FUNCTIONS}
    shown = {
        (case.split()[0], chart)
        for case in CALLS
        if result_of(case).charts
        for chart in result_of(case).figures
    }
    assert shown == {(type(study).name, chart) for study in map(result_of, CALLS) for chart in study.charts}


@pytest.mark.parametrize("case", CALLS)
def test_every_chart_has_a_caption(case):
    study = result_of(case)
    for name in study.figures:
        caption = study.charts[name].caption(study)
        assert SENTENCE.fullmatch(caption), (name, caption)
        assert 40 < len(caption) < 420, (name, len(caption), caption)
        assert "  " not in caption
