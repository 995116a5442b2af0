"""What leaves a page: a table that no spreadsheet runs, charts by their names, nothing of other pages."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import nysviz as nv
from nysviz.kernels import Gaussian
from nysviz.papers.yang2012 import figure1
from nysviz.studies.rows import npy_file, of_records, table
from nysviz.sweep import Problem, run_jobs, sweep_jobs, tidy
from tests.pages.driving import opened, settled
from tests.pairing import quickly

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
WITH_CLOSING = [name for name in PAGES if name not in ("home", "lessons")]
FEW_RUNS = {
    "balls_n": "500", "compare_repeats": "3", "quantization_runs": "10", "learning_repeats": "5",
    "lift_repeats": "1", "lift_methods": "randomly pivoted Cholesky",
}  # fmt: skip
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "\uff1d1", '=HYPERLINK("http://x")')


def read(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", FORMULAS)
def test_a_name_that_begins_like_a_formula_is_text(text):
    (row,) = read(table([{"data": text, "measure": text, "value": -1.5}]))
    assert row["data"] == row["measure"] == "'" + text.replace("\r", "\n")
    # A number keeps its sign.
    assert row["value"] == "-1.5"


def test_numbers_have_all_their_digits():
    numbers = [
        0.1, 1 / 3, 1e-300, np.float64(2 / 3), np.float32(0.1), float("inf"), float("nan"), 12345678901234567,
    ]  # fmt: skip
    rows = read(table([{"measure": "a", "value": value} for value in numbers]))
    for row, value in zip(rows, numbers, strict=True):
        assert float(row["value"]) == float(value) or np.isnan(value)
    assert rows[0]["value"] == "0.1" and rows[-1]["value"] == "12345678901234567"


# The other pages are opened in make test-slow; their rows, in tests/pages/test_same_numbers.py.
@pytest.mark.parametrize("name", quickly(("approximate",), WITH_CLOSING))
def test_every_page_offers_its_numbers_and_its_charts(name, monkeypatch):
    monkeypatch.setattr(figure1, "TRIALS", 2)
    at = opened(name, **FEW_RUNS)
    drawn = {chart.proto.id.rsplit("-", 1)[-1] for chart in at.get("plotly_chart")}
    assert not at.get("download_button")
    at.session_state["download_open"] = True
    settled(at)
    offered = [button.proto.id.rsplit("-", 1)[-1] for button in at.get("download_button")]
    assert offered[0] == "download_rows"
    # Those whose study is about the landmarks of one approximation.
    assert ("download_landmarks" in offered) == (name in ("approximate", "clusters"))
    charts = [key.removeprefix("download_chart_") for key in offered if "_chart_" in key]
    assert set(charts) == drawn
    for chart in at.get("plotly_chart"):
        button = json.loads(chart.proto.config)["toImageButtonOptions"]
        assert button["format"] == "svg" and button["filename"].startswith(f"nysviz-{name}")


def test_downloaded_landmarks_give_the_features_of_the_page():
    at = opened("approximate")
    shown = at.session_state["download"].landmarks
    data = nv.load("iris")
    a = nv.approximate(data.X, nv.Gaussian.from_width(nv.default_width(data.X)), "kmeans", len(shown))
    own = nv.NystroemFeatures(a.kernel, landmarks=np.load(io.BytesIO(npy_file(shown))))
    np.testing.assert_allclose(
        own.fit_transform(data.X) @ own.transform(data.X).T, a.factor @ a.factor.T, atol=1e-9
    )


def test_records_are_the_rows_of_tidy():
    data = nv.load("iris")
    problem = Problem(data.name, data.X, Gaussian(1.0), data.digest)
    jobs = sweep_jobs(problem, {"uniform": (), "kmeans": ()}, [3, 6], 2, 1, ("frobenius",))
    records = [record for finished in run_jobs(jobs) for record in finished.records]
    known = tidy(records)
    rows = read(table(of_records(records, "mine")))
    assert [float(row["value"]) for row in rows] == known["value"].tolist()
    for name in ("n", "d", "kernel", "method", "options", "m", "repeat", "seed", "measure"):
        assert [row[name] for row in rows] == [str(value) for value in known[name]]
    assert {row["data"] for row in rows} == {"mine"} and {row["sigma"] for row in rows} == {"1.0"}
