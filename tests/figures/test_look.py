"""The visual language: every method has its own stroke, and every colour can be seen."""

import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

from nysviz.figures import look
from nysviz.text import in_seconds, three_digits

both_grounds = pytest.mark.parametrize("theme", look.THEMES.values(), ids=look.THEMES)


def test_members_of_a_family_differ_in_dash_and_all_methods_in_marker():
    for family in look.HUES:
        dashes = [dash for of, dash, _ in look.STROKES.values() if of == family]
        assert len(set(dashes)) == len(dashes)
    assert len({symbol for _, _, symbol in look.STROKES.values()}) == len(look.STROKES)


@both_grounds
@pytest.mark.parametrize("method", look.STROKES)
def test_plotly_draws_each_stroke(method, theme):
    # Unknown dashes and symbols raise here.
    trace = go.Scatter(x=[1], y=[1], **look.stroke(method, theme))
    assert trace.line.color == look.colour(method, theme) == look.HUES[look.STROKES[method][0]][theme.dark]
    assert trace.marker.color in (None, trace.line.color)


def linear(hexadecimal):
    value = np.array([int(hexadecimal[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2.2, from 1 to 21."""
    light, dark = sorted((linear(c) @ [0.2126, 0.7152, 0.0722] for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@both_grounds
def test_text_lines_and_residuals_are_seen_on_their_ground(theme):
    assert contrast(theme.ink, theme.ground) >= 7.0
    assert contrast(theme.faint, theme.ground) >= 4.5
    # Of graphics WCAG asks 3:1.
    assert min(contrast(pair[theme.dark], theme.ground) for pair in look.HUES.values()) >= 2.9
    assert theme.residual[0] == theme.ground
    steps = np.diff([lab(c, "normal")[0] for c in theme.residual]) * (1 if theme.dark else -1)
    assert (steps > 5).all()


# Machado, Oliveira and Fernandes 2009, table 1, severity 1, on linear RGB.
BLIND = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(hexadecimal, seen_by):
    t = XYZ @ np.clip(BLIND[seen_by] @ linear(hexadecimal), 0, 1) / (XYZ @ np.ones(3))
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@both_grounds
@pytest.mark.parametrize("seen_by", BLIND)
def test_families_are_told_apart(theme, seen_by):
    hues = {family: lab(pair[theme.dark], seen_by) for family, pair in look.HUES.items()}
    gaps = {
        pair: np.linalg.norm(hues[pair[0]] - hues[pair[1]]) for pair in itertools.combinations(look.HUES, 2)
    }
    closest = min(gaps, key=gaps.get)
    # ΔE (CIE 1976) of 2.3 is just noticed side by side. Eight hues cannot all be far apart for eyes with two
    # kinds of cones: there the marker tells, which no two methods share.
    assert gaps[closest] > (15 if seen_by == "normal" else 2.3), (closest, gaps[closest])


@pytest.mark.parametrize("width", [0.04, 0.1, 0.3, 0.7, 1.2, 1.9, 2.4, 5.0, 14.0])
@pytest.mark.parametrize("settings", [{}, {"dtick": 1}, {"dtick": 3}, {"dtick": "D2"}], ids=str)
def test_a_log_axis_has_two_named_ticks(width, settings):
    for low in np.linspace(-7.0, 6.0, 27):
        made = look.axis("m", look.LIGHT, type="log", range=[low, low + width], **settings)
        if made.get("tickvals") is None:
            # Plotly's own decades.
            step = made.get("dtick", 1)
            assert np.floor((low + width) / step) - np.ceil(low / step) >= 1
            continue
        places = np.log10(made["tickvals"])
        assert low - 1e-6 <= places.min() and places.max() <= low + width + 1e-6
        assert 2 <= len(set(made["ticktext"])) == len(places) <= 12


def test_the_ticks_of_a_log_axis_are_round_and_written_out():
    def written(low, high):
        return list(look.log_ticks(np.log10(low), np.log10(high))["ticktext"])

    assert written(0.015, 0.6) == ["0.02", "0.05", "0.1", "0.2", "0.5"]
    assert written(1e-5, 1e-4) == [
        "10<sup>-5</sup>", "2·10<sup>-5</sup>", "5·10<sup>-5</sup>", "10<sup>-4</sup>",
    ]  # fmt: skip
    assert written(2.05, 2.95) == ["2.2", "2.4", "2.6", "2.8"]
    # Chosen ticks stay, and so does an axis whose ends the browser finds.
    chosen = {"tickvals": [3], "ticktext": ["three"]}
    assert look.axis("m", look.LIGHT, type="log", range=[0, 1], **chosen)["ticktext"] == ["three"]
    assert look.axis("m", look.LIGHT, type="log", dtick=1)["dtick"] == 1


def test_three_digits():
    shown = {
        0.0: "0", 1.0: "1.00", -2.5: "-2.50", 0.25: "0.250", 0.001: "0.00100", 0.00099949: "9.99·10⁻⁴",
        9.999: "10.0", 99.96: "100", 123.4: "123", 1234.0: "1234", 9994.0: "9994",
        9999.6: "10\N{NARROW NO-BREAK SPACE}000", 1e4: "10\N{NARROW NO-BREAK SPACE}000",
        -123456.0: "-123\N{NARROW NO-BREAK SPACE}000", 999_999.0: "1.00·10⁶", 1e-12: "1.00·10⁻¹²",
        5e-324: "4.94·10⁻³²⁴", 1.7e308: "1.70·10³⁰⁸",
    }  # fmt: skip
    assert {value: three_digits(value) for value in shown} == shown


def test_seconds_have_three_digits_and_stand_on_one_line_with_their_unit():
    shown = {0.000045: "0.0450 ms", 0.0337: "33.7 ms", 0.174: "174 ms", 1.0: "1.00 s", 7200.0: "2.00 h"}
    assert [in_seconds(one) for one in shown] == [
        one.replace(" ", "\N{NO-BREAK SPACE}") for one in shown.values()
    ]


def test_drawn_numbers_can_be_told_apart():
    few = np.arange(5.0)
    for values in (np.linspace(0, 1, 50), 1e80 * few, 1e-80 * few, 1.7e9 + few):
        sent = look.narrow_floats(values)
        np.testing.assert_allclose(np.diff(sent.astype(float)), np.diff(values), rtol=1e-4)
    assert look.narrow_floats(np.linspace(0, 1, 50)).dtype == np.float32
    assert len(look.narrow_floats(np.empty(0))) == 0 and look.narrow_floats(np.array([1e300]))[0] == 1e300
