"""The page Recommend: what it recommends is what the core measures, for every control."""

import re

import numpy as np
import pytest

import nysviz as nv
from nysviz.advice.bandwidths import cross_validate
from nysviz.nystroem.measures import errors
from nysviz.text import three_digits
from tests.pages.driving import IRIS, KERNEL, charts, follow, lines, number, opened, table

FEW = [nv.METHODS[name].label for name in ("uniform", "kmeans", "greedy")]


def answer(at):
    texts = [text.value for text in at.markdown]
    return next(text for text in texts if re.search("Take \\*\\*|[Nn]o method|[Nn]o approx", text))


def taken(at):
    found = re.search(r"Take \*\*([^*]+) with m = (\d+)\*\*: relative \w+ error ([\d.]+)\.(?!\d)", answer(at))
    return found.group(1), int(found.group(2)), float(found.group(3))


def id_of(label):
    return next(name for name, entry in nv.METHODS.items() if entry.label == label)


def test_answer_table_and_charts_show_what_the_core_measures():
    at = opened(
        "recommend",
        recommend_goal="Copy K",
        recommend_norm="Frobenius",
        recommend_target="0.03",
        recommend_methods=FEW,
    )
    label, m, error = taken(at)
    exact = errors(IRIS.X, KERNEL, nv.approximate(IRIS.X, KERNEL, id_of(label), m)).relative_frobenius
    assert error == pytest.approx(exact, rel=6e-3) and exact <= 0.03
    shown = table(at)
    names = [nv.METHODS[id_of(name)].brief for name in FEW]
    first = nv.METHODS[id_of(label)].brief
    assert set(names) <= set(shown) and next(name for name in shown if name in names) == first
    assert shown[first][0] == str(m) and number(shown[first][1]) == pytest.approx(error, rel=6e-3)
    assert shown[first][3] == three_digits(nv.METHODS[id_of(label)].cost(IRIS.n, IRIS.d, m).bytes / 1e6)
    drawn = charts(at)
    assert set(drawn) == {"errors", "bandwidths"}
    main, named = drawn["errors"], lines(at, "errors")
    assert {*names, "best rank m", "measured"} <= set(named)
    mark, floor, greedy = (named[name] for name in ("recommended", "best rank m", "greedy"))
    assert mark["x"][0] == m and mark["y"][0] == pytest.approx(error, rel=6e-3)
    assert main["layout"]["shapes"][0]["y0"] == 0.03
    assert main["layout"]["xaxis"]["type"] == main["layout"]["yaxis"]["type"] == "log"
    values = np.linalg.eigvalsh(KERNEL(IRIS.X))[::-1]
    best = [np.linalg.norm(values[int(rank) :]) / np.linalg.norm(values) for rank in floor["x"]]
    np.testing.assert_allclose(floor["y"], best, rtol=1e-5, atol=1e-9)
    for count, value in zip(greedy["x"], greedy["y"], strict=True):
        a = nv.approximate(IRIS.X, KERNEL, "greedy", int(count))
        assert value == pytest.approx(errors(IRIS.X, KERNEL, a).relative_frobenius, rel=1e-5)
    figure = drawn["bandwidths"]
    counts = figure["data"][0]
    order = np.argsort(counts["x"])
    assert (np.diff(np.array(counts["y"])[order]) <= 0).all() and len(order) >= 5
    few = opened(
        "recommend",
        recommend_goal="Copy K",
        recommend_norm="Frobenius",
        recommend_methods=FEW,
        recommend_memory="0.1",
    )
    assert number(shown["greedy"][3]) > 0.1 and taken(few)[0] == nv.METHODS["kmeans"].label


def test_it_leads_to_the_approximation_with_enough_landmarks():
    at = opened("recommend", recommend_goal="Copy K", recommend_methods=FEW, bandwidth="0.5", seed="3")
    label, m, _ = taken(at)
    (link,) = [link.proto.label for link in at.get("page_link") if "Take" in link.proto.label]
    offered = int(link.rpartition(" ")[2])
    assert m <= offered <= 1.4 * m + 2
    there = follow(at, link)
    assert there.selectbox(key="method").value == id_of(label)
    assert (there.number_input(key="seed").value, there.select_slider(key="bandwidth").value) == (3, 0.5)
    assert f", m = {offered};" in map_of(there)["subtitle"]["text"]


def map_of(at):
    return charts(at)["map"]["layout"]["title"]


def predicted(at):
    found = re.search(
        r"Take \*\*σ = ([\d.]+), m = (\d+)\*\* \(randomly pivoted Cholesky\): error rate ([\d.]+) ±",
        answer(at),
    )
    return float(found.group(1)), int(found.group(2)), float(found.group(3))


@pytest.mark.parametrize("bandwidth", ["32 times", "default"])
def test_sentence_chart_link_and_code_have_one_answer_for_predicting_wherever_the_slider_is(bandwidth):
    at = opened("recommend", bandwidth=bandwidth)
    sigma, m, loss = predicted(at)
    default = KERNEL.sigma
    assert sigma < 10 * default and loss < 0.04
    assert ("at the present σ" in answer(at)) == (three_digits(sigma) != three_digits(default))
    exact = cross_validate(IRIS.X, nv.Gaussian(sigma), IRIS.y, IRIS.task, 0, m, 2)[0]
    assert loss == pytest.approx(exact, abs=0.014)
    drawn = charts(at)
    assert set(drawn) == {"loss_by_bandwidth", "loss_by_landmarks"}
    shapes = drawn["loss_by_bandwidth"]["layout"]["shapes"]
    (mark,) = [shape["x0"] for shape in shapes if "advised" in shape.get("label", {}).get("text", "")]
    assert mark == pytest.approx(sigma, rel=6e-3)
    assert drawn["loss_by_landmarks"]["data"][-1]["x"] == [m]
    made = {}
    exec(at.code[0].value, made)
    assert made["features"].n_components == m
    assert made["features"].kernel.sigma == pytest.approx(sigma, rel=6e-3)
    (link,) = [link.proto.label for link in at.get("page_link") if "Take" in link.proto.label]
    assert link == f"Take σ = {three_digits(sigma)}, m = {m}"
    there = follow(at, link)
    assert there.selectbox(key="method").value == "rpcholesky"
    subtitle = map_of(there)["subtitle"]["text"]
    assert f", m = {m};" in subtitle
    assert float(re.search(r"σ = ([\d.]+)", subtitle)[1]) == pytest.approx(sigma, rel=6e-3)


def test_predicting_needs_a_target_and_copying_is_asked_first_without_one():
    at = opened("recommend", data="Matrix with a chosen spectrum", recommend_methods=FEW)
    assert "errors" in charts(at)
    at = opened("recommend", data="Matrix with a chosen spectrum", recommend_goal="Predict")
    assert "no target" in at.info[0].value


@pytest.mark.parametrize("link", [{}, {"data": "Swiss roll", "swiss_roll_n": "200"}])
def test_the_short_code_fits_what_the_headline_says(link):
    at = opened("recommend", recommend_goal="Copy K", recommend_methods=FEW, recommend_target="0.3", **link)
    code = at.code[0].value
    made = {}
    exec(code, made)
    assert len(code.splitlines()) <= 16
    assert made["features"].n_components == taken(at)[1]
