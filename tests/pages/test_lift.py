"""The page Lift: its numbers are those of the core, in every view."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.papers.oglic2017.bandwidths import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import SCHEMES, Cell, Matrices, gains, lift_jobs, lifts
from nysviz.sweep import run_jobs
from nysviz.ui.leads import NO_DIFFERENCE
from nysviz.ui.lift import text
from nysviz.ui.lift.controls import RANKS, VIEWS, Question
from nysviz.ui.lift.result import Measured, measured_by
from tests.pages.driving import IRIS, PATIENCE_SECONDS, charts, number, settled, table

PAGE = Path(__file__).resolve().parents[2] / "pages" / "lift.py"
RANGE = bandwidths(IRIS.X)
VALUES = sorted({*RANGE.values, RANGE.standard})
SHOWN = ("kmeanspp", "kmeanspp_lloyd", "leverage_approx", "dpp", "dpp_10000", "rpcholesky", "greedy", "svd")
KMEANSPP = SCHEMES["kmeanspp"].label


def opened(**link):
    at = AppTest.from_file(str(PAGE), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": IRIS.title, "lift_repeats": "6", **link}
    return settled(at)


def lines(at, chart="lift"):
    return {trace["name"]: trace for trace in charts(at)[chart]["data"] if trace.get("name")}


def records_of(schemes, ranks=(30,), values=VALUES, repeats=6, **more):
    matrices = Matrices("iris", IRIS.X, IRIS.digest)
    jobs = lift_jobs(matrices, [kernel_at(v) for v in values], schemes, ranks, repeats, **more)
    return [record for finished in run_jobs(jobs) for record in finished.records]


def label(name):
    return "best possible" if name == "svd" else SCHEMES[name].label


def test_first_view_is_lift_against_bandwidth_with_answer_and_table():
    at, records = opened(), records_of(SHOWN)
    found, drawn = lifts(records), lines(at)
    assert set(drawn) == {label(name) for name in SHOWN}
    shown = table(at)
    for name in SHOWN:
        of = gains(found, name)
        np.testing.assert_allclose(drawn[label(name)]["x"], VALUES, rtol=1e-9)
        np.testing.assert_allclose(drawn[label(name)]["y"], [one.mean for one in of.values()], rtol=1e-6)
        (one,) = (g for c, g in of.items() if c.bandwidth == pytest.approx(RANGE.standard))
        assert number(shown[label(name)][0]) == pytest.approx(one.mean, rel=6e-3)
    layout = charts(at)["lift"]["layout"]
    assert layout["xaxis"]["type"] == layout["yaxis"]["type"] == "log"
    # The line of lift 1, and 1/median.
    assert any(shape.get("y0") == shape.get("y1") == 1 for shape in layout["shapes"])
    assert any(shape["x0"] == pytest.approx(RANGE.standard) for shape in layout["shapes"])
    # Two chains of one method are told apart.
    chains = [drawn[label(name)] for name in ("dpp", "dpp_10000")]
    assert chains[0]["line"]["dash"] != chains[1]["line"]["dash"]
    assert set(charts(at)) == {"lift", "lift_errors", "lift_effective_rank"}
    # The answer speaks of bandwidths outside the grey ranges.
    question = Question("bandwidth", SHOWN, 30, "K", 6, 0, "", "", IRIS.X, RANGE)
    grey = [shape for shape in layout["shapes"] if shape["type"] == "rect"]
    white = measured_by(question, records).open
    assert grey and 0 < len(white) < len(VALUES)
    assert not any(shape["x0"] < cell.bandwidth < shape["x1"] for shape in grey for cell in white)
    means = {(n, c): gains({c: found[c]}, n)[c].mean for n in SHOWN[:-1] for c in white}
    first, _ = max(means, key=means.get)
    assert any(label(first)[1:] in said.value and "largest lift" in said.value for said in at.markdown)


def measured(**runs):
    """Lifts of methods at three bandwidths, none of them grey."""
    cells = {Cell(float(k), 5, 5): {n: np.exp(v) for n, v in runs.items()} for k in range(3)}
    return Measured((), cells, {}, (), ())


def test_a_title_claims_a_difference_only_where_the_runs_show_one():
    noise = np.random.default_rng(0).normal(scale=0.01, size=(2, 10))
    question = Question("bandwidth", ("kmeanspp", "dpp"), 5, "K", 10, 0, "", "", IRIS.X, RANGE)
    assert text.title(question, measured(kmeanspp=noise[0], dpp=noise[1])) == NO_DIFFERENCE
    clear = measured(kmeanspp=0.2 + noise[0], dpp=noise[1])
    assert text.title(question, clear) == "Clearly largest lift: kernel k-means++ at 3 of 3 bandwidths"
    grey = Measured((), clear.lifts, {}, tuple(clear.lifts), ())
    assert text.title(question, grey) == "Lift over uniform sampling"
    assert "At no bandwidth" in text.answer(question, grey)


def test_lift_against_rank():
    at = opened(lift_view=VIEWS["rank"], lift_methods=KMEANSPP)
    ranks = [round(0.3 * rank) for rank in RANKS]
    of = gains(lifts(records_of(("kmeanspp",), ranks, [RANGE.standard])), "kmeanspp")
    np.testing.assert_allclose(lines(at)[KMEANSPP]["x"], [cell.rank for cell in of])
    np.testing.assert_allclose(lines(at)[KMEANSPP]["y"], [one.mean for one in of.values()], rtol=1e-6)


def test_the_best_possible_alone_and_no_method():
    at = opened(lift_methods=SCHEMES["svd"].label, lift_repeats="1", lift_rank_150="5", kernel="linear")
    assert any(said.value == text.CHOOSE for said in at.markdown)
    at.multiselect(key="lift_methods").set_value([])
    settled(at)
    assert at.info and "lift" not in charts(at)


def test_more_landmarks_than_the_rank():
    at = opened(lift_landmarks="K ln K", lift_rank_150="10", lift_methods=KMEANSPP)
    of = gains(lifts(records_of(("kmeanspp",), [10], rule="K ln K")), "kmeanspp")
    assert next(iter(of)).landmarks == 24
    np.testing.assert_allclose(lines(at)[KMEANSPP]["y"], [one.mean for one in of.values()], rtol=1e-6)
    assert "rank 10 from 24 landmarks" in charts(at)["lift"]["layout"]["title"]["subtitle"]["text"]


def test_seconds_are_taken_three_times_whatever_the_other_views_repeat():
    at = opened(lift_view=VIEWS["seconds"], lift_repeats="1")
    drawn = lines(at)
    assert set(drawn) == {label(name) for name in (*SHOWN[:-1], "uniform")}
    assert all((np.array(line["x"]) > 0).all() and len(line["x"]) == 11 for line in drawn.values())
    assert "median of 3 runs" in charts(at)["lift"]["layout"]["title"]["subtitle"]["text"]
    assert any("No seconds for best rank m (SVD)" in said.value for said in at.caption)
    assert not [box for box in at.selectbox if box.key == "lift_repeats"]
    at.selectbox(key="lift_view").set_value("bandwidth")
    assert settled(at).selectbox(key="lift_repeats").value == 1


def test_a_sample_of_many_rows_is_measured_and_named():
    title = next(card.title for card in nv.catalog() if card.name == "two_balls")
    of = {"lift_methods": KMEANSPP, "lift_repeats": "1", "lift_rank_3000": "5"}
    at = opened(data=title, two_balls_n="4000", two_balls_redundant="2", **of)
    assert any("random sample of 3000 of the 4000 rows" in said.value for said in at.caption)
    subtitle = charts(at)["lift"]["layout"]["title"]["subtitle"]["text"]
    assert "n = 3000" in subtitle and subtitle.endswith("1 repeat")


def test_the_subtitle_counts_the_repeats_that_are_there():
    records = records_of(("kmeanspp",), (5,), VALUES[:1])
    question = Question("bandwidth", ("kmeanspp",), 5, "K", 6, 0, "", "", IRIS.X, RANGE)
    half = [record for record in records if record.repeat < 3]
    assert (measured_by(question, half).repeats, measured_by(question, records).repeats) == (3, 6)
