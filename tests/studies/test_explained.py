"""Every chart has a caption, and every row of every table an explanation."""

import re
from functools import cache
from html import escape
from inspect import isfunction

import pytest

import nysviz as nv
from nysviz.landmarks import METHODS
from nysviz.papers.findings.texts import FINDINGS
from nysviz.studies.html import NumberTable
from nysviz.studies.study import Study
from nysviz.ui.glossary import WAYS, explanation, rows

IRIS = nv.load("iris")
VALUES = nv.Dataset.from_arrays("values", IRIS.X, IRIS.X[:, 0] + IRIS.X[:, 1], task="regression")
CALLS = {
    "accuracy": (IRIS, {"methods": ["greedy", "uniform"], "d": 5, "repeats": 2}),
    "approximate": (IRIS, {"m": 8}),
    "approximate rff": (IRIS, {"method": "rff", "m": 8}),
    "bounds": (IRIS, {"method": "uniform", "m": 8}),
    "classifier": (IRIS, {"classes": (1, 2), "m": 5, "repeats": 2}),
    "classifier restricted": (IRIS, {"m": 5, "repeats": 1, "test_kernel": "restricted"}),
    "clusters": (IRIS, {"m": 10, "methods": ["uniform"]}),
    "clusters values": (VALUES, {"m": 10, "methods": ["uniform"]}),
    "compare": (IRIS, {"methods": ["svd", "uniform", "kmeans"], "repeats": 2}),
    "compare budget": (IRIS, {"methods": ["uniform", "icd"], "view": "budget", "repeats": 1}),
    "compare seconds": (IRIS, {"methods": ["uniform", "icd"], "view": "seconds"}),
    "compare evaluations": (IRIS, {"methods": ["uniform", "icd"], "view": "evaluations"}),
    "data": (IRIS, {}),
    "data chosen": (IRIS, {"kernel": nv.Gaussian(0.3)}),
    "data linear": (IRIS, {"kernel": nv.Linear()}),
    "gaussian_process": (VALUES, {"methods": ["uniform"], "m": 20}),
    "kernel_pca": (IRIS, {"m": 8, "methods": ["uniform"]}),
    "lift": (IRIS, {"methods": ["svd", "kmeanspp"], "repeats": 1}),
    "lift rank": (IRIS, {"methods": ["kmeanspp"], "view": "rank", "repeats": 1}),
    "lift seconds": (IRIS, {"methods": ["kmeanspp"], "view": "seconds", "repeats": 1}),
    "linear_system": (IRIS, {"methods": ["uniform"], "m": 50}),
    "photograph": (None, {"m": 10}),
    "quantization": (IRIS, {"methods": ["kmeans", "uniform"], "m": 8}),
    "random_features": (IRIS, {"m": 10, "largest": 10, "trials": 2}),
    "random_features values": (VALUES, {"m": 10, "largest": 10, "trials": 2, "exact": False}),
    "recommend": (IRIS, {"target": 0.3, "methods": ["uniform", "icd"], "goal": "copy"}),
    "recommend to predict": (IRIS, {}),
    "relative_bounds": (IRIS, {"rank": 5}),
    "spectrum": (IRIS, {"methods": ["rpcholesky"], "m": 8}),
    "steps": (IRIS, {"methods": ["greedy", "dpp"], "steps": 5}),
    "steps kmeans": (IRIS, {"methods": ["kmeans"], "steps": 3}),
    "tournament": (None, {"methods": ["uniform", "kmeans", "greedy"]}),
    **{f"findings {name}": (None, {"finding": name}) for name in FINDINGS},
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


def tables_of(study):
    return [each for each in (study.numbers, getattr(study, "facts_table", None)) if each is not None]


def labels_of(table: NumberTable):
    lines = [row[0] for row in (*table.rows, *table.more[1])]
    return [label for label in (*table.head, *lines) if label.text]


@pytest.mark.parametrize("case", CALLS)
def test_every_row_and_column_says_what_it_means(case):
    for shown in tables_of(result_of(case)):
        assert len(shown.head) == len(shown.rows[0])
        assert all(head.text for head in shown.head[1:]) or len(shown.head) == 3
        page = shown.as_html(explanation)
        for label in labels_of(shown):
            assert f'tabindex="0" data-tip="{escape(explanation(label.term))}">{label.text}<' in page
        assert "tabindex" not in shown.as_html()


def test_every_explanation_is_a_sentence_of_a_row():
    entries = rows()
    assert not set(entries) & set(METHODS)
    for entry in entries.values():
        assert set(entry) <= {"text", "better", "paper"} and entry["better"] in WAYS
        assert SENTENCE.fullmatch(entry["text"]) and len(entry["text"]) < 260
    used = {
        label.term for case in CALLS for table in tables_of(result_of(case)) for label in labels_of(table)
    }
    # Those of large data, whose errors are estimated.
    assert set(entries) - used <= {"error_interval", "left_out"}
