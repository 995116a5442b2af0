"""The bandwidth of the sidebar: both ends of the slider, and values typed in each convention."""

import re

import pytest

import nysviz as nv
from nysviz.ui.bandwidth import MULTIPLES
from tests.pages.driving import (
    CHARTS,
    IRIS,
    answer,
    charts,
    check_numbers,
    code_of,
    iris,
    m_of,
    settle,
    sound,
    start,
)

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
