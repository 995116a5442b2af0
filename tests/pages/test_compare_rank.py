"""The view "Relative accuracy at rank d": its numbers are the core's, its answer is true of them."""

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
UNIFORM = nv.METHODS["uniform"].label


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
def test_charts_answer_and_table_have_the_cores_numbers(d):
    at = opened(compare_rank_d=str(d))
    shown = [6, 8, 9, 10, 12, 14, 15] if d == 5 else [12, 15, 18, 21, 24, 27, 30]
    drawn = lines(at)
    assert len(drawn) == 7
    for method in ("uniform", "kmeans", "greedy", "adaptive_full"):
        line = drawn[nv.METHODS[method].label]
        np.testing.assert_allclose(line["x"], 100 * np.array(shown) / 150)
        means = [expected(method, m, d, "best").mean() for m in shown]
        np.testing.assert_allclose(line["y"], means, rtol=1e-6)
        in_table = number(table(at)[nv.METHODS[method].label][0].removesuffix(" %"))
        assert in_table == pytest.approx(means[3], rel=6e-3)
    pair = lines(at, "compare_rank_truncations")
    for name, how in (("best rank d of K̃", "best"), ("classical, from W alone", "landmark")):
        means = [expected("greedy", m, d, how).mean() for m in shown]
        np.testing.assert_allclose(pair[name]["y"], means, rtol=1e-6)
    first = max(drawn, key=lambda name: drawn[name]["y"][3])
    assert any(f" % for {first} and" in text.value for text in at.markdown)
    seconds = lines(at, "compare_rank_seconds")
    assert len(seconds) == 7 and all((np.array(line["y"]) > 0).all() for line in seconds.values())


def test_a_matrix_of_small_rank_leaves_nothing_to_compare():
    at = opened(kernel="linear", compare_rank_methods=UNIFORM)
    assert any("K has rank 5 or less" in text.value for text in at.markdown)


def test_no_method():
    at = opened()
    at.multiselect(key="compare_rank_methods").set_value([])
    settled(at)
    assert at.info and "compare_rank" not in charts(at)


def test_large_data_are_sampled():
    title = next(card.title for card in nv.catalog() if card.name == "two_balls")
    link = {"two_balls_n": "4500", "two_balls_redundant": "2", "compare_rank_up_to": "5 %"}
    at = opened(data=title, compare_rank_methods=UNIFORM, **link)
    assert "n = 4000 of 4500" in charts(at)["compare_rank"]["layout"]["title"]["subtitle"]["text"]


def test_documents_as_in_the_paper():
    card = next(card for card in nv.catalog() if card.name == "la1")
    if not card.on_disk:
        pytest.skip(f"la1.mat is not in {default_data_folder()}")
    at = opened(
        compare_rank_data=f"As in the paper: {card.title}",
        compare_rank_d="20",
        compare_rank_methods=UNIFORM,
        compare_rank_shown=UNIFORM,
        compare_rank_up_to="5 %",
    )
    chart = charts(at)["compare_rank"]
    assert "n = 3204; linear kernel; d = 20" in chart["layout"]["title"]["subtitle"]["text"]
    y = np.array(lines(at)[UNIFORM]["y"])
    assert ((y > 0) & (y < 100)).all() and y[-1] > y[0]
    # The paper's data come with their kernel: the sidebar offers none.
    assert not [box for box in at.sidebar.selectbox if box.key == "kernel"]
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
