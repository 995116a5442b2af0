"""python -m nysviz: what it prints, what it writes, what it says when something cannot be done."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import nysviz as nv
from nysviz.__main__ import main
from nysviz.experiments.catalog import EXPERIMENTS

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ["experiment", "data", "n", "d", "method", "m", "repeat", "measure", "value", "seconds"]


def run(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_data_sets_are_listed(monkeypatch, tmp_path):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    lines = run("datasets").output.splitlines()
    for card in nv.catalog():
        line = next(line for line in lines if line.split()[0] == card.name)
        assert str(card.n) in line and card.title in line
        assert ("not on disk" in line) == (card.kind == "file")
    assert str(tmp_path) in lines[-1]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_has_its_code(experiment):
    code = EXPERIMENTS[experiment]._code()
    assert callable(code.reproduce) and callable(code.table)
    assert EXPERIMENTS[experiment].title in run("reproduce", "--help").output.replace("\n", " ").replace(
        "  ", " "
    )


def test_figure_1_on_an_embedded_set(tmp_path):
    out = tmp_path / "rows.csv"
    told = run(
        "reproduce", "zhang-fig1", "--data", "iris", "--repeats", "2", "--seed", "4", "--out", str(out)
    )
    assert told.exit_code == 0, told.output
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == COLUMNS
    assert len(rows) == 10 * (1 + 1 + 3 * 2)
    data = nv.load("iris")
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    for row in rows:
        assert (row["experiment"], row["data"], row["measure"]) == ("zhang-fig1", "iris", "frobenius")
        if row["m"] == "8":
            expected = nv.error_curve(data.X, kernel, row["method"], [8], 4 + int(row["repeat"]))[0]
            assert float(row["value"]) == pytest.approx(expected, rel=1e-6)
    at_eight = next(line.split() for line in told.output.splitlines() if line.split()[:2] == ["iris", "8"])
    icd = np.array([float(row["value"]) for row in rows if row["m"] == "8" and row["method"] == "icd"])
    assert float(at_eight[3]) == pytest.approx(icd.mean(), rel=6e-3)
    assert at_eight[-1] == "kmeans"


def test_absent_data_are_named_and_the_rest_goes_on(monkeypatch, tmp_path):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    told = run("reproduce", "zhang-fig1", "--data", "german", "--data", "iris", "--repeats", "1")
    assert told.exit_code == 0
    assert "german is left out: its files (german.numer) are not in the data folder." in told.output
    assert "iris" in told.output


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (("zhang-fig1", "--data", "irish"), "irish is left out: the catalog has no set of this name."),
        (("zhang-fig1", "--data", "irish"), "No data left"),
        (("zhang-fig1", "--data", "iris", "--repeats", "0"), "0 is not in the range"),
        (("zhang-fig9",), "'zhang-fig9' is not one of"),
        (
            ("zhang-fig1", "--data", "iris", "--repeats", "1", "--out", "/no/such/folder/x.csv"),
            "/no/such/folder",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(arguments, sentence):
    told = run("reproduce", *arguments)
    assert told.exit_code != 0
    assert sentence in told.output
    assert "Traceback" not in told.output


def test_it_runs_as_a_module():
    told = subprocess.run(
        [sys.executable, "-m", "nysviz", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "reproduce" in told.stdout and "datasets" in told.stdout
