"""Lift: its numbers are those of the core, in every view."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

import nysviz as nv
from nysviz.papers.oglic2017.figures import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import SCHEMES, Matrices, gains, lift_jobs, lifts
from nysviz.studies import lift_records
from nysviz.studies.lift_records import find_candidates, label_of, summarise
from nysviz.sweep import run_jobs

IRIS = nv.load("iris")
RANGE = bandwidths(IRIS.X)
VALUES = sorted({*RANGE.values, RANGE.standard})
METHODS = ("kmeanspp", "kmeanspp_lloyd", "leverage_approx", "dpp", "rpcholesky", "greedy", "svd")
FEW = ("kmeanspp", "greedy", "svd")


def records_of(schemes, ranks=(30,), values=VALUES, repeats=6, **more):
    matrices = Matrices("iris", IRIS.X, IRIS.digest)
    jobs = lift_jobs(matrices, [kernel_at(v) for v in values], schemes, ranks, repeats, **more)
    return [record for finished in run_jobs(jobs) for record in finished.records]


def lines(figure):
    return {trace.name: trace for trace in figure.data if trace.name}


def number(text):
    return float(text.replace("\N{NARROW NO-BREAK SPACE}", ""))


def test_lift_against_bandwidth_with_its_answer_and_numbers():
    result = nv.studies.lift(IRIS, methods=FEW, rank=25, repeats=6, seed=2, theme="dark")
    records = records_of(FEW, (25,), seed=2)
    found, drawn = lifts(records), lines(result.figures["lift"])
    assert set(drawn) == {label_of(name) for name in FEW}
    cells = {name.text: rest for name, *rest in result.numbers.rows}
    for name in FEW:
        of = gains(found, name)
        np.testing.assert_allclose(drawn[label_of(name)].x, VALUES, rtol=1e-9)
        np.testing.assert_allclose(drawn[label_of(name)].y, [each.mean for each in of.values()], rtol=1e-6)
        (standard,) = (g for c, g in of.items() if c.bandwidth == pytest.approx(RANGE.standard))
        assert number(cells[label_of(name)][0]) == pytest.approx(standard.mean, rel=6e-3)
    layout = result.figures["lift"].layout
    assert layout.xaxis.type == layout.yaxis.type == "log"
    # The line of lift 1, and 1/median.
    assert any(shape.y0 == shape.y1 == 1 for shape in layout.shapes)
    assert any(shape.x0 == pytest.approx(RANGE.standard) for shape in layout.shapes)
    grey = [shape for shape in layout.shapes if shape.type == "rect"]
    white = summarise("bandwidth", records).open
    assert grey and 0 < len(white) < len(VALUES)
    assert not any(shape.x0 < cell.bandwidth < shape.x1 for shape in grey for cell in white)
    # The answer speaks of bandwidths outside the grey ranges.
    means = {(n, c): gains({c: found[c]}, n)[c].mean for n in FEW[:-1] for c in white}
    first, _ = max(means, key=means.get)
    assert "Largest lift" in result.answer and f"**{label_of(first)}**" in result.answer


def test_lift_against_rank_has_one_bandwidth_and_no_grey_range():
    result = nv.studies.lift(IRIS, "rank", ["greedy"], rule="k ln k", repeats=2)
    records = records_of(["greedy"], result.ranks, [RANGE.standard], 2, rule="k ln k")
    lifts_by_rank = gains(lifts(records), "greedy")
    line = lines(result.figures["lift"])[label_of("greedy")]
    np.testing.assert_array_equal(line.x, result.ranks)
    np.testing.assert_allclose(line.y, [each.mean for each in lifts_by_rank.values()], rtol=1e-6)
    assert not [shape for shape in result.figures["lift"].layout.shapes if shape.type == "rect"]


def test_as_needed_those_have_more_repeats_that_may_have_the_largest_lift():
    summary = summarise("bandwidth", records_of(METHODS, repeats=3))
    logs = {name: [np.log(summary.lifts[cell][name]) for cell in summary.open] for name in METHODS[:-1]}
    largest = {name: max(values, key=np.mean) for name, values in logs.items()}
    best = max(largest, key=lambda name: np.mean(largest[name]))
    others = [name for name in largest if name != best]
    close = {name for name in others if ttest_rel(largest[best], largest[name]).pvalue > 0.05}
    more = find_candidates(summary, METHODS[:-1])
    assert set(more) == {best, *close} and 1 < len(more) < len(others)
    # In the chart these have 10 repeats, as uniform sampling has, with which what is not random is paired.
    result = nv.studies.lift(IRIS, methods=METHODS)
    drawn = lines(result.figures["lift"])
    assert result.candidates == more
    for name in METHODS:
        runs = {int(text.rsplit(", ", 1)[1].split()[0]) for text in drawn[label_of(name)].text}
        assert runs == {3 if SCHEMES[name].random and name not in more else 10}
    # A run is in the table once.
    runs = result.table[result.table.measure == "frobenius"]
    assert not runs.duplicated(["kernel", "scheme", "repeat"]).any()


def test_seconds_are_taken_three_times_without_the_best_possible():
    result = nv.studies.lift(IRIS, "seconds", FEW)
    drawn = lines(result.figures["lift"])
    assert set(drawn) == {label_of(name) for name in ("kmeanspp", "greedy", "uniform")}
    assert all((np.array(line.x) > 0).all() and len(line.x) == 11 for line in drawn.values())
    assert "median of 3 repeats" in result.figures["lift"].layout.title.subtitle.text
    assert set(result.figures) == {"lift"}


def test_of_many_rows_a_sample_is_measured_and_said(monkeypatch):
    monkeypatch.setattr(lift_records, "MOST_ROWS", 60)
    result = nv.studies.lift(nv.load("wine"), "rank", ["greedy"], repeats=1)
    assert result.notes == ("A random sample of 60 of 178 rows is measured.",)
    assert set(result.table.n) == {60}


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"view": "time"}, "must be one of bandwidth, rank, seconds"),
        ({"rule": "2k"}, "must be one of k, k ln k, k ln n"),
        ({"methods": ["uniform"]}, "choose one or more of"),
        ({"methods": ["svd"], "view": "seconds"}, "choose one or more of"),
        ({"rank": 151}, "rank is 151; it must be a whole number from 1 to 150"),
        ({"repeats": 0}, "repeats is 0"),
        ({"data": np.ones((1, 2))}, "One row alone has no distances"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ValueError, match=words):
        nv.studies.lift(**{"data": IRIS, "methods": ["greedy"], **arguments})
