"""The page Approximate with every data set, method, kernel, m, order, and bandwidth in each convention."""

import math
import re

import numpy as np
import pytest

import nysviz as nv
from nysviz import text
from nysviz.ui.bandwidth import MULTIPLES
from tests.pages.driving import (
    CHARTS,
    IRIS,
    KERNELS,
    SIGMA,
    TITLES,
    answer,
    charts,
    check_numbers,
    code_of,
    iris,
    landmark_count,
    lines,
    m_of,
    number,
    settle,
    sound,
    start,
    table,
)
from tests.pairing import quickly

CARDS = {card.name: card for card in nv.catalog() if card.kind != "file"}
# Small enough to be quick, large enough for every part of the page.
KNOBS = {
    "china_patches": {"n": 120, "patch": 6}, "flower_patches": {"n": 120, "patch": 4},
    "two_balls": {"n": 150, "redundant": 3}, "clusters": {"n": 90, "d": 3},
    "swiss_roll": {"n": 110, "noise": 0.5}, "eigengap_mixture": {"n": 100, "r": 3},
    "chosen_spectrum": {"n": 100, "d": 30, "law": "exponential"},
}  # fmt: skip


@pytest.mark.parametrize("name", quickly(("diabetes", "two_balls", "china_patches"), CARDS))
def test_each_data_set(name):
    knobs = KNOBS.get(name, {})
    at = start(data=CARDS[name].title, **{f"{name}_{knob}": str(value) for knob, value in knobs.items()})
    found, data = sound(at), nv.load(name, **knobs)
    m = m_of(at)
    assert m == max(1, round(0.05 * data.n)) and landmark_count(found["map"]) == m
    assert f"n = {data.n}, d = {data.d}" in found["map"]["layout"]["title"]["subtitle"]["text"]
    assert len(found["map"]["data"][0]["x"]) == min(data.n, 600)
    kernel = nv.Gaussian.from_width(nv.default_width(data.X))
    check_numbers(at, data, kernel, "kmeans", m)


def test_random_features():
    """Frequencies stand where landmarks do, and rows where the diagonal, being exact, would say nothing."""
    method = "orf"
    at = iris(method=nv.METHODS[method].label, seed="3")
    found, m, shown, kernel = sound(at), 8, table(at), nv.Gaussian(SIGMA)
    a = nv.approximate(IRIS.X, kernel, method, m, 3)
    K, measured = kernel(IRIS.X), nv.errors(IRIS.X, kernel, a)
    assert shown["relative Frobenius error"][0] in answer(at) and shown["rank at most"][0] == "16"
    for norm in ("Frobenius", "spectral", "trace"):
        expected = getattr(measured, f"relative_{norm.lower()}")
        assert number(shown[f"relative {norm} error"][0]) == pytest.approx(expected, rel=6e-3)
    assert shown["quantization error"][0] == "–" and shown["kernel evaluations"][0] == "0 n²"
    marker = found["map"]["data"][0]["marker"]
    rows = np.linalg.norm(K - a.factor @ a.factor.T, axis=1) / np.linalg.norm(K, axis=1)
    np.testing.assert_allclose(marker["color"], rows, rtol=1e-5)
    assert marker["cmax"] == 1 and landmark_count(found["map"]) == 0
    assert found["map"]["layout"]["annotations"][0]["text"] == "row error"
    assert found["curve"]["layout"]["xaxis"]["title"]["text"] == "frequencies m"
    at.selectbox(key="kernel").set_value("laplacian")
    settle(at)
    sound(at)
    offered = at.selectbox(key="method")
    assert offered.value == "kmeans" and nv.METHODS[method].label not in offered.options


LOOKING = [name for name, entry in nv.METHODS.items() if entry.data_dependent]


@pytest.mark.parametrize("method", quickly(("uniform", "column_norm", "ensemble", "svd"), LOOKING))
def test_each_method(method):
    entry = nv.METHODS[method]
    at = iris(method=entry.label, seed="3")
    found, m = sound(at), m_of(at)
    a = check_numbers(at, IRIS, nv.Gaussian(SIGMA), method, m, seed=3)
    assert landmark_count(found["map"]) == (0 if a.landmarks is None else len(a.landmarks))
    assert any(text.proto.help.startswith(entry.sentence) for text in at.markdown)
    # Where the exact error stands, a guess of it beside it would look like one more measurement.
    assert not [name for name in table(at) if "leave-one-out" in name]
    curve, spot = found["curve"]["data"]
    assert list(curve["x"][:3]) == [1, 2, 3] and list(spot["x"]) == [m]


