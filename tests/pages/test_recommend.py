"""The page Recommend: what it recommends is what the core measures, for every control."""

import re

import numpy as np
import pytest

import nysviz as nv
from nysviz.advice.bandwidths import choose_width, cross_validate, width_jobs
from nysviz.advice.request import AdviceRequest
from nysviz.nystroem.measures import errors
from nysviz.text import three_digits
from tests.pages.driving import IRIS, KERNEL, charts, follow, lines, number, opened, table
from tests.pairing import quickly

FEW = [nv.METHODS[name].label for name in ("uniform", "kmeans", "greedy")]


def answer(at):
    texts = [text.value for text in at.markdown]
    return next(text for text in texts if re.search("[Tt]ake \\*\\*|[Nn]o method|[Nn]o approx", text))


def taken(at):
    found = re.search(
        r"[Tt]ake \*\*([^*]+) with m = (\d+)\*\*: relative \w+ error ([\d.]+)\.(?!\d)", answer(at)
    )
    return found.group(1), int(found.group(2)), float(found.group(3))


def id_of(label):
    return next(name for name, entry in nv.METHODS.items() if entry.label == label)


def test_answer_table_and_charts_show_what_the_core_measures():
    at = opened("recommend", recommend_norm="Frobenius", recommend_target="0.03", recommend_methods=FEW)
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
    assert figure["layout"]["yaxis2"]["title"]["text"] == "error rate"
    counts = figure["data"][0]
    order = np.argsort(counts["x"])
    assert (np.diff(np.array(counts["y"])[order]) <= 0).all() and len(order) >= 5
    few = opened("recommend", recommend_norm="Frobenius", recommend_methods=FEW, recommend_memory="0.1")
    assert number(shown["greedy"][3]) > 0.1 and taken(few)[0] == nv.METHODS["kmeans"].label


def test_it_leads_to_the_approximation_with_enough_landmarks():
    at = opened("recommend", recommend_methods=FEW, bandwidth="0.5", seed="3")
    label, m, _ = taken(at)
    (link,) = [link.proto.label for link in at.get("page_link") if "Open" in link.proto.label]
    offered = int(link.rpartition(" ")[2])
    assert m <= offered <= 1.4 * m + 2
    there = follow(at, link)
    assert there.selectbox(key="method").value == id_of(label)
    assert (there.number_input(key="seed").value, there.select_slider(key="bandwidth").value) == (3, 0.5)
    assert any(f"m = **{offered}**" in text.value for text in there.markdown)


@pytest.mark.parametrize("asked", quickly((("0.0312", 0.05),), (("1", 0.3), ("0.0312", 0.05))))
def test_the_headline_answers_from_the_labels_and_its_bandwidth_is_taken(asked):
    bandwidth, target = asked
    at = opened("recommend", recommend_methods=FEW, bandwidth=bandwidth, recommend_target=str(target))
    kernel = nv.Gaussian.from_width(float(bandwidth) * nv.default_width(IRIS.X))
    question = AdviceRequest(IRIS.X, kernel, target, "trace", ("uniform",), 0)
    widths = [one for job in width_jobs(question, IRIS.y, IRIS.task) for one in job.work()]
    chosen, present = choose_width(widths), next(one for one in widths if one.multiple == 1.0)
    hover = [text for line in charts(at)["bandwidths"]["data"] for text in line.get("text", ())]
    for one, said in ((chosen, answer(at)), (present, " ".join(hover))):
        loss, _ = cross_validate(IRIS.X, nv.Gaussian(one.sigma), IRIS.y, IRIS.task, 0, one.few, 2)
        assert three_digits(loss) in said and f"m = {one.few}" in said
    links = [link.proto.label for link in at.get("page_link") if "σ" in link.proto.label]
    if chosen is present:
        assert f"keep the present **σ = {three_digits(kernel.sigma)}**" in answer(at) and not links
    else:
        advice = f"**σ = {three_digits(chosen.sigma)}, RPCholesky, m = {chosen.m}**"
        assert advice in answer(at) and f"σ = {three_digits(chosen.sigma)}" in links[0]
        assert ("no approximation" in answer(at)) == (target == 0.05)
        subtitle = charts(follow(at, links[0]))["errors"]["layout"]["title"]["subtitle"]["text"]
        assert float(re.search(r"σ = ([\d.]+)", subtitle)[1]) == pytest.approx(chosen.sigma, rel=6e-3)
        assert taken(at)


@pytest.mark.parametrize("link", [{}, {"data": "Swiss roll", "swiss_roll_n": "200"}])
def test_the_short_code_fits_what_the_headline_says(link):
    at = opened("recommend", recommend_methods=FEW, recommend_target="0.3", **link)
    code = at.code[0].value
    made = {}
    exec(code, made)
    assert len(code.splitlines()) <= 12
    _, m, _ = taken(at)
    advice = re.search(r"Cholesky, m = (\d+)\*\*", answer(at))
    assert made["features"].n_components == (int(advice[1]) if advice else m)
