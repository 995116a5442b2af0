"""What every study does: parts in order, a call in Python, a notebook, and what an interruption leaves."""

import re
from inspect import isfunction, signature

import nbformat
import numpy as np
import pytest
from tqdm.auto import tqdm

import nysviz as nv
from nysviz.figures.look import DARK, LIGHT
from nysviz.studies.code import call_lines, notebook_of, script_of
from nysviz.studies.rows import table
from nysviz.studies.study import Runs, Study

IRIS = nv.load("iris")
STUDIES = {name: function for name, function in vars(nv.studies).items() if isfunction(function)}


def small(**settings):
    return nv.studies.kernel_pca(IRIS, m=8, **{"methods": ["uniform"], **settings})


def subclasses(study=Study):
    return {each for direct in study.__subclasses__() for each in (direct, *subclasses(direct))}


@pytest.mark.parametrize("name", sorted(STUDIES))
def test_the_settings_of_a_study_are_the_arguments_of_its_function(name):
    (study,) = (each for each in subclasses() if getattr(each, "name", None) == name)
    parameters = signature(STUDIES[name]).parameters
    assert study.question.endswith("?")
    assert ("theme" in parameters) == bool(study.charts)


def test_the_table_is_the_csv_of_the_rows():
    study = small()
    rows = [*study.fixed_rows(), *study.run_rows()]
    frame = study.table
    assert table(rows).splitlines()[0] == ",".join(frame.columns)
    assert frame.m.dtype == "Int64" and frame.m.dropna().eq(8).any()
    assert frame.value.notna().all() and len(frame) == len(rows) > 20


def test_figures_are_light_or_dark():
    for ink, theme in (("light", LIGHT), ("dark", DARK)):
        figure = small(theme=ink, methods=[]).figures["embedding"]
        assert figure.layout.paper_bgcolor == theme.ground


def test_a_notebook_shows_answer_numbers_and_charts():
    text = small(methods=[])._repr_html_()
    assert "Misalignment of 3" in text and "angle θ" in text and text.count("plotly-graph-div") == 2


def test_the_call_says_what_differs_from_the_defaults():
    assert call_lines(small()) == ["result = nv.studies.kernel_pca(data, kernel, m=8, methods=['uniform'])"]
    study = small(method="dpp", options={"steps": 20}, seed=4)
    script = script_of(study)
    assert "method='dpp'" in script and "options={'steps': 20}" in script and "seed=4" in script
    names = {}
    exec(script, names)
    assert names["result"].answer == study.answer


def test_the_notebook_is_valid_and_runs():
    study = small()
    text = notebook_of(study, study.charts)
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    assert text == notebook_of(study, study.charts)  # nothing drawn at random
    names = {}
    exec("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"), names)
    assert names["result"].answer == study.answer
    assert notebook.cells[0].source == "# Does the embedding survive?"


def test_ctrl_c_keeps_the_records_that_are_there(monkeypatch):
    refresh = tqdm.refresh

    def interrupt(bar, **named):
        if bar.n > 0:
            monkeypatch.setattr(tqdm, "refresh", refresh)
            raise KeyboardInterrupt
        return refresh(bar, **named)

    monkeypatch.setattr(tqdm, "refresh", interrupt)
    data = IRIS.sampled(140)
    study = nv.studies.kernel_pca(data, m=8, methods=["rpcholesky", "greedy", "farthest"], seed=91)
    assert 0 < len(study.misalignments) < 200
    assert study.figures["misalignment"].data


def test_what_a_session_keeps_of_a_study_is_its_runs():
    study = small()
    later = study.with_runs_only()
    assert [*later.computed] == ["misalignments"]
    assert later.run_rows() == study.run_rows()


def test_a_part_is_computed_once_for_equal_questions():
    first, second = small(seed=17), small(seed=17)
    assert second.embedded is first.embedded


def test_parts_that_do_not_apply_are_left_out():
    study = nv.studies.kernel_pca(IRIS, method="rff", m=8, methods=[])
    assert sorted(study.figures) == ["embedding"]
    assert any("needs landmarks" in note for note in study.notes)
    assert isinstance(type(study).misalignments, Runs)


def test_data_may_be_an_array():
    X = np.random.default_rng(0).random((60, 3))
    study = nv.studies.kernel_pca(X, nv.Laplacian(0.5), m=5, methods=[])
    assert re.match(r"Misalignment of 3 .* \*\*[0-9.]+\*\*, where 0", study.answer)
    assert set(study.table.data) == {"data"}


def test_records_stay_as_they_are_until_the_study_is_looked_at_again():
    finished = nv.studies.compare(IRIS, methods=["uniform", "svd"], repeats=3)
    everything = finished.computed["records"].records()

    class Growing:
        """A run with more records at each call, as other threads add them."""

        number = 0

        def records(self):
            self.number += 3
            return everything[: self.number]

    study = finished.with_runs_only()
    study.computed["records"] = Growing()
    assert study.records is study.records and len(study.records) == 3
    # Two of its measures, read one after the other, are of the same runs.
    assert study.answer and len(study.run_rows()) > len(study.records) == 6
    study.forget_records()
    assert len(study.records) == 9


READ_TWICE = {
    "linear_system": {"m": 10, "methods": ["uniform"]},
    "gaussian_process": {"m": 10, "methods": ["uniform"]},
    "clusters": {"m": 12, "methods": ["uniform"]},
}


@pytest.mark.parametrize("name, settings", READ_TWICE.items(), ids=READ_TWICE)
def test_the_same_numbers_read_as_classes_and_as_values_are_two_questions(name, settings):
    """A visitor may say in the dialog of the file that a target of whole numbers means values."""
    rng = np.random.default_rng(len(name))
    X, y = rng.standard_normal((60, 3)), rng.integers(0, 3, 60) + 4
    measures = []
    for task in ("regression", "classification", "regression"):
        data = nv.Dataset.from_arrays("numbers", X, y, task=task)
        table = getattr(nv.studies, name)(data, nv.Gaussian(1.0), **settings).table
        table = table[~table.measure.str.contains("seconds")]
        measures.append(table[["method", "m", "measure", "value"]].to_csv())
    assert measures[0] == measures[2] != measures[1]


@pytest.mark.parametrize(
    "settings, sentence",
    [
        ({"directions": (1, 5)}, "from 1 to 3"),
        ({"directions": (2, 2)}, "two different"),
        ({"methods": ["x"]}, "choose one of"),
    ],
)
def test_kernel_pca_refuses_what_it_cannot_draw(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        small(**settings)