@pytest.mark.parametrize("label", quickly(("Matérn", "polynomial"), KERNELS))
def test_each_kernel(label):
    at = iris(kernel=label, method=nv.METHODS["rpcholesky"].label)
    found, kernel = sound(at), KERNELS[label]
    check_numbers(at, IRIS, kernel, "rpcholesky", m_of(at))
    top, marker = kernel.diag(IRIS.X).max(), found["map"]["data"][0]["marker"]
    assert marker["cmax"] == pytest.approx(top)
    worst = text.percent(float(marker["color"].max()) / top)
    assert f"150 points: at most {worst}" in found["map"]["layout"]["title"]["text"]
    assert found["picture_K"]["data"][0]["z"].max() == pytest.approx(kernel(IRIS.X).max(), rel=1e-6)
    curve, values = lines(at, "spectrum")["K"], nv.spectrum(IRIS.X, kernel) / 150
    np.testing.assert_allclose(
        curve["y"], values[np.asarray(curve["x"], dtype=int) - 1], rtol=1e-6, atol=1e-10
    )


def test_one_width_per_feature():
    at = iris(kernel="Laplacian", widths="true", width_2="0.5", bandwidth="2 times")
    sound(at)
    widths = IRIS.X.std(axis=0)
    widths[0] *= 0.5  # sepal length varies most after petal length
    check_numbers(
        at, IRIS, nv.PerFeature(nv.Laplacian, widths, sigma=2 * math.sqrt(4 / 2)), "kmeans", m_of(at)
    )
    assert "nv.PerFeature(nv.Laplacian, (" in code_of(at)


def test_from_the_fewest_landmarks_to_all():
    for ratio, m in (("1 %", 2), ("50 %", 75), ("m = 150", 150)):
        at = iris(ratio=ratio)
        found = sound(at)
        a = check_numbers(at, IRIS, nv.Gaussian(SIGMA), "kmeans", m)
        assert landmark_count(found["map"]) == len(a.landmarks)
        assert found["spectrum"]["layout"]["annotations"][0]["text"] == f"m = {m}"
    assert number(table(at)["relative Frobenius error"][0]) < 1e-6  # all rows are landmarks


def test_a_link_shows_exactly_its_m_and_its_features():
    two = {"axes": "two features", "map_x": "3", "map_y": "1"}
    at = iris(ratio="m = 37", method=nv.METHODS["rpcholesky"].label, **two)
    assert m_of(at) == 37
    check_numbers(at, IRIS, nv.Gaussian(SIGMA), "rpcholesky", 37)
    places, layout = (sound(at)["map"][part] for part in ("data", "layout"))
    for axis, feature in (("x", 3), ("y", 1)):
        np.testing.assert_allclose(places[0][axis], IRIS.X[:, feature], rtol=1e-6)
        low, high = layout[f"{axis}axis"]["range"]
        assert low < min(places[0][axis]) and max(places[0][axis]) < high
        assert layout[f"{axis}axis"]["title"]["text"] == IRIS.feature_names[feature]
    # For other data it is the same number, and the nearest usual stop where there are not as many rows.
    at.selectbox(key="data").set_value("wine")
    assert m_of(settle(at)) == 37
    at = start(data=TITLES["wine"], ratio="m = 170")
    at.selectbox(key="data").set_value("iris")
    assert m_of(settle(at)) == 150


