"""The page Lift: its numbers are those of the core, in every view."""

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.figures.look import three_digits
from nysviz.papers.oglic2017.bandwidths import bandwidths, kernel_at
from nysviz.papers.oglic2017.lift import SCHEMES, Matrices, clearly, gains, growth, lift_jobs, lifts
from nysviz.sweep import run_jobs
from nysviz.ui.lift.parts import RANKS, VIEWS
from tests.pages.driving import IRIS, PATIENCE_SECONDS, charts, number, settled, table

PAGE = Path(__file__).resolve().parents[2] / "pages" / "lift.py"
RANGE = bandwidths(IRIS.X)
VALUES = sorted({*RANGE.values, RANGE.standard})
SHOWN = ("kmeanspp", "kmeanspp_lloyd", "leverage_approx", "dpp", "dpp_10000", "rpcholesky", "greedy", "svd")


def opened(**link):
    at = AppTest.from_file(str(PAGE), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": IRIS.title, "lift_repeats": "6", **link}
    return settled(at)


def lines(at, chart="lift"):
    return {trace["name"]: trace for trace in charts(at)[chart]["data"] if trace.get("name")}


def core(schemes, ranks=(30,), values=VALUES, repeats=6, **more):
    jobs = lift_jobs(
        Matrices("iris", IRIS.X, IRIS.digest), [kernel_at(v) for v in values], schemes, ranks, repeats, **more
    )
    return lifts([record for finished in run_jobs(jobs) for record in finished.records])


def label(name):
    return "best possible" if name == "svd" else SCHEMES[name].label


@pytest.fixture(scope="module")
def first():
    return opened()


def test_the_bandwidth_is_told_as_one_over_sigma_squared(first):
    figures = charts(first)
    titles = [figures[key]["layout"]["xaxis"]["title"]["text"] for key in figures]
    assert set(titles) == {"1/σ² (large: narrow kernel)"}
    told = [text.value for text in (*first.markdown, *first.caption)]
    assert "γ" not in "".join((*told, str(figures))) and "\\gamma" not in "".join(told)


def test_first_view_is_lift_against_bandwidth_with_bands(first):
    found, drawn = core(SHOWN), lines(first)
    assert set(drawn) == {label(name) for name in SHOWN}
    for name in SHOWN:
        of = gains(found, name)
        np.testing.assert_allclose(drawn[label(name)]["x"], VALUES, rtol=1e-9)
        np.testing.assert_allclose(drawn[label(name)]["y"], [one.mean for one in of.values()], rtol=1e-6)
    layout = charts(first)["lift"]["layout"]
    assert layout["xaxis"]["type"] == layout["yaxis"]["type"] == "log"
    # The line of lift 1, and 1/median.
    assert any(shape.get("y0") == shape.get("y1") == 1 for shape in layout["shapes"])
    assert any(shape["x0"] == pytest.approx(RANGE.standard) for shape in layout["shapes"])
    # Two chains of one method are told apart.
    chains = [drawn[label(name)] for name in ("dpp", "dpp_10000")]
    assert chains[0]["line"]["dash"] != chains[1]["line"]["dash"]
    assert set(charts(first)) == {"lift", "lift_errors", "lift_effective_rank"}


def test_answer_and_table_are_the_cores(first):
    found = core(SHOWN)
    every = {(n, c): one.mean for n in SHOWN if n != "svd" for c, one in gains(found, n).items()}
    (name, cell), most = max(every.items(), key=lambda entry: entry[1])
    answer = next(text.value for text in first.markdown if text.value.startswith("The largest lift"))
    told, value = re.search(r"that of \*\*(.+)\*\*, (\S+) at", answer).groups()
    assert told == label(name) and number(value) == pytest.approx(most, rel=6e-3)
    assert number(re.search(r"1/σ²\s=\s(\S+)", answer).group(1)) == pytest.approx(cell.bandwidth, rel=6e-3)
    shown = table(first)
    for name in SHOWN:
        (one,) = (g for c, g in gains(found, name).items() if c.bandwidth == pytest.approx(RANGE.standard))
        assert number(shown[label(name)][0]) == pytest.approx(one.mean, rel=6e-3)


def test_what_is_seen_counts_what_the_paper_states(first):
    found = core(SHOWN)
    seen = " ".join(text.value for text in first.markdown)
    plus, refined = (list(gains(found, name).values()) for name in ("kmeanspp", "kmeanspp_lloyd"))
    above = sum(one.mean > 1 for one in plus)
    ahead = sum(a.mean >= b.mean for a, b in zip(refined, plus, strict=True))
    assert f"Kernel k-means++ has lift above 1 at {above} of 11 bandwidths" in seen
    assert f"is at or above it at {ahead} of 11" in seen
    assert "Fewer than 9 pairs cannot show at 11 bandwidths" in seen
    for name in ("dpp", "dpp_10000"):
        chain = list(gains(found, name).values())
        count = sum(a.mean > b.mean for a, b in zip(chain, plus, strict=True))
        told = f"The {label(name)} is ahead of kernel k-means++ at {count} of 11" if count else "As published"
        assert told in seen
    last = list(found)[-1]
    # Near the identity the best matrix itself is no better.
    assert gains(found, "svd")[last].mean == pytest.approx(
        number(re.search(r"leaves \S+\s% of ‖K‖ and has lift (\d\S*), so", seen).group(1)), rel=6e-3
    )


def test_the_signed_ranks_are_those_of_the_core():
    at = opened(lift_methods=SCHEMES["kmeanspp"].label, lift_repeats="10")
    signs = list(clearly(gains(core(("kmeanspp",), repeats=10), "kmeanspp")).values())
    assert f"kernel k-means++ at {signs.count(1)} of 11" in " ".join(text.value for text in at.markdown)


def test_lift_against_rank():
    at = opened(lift_view=VIEWS["rank"], lift_methods=SCHEMES["kmeanspp"].label)
    drawn = lines(at)[SCHEMES["kmeanspp"].label]
    expected = core(("kmeanspp",), [round(0.3 * rank) for rank in RANKS], [RANGE.standard])
    of = gains(expected, "kmeanspp")
    np.testing.assert_allclose(drawn["x"], [cell.rank for cell in of])
    np.testing.assert_allclose(drawn["y"], [one.mean for one in of.values()], rtol=1e-6)
    slope = growth([cell.rank for cell in of], [one.mean for one in of.values()])
    how = "grows fastest" if slope > 0 else "grows for no method; it falls most slowly"
    told = f"With the rank the lift {how} for kernel k-means++, by {three_digits(abs(slope))} per 100 ranks"
    assert told in " ".join(t.value for t in at.markdown)


def test_the_best_possible_alone_asks_for_a_method_to_compare():
    at = opened(lift_methods=SCHEMES["svd"].label, lift_repeats="1", lift_rank_150="5")
    words = " ".join(text.value for text in at.markdown)
    assert "Choose a method to be compared with uniform sampling and with the best possible." in words
    assert "on their way" not in words


def test_more_landmarks_than_the_rank():
    at = opened(lift_landmarks="K ln K", lift_rank_150="10", lift_methods=SCHEMES["kmeanspp"].label)
    of = gains(core(("kmeanspp",), [10], rule="K ln K"), "kmeanspp")
    assert next(iter(of)).landmarks == 24
    np.testing.assert_allclose(
        lines(at)[SCHEMES["kmeanspp"].label]["y"], [one.mean for one in of.values()], rtol=1e-6
    )
    assert "rank 10 from 24 landmarks" in charts(at)["lift"]["layout"]["title"]["subtitle"]["text"]


def test_seconds_against_error():
    at = opened(lift_view=VIEWS["seconds"])
    drawn = lines(at)
    assert set(drawn) == {label(name) for name in (*SHOWN[:-1], "uniform")}
    assert all((np.array(line["x"]) > 0).all() and len(line["x"]) == 11 for line in drawn.values())
    assert any("has the smallest error" in text.value for text in at.markdown)


def test_seconds_are_taken_three_times_whatever_the_other_views_repeat():
    link = {"lift_view": VIEWS["seconds"], "lift_repeats": "1", "lift_methods": "best rank m (SVD)"}
    at = opened(**link)
    assert "median of 3 runs" in charts(at)["lift"]["layout"]["title"]["subtitle"]["text"]
    assert any("No seconds for best rank m (SVD)" in text.value for text in at.caption)
    assert not [box for box in at.selectbox if box.key == "lift_repeats"]
    at.selectbox(key="lift_view").set_value("bandwidth")
    assert settled(at).selectbox(key="lift_repeats").value == 1


def test_few_repeats_no_method_and_another_kernel():
    at = opened(lift_repeats="3", lift_methods=SCHEMES["icd"].label, kernel="linear")
    words = " ".join(text.value for text in at.markdown)
    assert "Fewer than 9 pairs cannot show at 11 bandwidths" in words and "Kernel k-means++ has" not in words
    assert any("has the Gaussian kernel at a range" in text.value for text in at.sidebar.caption)
    at.multiselect(key="lift_methods").set_value([])
    settled(at)
    assert at.info and "lift" not in charts(at)


def test_a_sample_of_many_rows_is_measured_and_named():
    title = next(card.title for card in nv.catalog() if card.name == "two_balls")
    of = {"lift_methods": SCHEMES["kmeanspp"].label, "lift_repeats": "1", "lift_rank_3000": "5"}
    at = opened(data=title, two_balls_n="4000", two_balls_redundant="2", **of)
    assert any("random sample of 3000 of the 4000 rows" in text.value for text in at.caption)
    assert "n = 3000" in charts(at)["lift"]["layout"]["title"]["subtitle"]["text"]
