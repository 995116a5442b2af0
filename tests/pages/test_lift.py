"""The page Lift: its numbers are those of the core, in every view."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

import nysviz as nv
from nysviz.landmarks import METHODS
from nysviz.papers.oglic2017.figures import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import SCHEMES, Matrices, gains, lift_jobs, lifts
from nysviz.sweep import run_jobs
from nysviz.ui.lift.result import Question, going_on, measured_by
from nysviz.ui.lift.view import VIEWS
from tests.pages.driving import IRIS, KERNEL, alone, charts, lines, number, settled, table

RANGE = bandwidths(IRIS.X)
VALUES = sorted({*RANGE.values, RANGE.standard})
SHOWN = ("kmeanspp", "kmeanspp_lloyd", "leverage_approx", "dpp", "rpcholesky", "greedy", "svd")
FEW = ("kmeanspp", "greedy", "svd")


def opened(schemes=FEW, **link):
    methods = [SCHEMES[name].label for name in schemes]
    return settled(alone("lift", {"lift_repeats": "6", "lift_methods": methods, **link}))


def records_of(schemes, ranks=(30,), values=VALUES, repeats=6, **more):
    matrices = Matrices("iris", IRIS.X, IRIS.digest)
    jobs = lift_jobs(matrices, [kernel_at(v) for v in values], schemes, ranks, repeats, **more)
    return [record for finished in run_jobs(jobs) for record in finished.records]


def label(name):
    one = SCHEMES[name]
    return "best possible" if name == "svd" else one.label if one.options else METHODS[one.method].brief


def test_lift_against_bandwidth_with_its_answer_and_table():
    at, records = opened(), records_of(FEW)
    found, drawn = lifts(records), lines(at, "lift")
    assert set(drawn) == {label(name) for name in FEW}
    shown = table(at)
    for name in FEW:
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
    assert set(charts(at)) == {"lift", "lift_errors"}
    question = Question("bandwidth", FEW, 30, "k", 6, 6, 0, "", "", IRIS.X, RANGE)
    grey = [shape for shape in layout["shapes"] if shape["type"] == "rect"]
    white = measured_by(question, records).open
    assert grey and 0 < len(white) < len(VALUES)
    assert not any(shape["x0"] < cell.bandwidth < shape["x1"] for shape in grey for cell in white)
    # The answer speaks of bandwidths outside the grey ranges.
    means = {(n, c): gains({c: found[c]}, n)[c].mean for n in FEW[:-1] for c in white}
    first, _ = max(means, key=means.get)
    assert any(f"**{label(first)}**" in said.value and "Largest lift" in said.value for said in at.markdown)


def test_as_needed_those_have_more_repeats_that_may_have_the_largest_lift():
    records = records_of(SHOWN, repeats=3)
    question = Question("bandwidth", SHOWN, 30, "k", 3, 10, 0, "", "", IRIS.X, RANGE)
    white = measured_by(question, records).open
    found = {name: [np.log(lifts(records)[cell][name]) for cell in white] for name in SHOWN[:-1]}
    largest = {name: max(logs, key=np.mean) for name, logs in found.items()}
    best = max(largest, key=lambda name: np.mean(largest[name]))
    others = [name for name in largest if name != best]
    close = {name for name in others if ttest_rel(largest[best], largest[name]).pvalue > 0.05}
    more = going_on(question, records)
    assert set(more) == {best, *close} and 1 < len(more) < len(others)
    # In the chart these have 10 repeats, as uniform sampling has, with which what is not random is paired.
    methods = [SCHEMES[name].label for name in SHOWN]
    drawn = lines(settled(alone("lift", {"lift_methods": methods})), "lift")
    for name in SHOWN:
        runs = {int(text.rsplit(", ", 1)[1].split()[0]) for text in drawn[label(name)]["text"]}
        assert runs == {3 if SCHEMES[name].random and name not in more else 10}


def test_seconds_are_taken_three_times_whatever_the_other_views_repeat():
    schemes = ("kmeanspp", "greedy")
    at = opened(schemes, lift_view=VIEWS["seconds"], lift_repeats="1")
    drawn = lines(at, "lift")
    assert set(drawn) == {label(name) for name in (*schemes, "uniform")}
    assert all((np.array(line["x"]) > 0).all() and len(line["x"]) == 11 for line in drawn.values())
    assert "median of 3 repeats" in charts(at)["lift"]["layout"]["title"]["subtitle"]["text"]
    assert not [box for box in at.selectbox if box.key == "lift_repeats"]
    at.selectbox(key="lift_view").set_value("bandwidth")
    assert settled(at).selectbox(key="lift_repeats").value == 1


def test_a_kernel_that_the_page_does_not_use_is_named_with_the_one_that_it_does():
    assert not opened().info
    for label in ("linear", "Laplacian"):
        (said,) = opened(kernel=label).info
        assert f"not the {label} kernel" in said.value and "Gaussian kernel of your points" in said.value
    K = ",".join(f"c{i}" for i in range(20)).encode() + b"\n"
    K += "\n".join(",".join(map(repr, row)) for row in KERNEL(IRIS.X[:20]).tolist()).encode()
    at = alone("lift", {"lift_repeats": "1"}, nv.parse(K, "K.csv", False, similarities="given"))
    at.session_state["own_options"], at.session_state["kernel"] = {"similarities": "given"}, "linear"
    (said,) = settled(at).info
    assert "the points that stand for your similarities" in said.value