def test_each_order_of_the_rows():
    at = iris()
    for by in at.selectbox(key="order").options:
        at.selectbox(key="order").set_value(by)
        found = sound(settle(at))
        rows = [int(name.removeprefix("row ")) for name in found["picture_K"]["data"][0]["x"]]
        # The first row stands at the top, as in print, and cells are square.
        across, down = (found["picture_K"]["layout"][axis] for axis in ("xaxis", "yaxis"))
        assert down["autorange"] == "reversed" and down["scaleanchor"] == "x" and across["type"] == "category"
        assert found["picture_K"]["layout"]["title"]["subtitle"]["text"] == f"120 rows by {by}"
        whole, rest, gap = (
            found[f"picture_{part}"]["data"][0]["z"] for part in ("K", "approximation", "residual")
        )
        K = nv.Gaussian(SIGMA)(IRIS.X[rows])
        np.testing.assert_allclose(whole, K, rtol=1e-6)
        np.testing.assert_allclose(np.abs(K - rest), gap, atol=1e-6)
        assert len(set(rows)) == 120 and set(rows) <= set(range(150))
        assert by != "label" or (np.diff(IRIS.y[rows]) >= 0).all()
        assert by != "file" or rows == sorted(rows)


CONVENTIONS = {
    "σ  (Yang, Farahat)": lambda kernel: kernel.sigma,
    "γ = 2σ²  (Zhang)": lambda kernel: kernel.width,
    "1/σ²  (Oglic)": lambda kernel: kernel.inverse_square,
    "gamma = 1/(2σ²)  (scikit-learn)": lambda kernel: kernel.gamma,
}


def typed(at, convention, value):
    at.session_state["bandwidth_open"] = True
    at.run()
    at.selectbox(key="convention").set_value(convention)
    if value is not None:
        at.number_input(key="typed_bandwidth").set_value(value)
    next(button for button in at.button if button.label == "Use it").click()
    return settle(at)


def sigma_of(at):
    return float(re.search(r"sigma=([0-9.e-]+)", code_of(at)).group(1))


def test_a_typed_bandwidth():
    at = iris()
    for convention, value_of in CONVENTIONS.items():
        sound(typed(at, convention, 0.7))
        assert value_of(nv.Gaussian(sigma_of(at))) == pytest.approx(0.7, rel=1e-5)


def test_a_typed_bandwidth_that_cannot_be():
    at = iris()
    before = answer(at)
    for convention, value in (("σ", None), ("σ", 1e-300), ("σ", 1e300), ("gamma", 0.0)):
        typed(at, next(name for name in CONVENTIONS if name.startswith(convention)), value)
        assert len(at.error) == 1 and "\n" not in at.error[0].value
        assert set(charts(at)) == set(CHARTS) and answer(at) == before
        # The sentence stays while the page is drawn again, and goes when something else is typed.
        assert len(settle(at).error) == 1
        at.number_input(key="typed_bandwidth").set_value(0.5)
        sound(settle(at))


# Former links have multiples of the default width, new ones of σ.
@pytest.mark.parametrize(
    "text, multiple",
    [
        ("0.123456789", 0.123456789), ("1e6", 1e6), (str(MULTIPLES[40]), MULTIPLES[40]), ("2 times", 4.0),
        ("1.92354 times", 3.7),
    ],
)  # fmt: skip
def test_a_link_s_bandwidth_counts_with_all_its_digits(text, multiple):
    at = start(data="Iris flowers", bandwidth=text)
    sound(at)
    held = at.select_slider(key="bandwidth").value
    assert held == pytest.approx(multiple, rel=1e-5 if "times" in text else 1e-15) and not at.warning
    kernel = nv.Gaussian.from_width(multiple * nv.default_width(IRIS.X))
    check_numbers(at, IRIS, kernel, "kmeans", m_of(at))
    assert sigma_of(at) == pytest.approx(kernel.sigma, rel=1e-5)
    # And it stays what it is while other controls move.
    at.number_input(key="seed").set_value(3)
    assert settle(at).select_slider(key="bandwidth").value == held


def test_a_bandwidth_that_other_data_cannot_have_is_put_back_with_a_sentence():
    # The rows of wine are standardised: 13 columns, so their default width is 13.
    at = start(data="Diabetes progress", bandwidth="1e308", kernel="Laplacian")
    assert at.select_slider(key="bandwidth").value == 1e308 and not at.warning
    at.selectbox(key="data").set_value("wine").run()
    (told,) = [one.value for one in at.toast]
    assert "1e+154 times the default" in told and told.endswith("the default is shown.")
    assert at.select_slider(key="bandwidth").value == 1.0 and not at.error
