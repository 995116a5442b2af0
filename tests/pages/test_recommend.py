"""The page Recommend: what it recommends is what the core measures, for every control."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.advice import Question, Width, chosen_width, learned, width_jobs
from nysviz.figures.look import LIGHT
from nysviz.figures.recommend import bandwidth_chart
from nysviz.measures import errors
from nysviz.text import three_digits
from tests.pages.driving import APP, IRIS, PATIENCE_SECONDS, charts, settled, table
from tests.pages.scripts import compare, kept_of, numbers_of, printed, run

PAGE = APP.parent / "pages" / "recommend.py"
KERNEL = nv.Gaussian.from_width(nv.default_width(IRIS.X))
FEW = [nv.METHODS[name].label for name in ("uniform", "kmeans", "greedy")]


def opened(**link):
    at = AppTest.from_file(str(PAGE), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": IRIS.title, **link}
    return settled(at)


def answer(at):
    return next(
        text.value for text in at.markdown if re.search("Take \\*\\*|No method|No approx", text.value)
    )


def taken(at):
    """Label of the method, m and the error that the answer names."""
    found = re.search(r"Take \*\*(.+) with m = (\d+) landmarks?\*\*: relative \w+ error (\S+)", answer(at))
    return found.group(1), int(found.group(2)), float(found.group(3))


def column(at, name):
    """Cells of one column of the table of all candidates."""
    return list(at.table[0].value[name])


def id_of(label):
    return next(name for name, entry in nv.METHODS.items() if entry.label == label)


@pytest.mark.parametrize("norm", ["trace", "Frobenius"])
def test_what_is_recommended_leaves_the_error_that_is_written(norm):
    at = opened(recommend_norm=norm, recommend_target="0.03", recommend_methods=FEW)
    label, m, error = taken(at)
    a = nv.approximate(IRIS.X, KERNEL, id_of(label), m, 0)
    exact = getattr(errors(IRIS.X, KERNEL, a), f"relative_{norm.lower()}")
    assert error == pytest.approx(exact, rel=6e-3) and exact <= 0.03
    assert "measured on all 150 rows" in answer(at)
    shown = table(at)
    assert set(FEW) <= set(shown) and next(name for name in shown if name in FEW) == label
    assert shown[label][0] == str(m)


def test_the_charts_show_curves_target_floor_and_what_was_measured():
    at = opened(recommend_methods=FEW)
    _, m, error = taken(at)
    drawn = charts(at)
    assert set(drawn) == {"recommend", "recommend_time", "recommend_bandwidth"}
    main = drawn["recommend"]
    names = [trace.get("name") for trace in main["data"]]
    assert set(FEW) | {"best rank m", "recommended", "measured on all rows"} <= set(names)
    mark = next(trace for trace in main["data"] if trace.get("name") == "recommended")
    assert mark["x"][0] == m and mark["y"][0] == pytest.approx(error, rel=6e-3)
    assert main["layout"]["shapes"][0]["y0"] == 0.1
    assert main["layout"]["xaxis"]["type"] == main["layout"]["yaxis"]["type"] == "log"
    floor = next(trace for trace in main["data"] if trace.get("name") == "best rank m")
    values = np.linalg.eigvalsh(KERNEL(IRIS.X))[::-1]
    exact = [values[int(rank) :].sum() / 150 for rank in floor["x"]]
    np.testing.assert_allclose(floor["y"], exact, rtol=1e-5, atol=1e-9)
    greedy = next(trace for trace in main["data"] if trace.get("name") == "greedy")
    for count, value in zip(greedy["x"], greedy["y"], strict=True):
        a = nv.approximate(IRIS.X, KERNEL, "greedy", int(count))
        assert value == pytest.approx(errors(IRIS.X, KERNEL, a).relative_trace, rel=1e-5)


def test_bandwidths_are_shown_with_what_they_learn():
    at = opened(recommend_methods=FEW)
    figure = charts(at)["recommend_bandwidth"]
    assert figure["layout"]["yaxis2"]["title"]["text"] == "share of wrong classes"
    counts = figure["data"][0]
    order = np.argsort(counts["x"])
    assert (np.diff(np.array(counts["y"])[order]) <= 0).all() and len(order) >= 5


def test_a_kernel_without_a_bandwidth():
    at = opened(kernel="linear", recommend_methods=FEW)
    assert "recommend_bandwidth" not in charts(at) and taken(at)[1] <= 4


def test_a_budget_that_nobody_keeps_and_one_that_all_keep():
    at = opened(recommend_methods=FEW, recommend_memory="0.01")
    assert "No method leaves 0.1" in answer(at)
    reasons, meets = (column(at, name) for name in ("why", "meets"))
    assert "kB" in " ".join(reasons) and set(meets) == {"no"}
    assert not [button for button in at.button if button.key == "recommend_open"]
    at.number_input(key="recommend_memory").set_value(100.0)
    at.number_input(key="recommend_seconds").set_value(60.0)
    settled(at)
    assert set(column(at, "meets")) == {"yes"} and taken(at)[2] <= 0.1


def test_what_is_expected_meets_the_target_only_with_its_whole_interval():
    at = opened(recommend_methods=[nv.METHODS[name].label for name in ("icd", "greedy", "kmeans", "rls")])
    ends = [float(cell.split()[-1]) for cell in column(at, "90 % of runs")]
    for end, meets, how in zip(ends, column(at, "meets"), column(at, "on all rows"), strict=True):
        assert end <= 0.1005 if meets == "yes" else (meets, how) == ("perhaps", "expected")


def test_random_features_are_offered_for_the_frobenius_norm_alone():
    at = opened(recommend_methods=FEW[:1])
    assert nv.METHODS["rff"].label not in at.multiselect(key="recommend_methods").options
    at.selectbox(key="recommend_norm").set_value("frobenius")
    settled(at)
    at.multiselect(key="recommend_methods").set_value(["uniform", "rff"])
    settled(at)
    assert nv.METHODS["rff"].label in table(at)
    # Back to the trace: the choice is mended, and the page goes on.
    at.selectbox(key="recommend_norm").set_value("trace")
    settled(at)
    assert nv.METHODS["rff"].label not in table(at)
    at.multiselect(key="recommend_methods").set_value([])
    settled(at)
    assert at.info and not charts(at)


def test_many_rows_are_measured_on_parts_and_the_first_on_all():
    title = next(card.title for card in nv.catalog() if card.name == "two_balls")
    methods = [nv.METHODS[name].label for name in ("uniform", "rpcholesky")]
    at = opened(
        data=title,
        two_balls_n="6000",
        two_balls_redundant="1",
        recommend_methods=methods,
        bandwidth="0.5",
    )
    label, m, error = taken(at)
    data = nv.two_balls(n=6_000, redundant=1)
    kernel = nv.Gaussian.from_width(0.5 * nv.default_width(data.X))
    a = nv.approximate(data.X, kernel, id_of(label), m, 0)
    assert error == pytest.approx(1.0 - np.square(a.factor).sum() / data.n, rel=6e-3)
    assert "measured on all 6000 rows" in answer(at)
    assert "parts of 2000 rows" in charts(at)["recommend"]["layout"]["title"]["subtitle"]["text"]


def test_the_script_prints_the_numbers_of_the_page():
    script, csv = kept_of(opened(recommend_methods=FEW, recommend_norm="Frobenius"))
    # All rows were tried: there are none outside the candidates.
    found = [one for one in printed(run(script)) if not np.isnan(one.value)]
    assert len(found) > 50 and compare(found, numbers_of(csv)) == []


def test_it_leads_to_the_approximation_with_enough_landmarks(monkeypatch):
    wanted = []
    monkeypatch.setattr("nysviz.ui.state.go", wanted.append)
    at = opened(recommend_methods=FEW, bandwidth="0.5", seed="3")
    label, m, _ = taken(at)
    button = at.button(key="recommend_open")
    offered = int(button.label.rpartition(" ")[2])
    assert m <= offered <= 1.4 * m + 2
    button.click()
    settled(at)
    (state,) = wanted
    assert state.page == "approximate" and state.parameters["method"] == label
    there = AppTest.from_file(str(APP.parent / "pages" / "approximate.py"), default_timeout=PATIENCE_SECONDS)
    there.query_params |= dict(state.parameters)
    settled(there)
    assert there.selectbox(key="method").value == id_of(label)
    assert (there.number_input(key="seed").value, there.select_slider(key="bandwidth").value) == (3, 0.5)
    assert any(f"m = **{offered}**" in text.value for text in there.markdown)


def test_the_better_bandwidth_is_taken():
    at = opened(recommend_methods=nv.METHODS["rpcholesky"].label, bandwidth="0.0312", recommend_target="0.05")
    assert "No " in answer(at)
    button = at.button(key="recommend_width")
    sigma = float(re.search(r"σ = (\S+),", button.label).group(1))
    button.click()
    settled(at)
    subtitle = charts(at)["recommend"]["layout"]["title"]["subtitle"]["text"]
    assert float(re.search(r"σ = ([\d.]+)", subtitle).group(1)) == pytest.approx(sigma, rel=6e-3)
    assert taken(at)


@pytest.mark.parametrize("bandwidth", ["1", "0.0312"])
def test_the_headline_answers_bandwidth_method_and_m_from_the_labels(bandwidth):
    at = opened(recommend_methods=FEW, bandwidth=bandwidth, recommend_target="0.3")
    kernel = nv.Gaussian.from_width(float(bandwidth) * nv.default_width(IRIS.X))
    asked = Question.of(IRIS.X, kernel, 0.3, "trace", ("uniform",), 0)
    widths = [one for job in width_jobs(asked, IRIS.y, IRIS.task) for one in job.work()]
    chosen, present = chosen_width(widths), next(one for one in widths if one.multiple == 1.0)
    for one in {id(one): one for one in (chosen, present)}.values():
        loss, _ = learned(IRIS.X, nv.Gaussian(one.sigma), IRIS.y, IRIS.task, 0, one.few, 2)
        assert f"{three_digits(loss)} ± " in answer(at) and f"with m = {one.few}" in answer(at)
    button = [one for one in at.button if one.key == "recommend_width"]
    if chosen is present:
        assert f"Keep **σ = {three_digits(kernel.sigma)}**" in answer(at) and not button
    else:
        advice = f"**σ = {three_digits(chosen.sigma)}, {nv.METHODS['rpcholesky'].label}, m = {chosen.m}**"
        assert advice in answer(at) and f"σ = {three_digits(chosen.sigma)}" in button[0].label


@pytest.mark.parametrize("link", [{}, {"data": "Swiss roll", "swiss_roll_n": "200"}])
def test_the_short_code_fits_what_the_headline_says(link):
    at = opened(recommend_methods=FEW, recommend_target="0.3", **link)
    code = at.code[0].value
    made = {}
    exec(code, made)
    assert len(code.splitlines()) <= 12
    _, m, _ = taken(at)
    advice = re.search(r"Cholesky, m = (\d+)\*\*", answer(at))
    assert made["features"].n_components == (int(advice[1]) if advice else m)


def test_limits_of_a_bandwidth_stay_on_the_axis():
    widths = [(Width(sigma, sigma, 10, low, None, 200, 0.05), "") for sigma, low in ((1.0, 2), (2.0, None))]
    figure = bandwidth_chart(widths, 200, [], (0.5, 4.0), "", LIGHT, "t", "s")
    counts, (low, high) = figure.data[0], figure.layout.yaxis.range
    assert list(counts.error_y.arrayminus) == [8, 0]
    assert 10**low < 2 and 10**high > 200
