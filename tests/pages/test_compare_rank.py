"""The view "Relative accuracy at rank d": its numbers are the core's, its answer is true of them."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.datasets import default_data_folder
from tests.pages.driving import IRIS, alone, charts, lines, number, settled, table

KERNEL = nv.Gaussian.from_width(nv.default_width(IRIS.X))
K = KERNEL(IRIS.X)
UNIFORM = nv.METHODS["uniform"].label


def opened(**link):
    view = {"compare_what": "Relative accuracy at rank d", "compare_rank_d": "5", "compare_rank_repeats": "3"}
    return settled(alone("compare", view | link))


def expected(method, m, d, how, repeats=3):
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
    drawn = lines(at, "compare_rank")
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
    assert any(f" % for {first}**," in text.value for text in at.markdown)
    seconds = lines(at, "compare_rank_seconds")
    assert len(seconds) == 7 and all((np.array(line["y"]) > 0).all() for line in seconds.values())


@pytest.mark.slow
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
    y = np.array(lines(at, "compare_rank")[UNIFORM]["y"])
    assert ((y > 0) & (y < 100)).all() and y[-1] > y[0]
    # The paper's data come with their kernel: the sidebar offers none.
    assert not [box for box in at.sidebar.selectbox if box.key == "kernel"]
    box = at.selectbox(key="compare_rank_data")
    box.set_value(box.options[0])
    assert settled(at).selectbox(key="kernel").value == "gaussian"
