"""The view "Relative accuracy at rank d": its numbers are the core's, its words are true of them."""

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.datasets import default_data_folder
from tests.pages.driving import IRIS, PATIENCE_SECONDS, charts, number, settled, table

PAGE = Path(__file__).resolve().parents[2] / "pages" / "compare.py"
KERNEL = nv.Gaussian.from_width(nv.default_width(IRIS.X))
K = KERNEL(IRIS.X)
COUNTS = (2, 3, 4, 6, 8, 9, 10, 12, 14, 15)


def opened(**link):
    at = AppTest.from_file(str(PAGE), default_timeout=PATIENCE_SECONDS)
    view = {"compare_what": "Relative accuracy at rank d", "data": IRIS.title, "compare_rank_d": "5"}
    at.query_params |= view | {"compare_rank_repeats": "3"} | link
    return settled(at)


def lines(at, chart="compare_rank"):
    return {trace["name"]: trace for trace in charts(at)[chart]["data"] if trace.get("name")}


def expected(method, m, d, how, repeats=3):
    """Relative accuracy from a truncation of each run's own factor, and all of K's eigenvalues."""
    best = np.sqrt((np.linalg.eigvalsh(K)[::-1][d:] ** 2).sum())
    found = []
    for seed in range(repeats if nv.METHODS[method].random else 1):
        H = nv.approximate(IRIS.X, KERNEL, method, m, seed).truncate(d, how).factor
        found.append(100 * best / np.linalg.norm(K - H @ H.T))
    return np.array(found)


@pytest.mark.parametrize("d", [5, 10])
def test_the_charts_show_the_core_s_numbers(d):
    at = opened(compare_rank_d=str(d))
    counts = COUNTS if d == 5 else (3, 6, 9, 12, 15, 18, 21, 24, 27, 30)
    shown = [m for m in counts if m >= d]
    drawn = lines(at)
    assert len(drawn) == 7
    for method in ("uniform", "kmeans", "greedy", "adaptive_full"):
        line = drawn[nv.METHODS[method].label]
        np.testing.assert_allclose(line["x"], 100 * np.array(shown) / 150)
        means = [expected(method, m, d, "best").mean() for m in shown]
        np.testing.assert_allclose(line["y"], means, rtol=1e-6)
    pair = lines(at, "compare_rank_truncations")
    for name, how in (("best rank d of K̃", "best"), ("classical, from W alone", "landmark")):
        means = [expected("greedy", m, d, how).mean() for m in shown]
        np.testing.assert_allclose(pair[name]["y"], means, rtol=1e-6)
    seconds = lines(at, "compare_rank_seconds")
    assert len(seconds) == 7 and all((np.array(line["y"]) > 0).all() for line in seconds.values())


def test_the_words_follow_the_numbers():
    at = opened()
    texts = [text.value for text in at.markdown]
    answer = next(text for text in texts if text.startswith("From l = "))
    m, first = re.match(r"From l = (\d+) columns .* best rank \d+: \*\*(.+)\*\*, accuracy", answer).groups()
    methods = ("uniform", "adaptive_full", "adaptive_partial", "kmeans", "sgma", "greedy", "partition_greedy")
    means = {name: expected(name, int(m), 5, "best").mean() for name in methods}
    assert first == nv.METHODS[max(means, key=means.get)].label
    shown = table(at)
    for name, mean in means.items():
        assert number(shown[nv.METHODS[name].label][0].removesuffix(" %")) == pytest.approx(mean, rel=6e-3)
    seen = next(text for text in texts if "the best rank d is ahead" in text)
    counts = [m for m in COUNTS if m >= 5]
    ahead = sum(expected("greedy", m, 5, "best")[0] > expected("greedy", m, 5, "landmark")[0] for m in counts)
    assert f"at {ahead} of {len(counts)} numbers of columns" in seen
    over_uniform = sum(
        expected("greedy", m, 5, "best").mean() > expected("uniform", m, 5, "best").mean() for m in counts
    )
    said = re.search(r"As the paper says, greedy .*? is more accurate than ([^.]*)\.", seen)
    listed = said is not None and nv.METHODS["uniform"].label in said.group(1)
    assert listed == (2 * over_uniform > len(counts))
    assert "times as long" in seen


def test_a_matrix_of_small_rank_is_said_to_leave_nothing():
    at = opened(kernel="linear", compare_rank_methods=nv.METHODS["uniform"].label)
    assert any("K has rank 5 or less" in text.value for text in at.markdown)


def test_no_method():
    at = opened()
    at.multiselect(key="compare_rank_methods").set_value([])
    settled(at)
    assert at.info and "compare_rank" not in charts(at)


def test_large_data_are_sampled_and_the_chart_says_so():
    title = next(card.title for card in nv.catalog() if card.name == "two_balls")
    at = opened(
        data=title,
        two_balls_n="4500",
        two_balls_redundant="2",
        compare_rank_methods=nv.METHODS["uniform"].label,
        compare_rank_up_to="5 %",
    )
    assert "n = 4000 of 4500" in charts(at)["compare_rank"]["layout"]["title"]["subtitle"]["text"]


def test_documents_as_in_the_paper():
    card = next(card for card in nv.catalog() if card.name == "la1")
    if not card.on_disk:
        pytest.skip(f"la1.mat is not in {default_data_folder()}")
    at = opened(
        compare_rank_data=f"As in the paper: {card.title}",
        compare_rank_d="20",
        compare_rank_methods=nv.METHODS["uniform"].label,
        compare_rank_shown=nv.METHODS["uniform"].label,
        compare_rank_up_to="5 %",
    )
    chart = charts(at)["compare_rank"]
    assert "n = 3204; linear kernel; d = 20" in chart["layout"]["title"]["subtitle"]["text"]
    y = np.array(lines(at)[nv.METHODS["uniform"].label]["y"])
    assert ((y > 0) & (y < 100)).all() and y[-1] > y[0]
    # The paper's data come with their kernel: the sidebar offers none.
    assert not [box for box in at.sidebar.selectbox if box.key == "kernel"]
    assert any("the paper's data with their kernel" in text.value for text in at.sidebar.caption)
    box = at.selectbox(key="compare_rank_data")
    box.set_value(box.options[0])
    assert settled(at).selectbox(key="kernel").value == "gaussian"


def test_few_rows_are_followed_up_to_three_times_the_rank_alone():
    at = opened(compare_rank_d="20", compare_rank_up_to="5 %", compare_rank_methods="greedy")
    assert not [box for box in at.selectbox if box.key == "compare_rank_up_to"]
    assert max(lines(at)["greedy"]["x"]) == pytest.approx(100 * 60 / 150)
    at.selectbox(key="compare_rank_d").set_value(5)
    # 5 % and 10 % of 150 rows are no more than three times 5 columns.
    assert settled(at).selectbox(key="compare_rank_up_to").options == ["10 %", "20 %"]
