"""Map, matrix pictures, spectrum and strip: what is drawn is what was given, on axes that Python sets."""

import json

import numpy as np
import pytest

import nysviz as nv
from nysviz.analysis.spectrum.gaps import largest_gaps
from nysviz.analysis.steps import trace
from nysviz.figures.data_map import RESIDUAL as RESIDUAL_KEY
from nysviz.figures.data_map import Picture
from nysviz.figures.kernel_pca import misalignment_chart
from nysviz.figures.look import CLASS_HUES, CLASS_SYMBOLS, DARK, LIGHT, THEMES, Sheet, class_mark
from nysviz.figures.spectra import distance_chart, spectrum_chart
from nysviz.figures.steps import BARS, SHADES, StepsFilm, bars_film, error_film, map_film, residual_film
from nysviz.figures.strip import Strip, strip_chart
from nysviz.figures.traces import Line
from nysviz.kernels.matrix import KernelMatrix
from tests.figures.test_look import contrast

RNG = np.random.default_rng(0)
POINTS, RESIDUAL = RNG.standard_normal((30, 2)), RNG.random(30)
RANGES = ((-4.0, 4.0), (-3.0, 5.0))
both_grounds = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
EXACT = 100.0 * 0.5 ** np.arange(20)


def a_spectrum(exact=EXACT, approximate=EXACT[:5], m=5, method="kmeans", theme=LIGHT, **more):
    return spectrum_chart(exact, {method: approximate}, 20, m, Sheet(theme, "title"), **more)


def test_a_gap_that_asks_for_more_rows_than_64_bits_count_is_drawn():
    figure = distance_chart(150, 1e-12, 10**25, None, Sheet(LIGHT, "title"))
    assert json.loads(figure.to_json(engine="orjson"))["data"][-1]["x"] == [1e25]


def test_the_ranges_of_the_spectrum_stay_when_m_moves():
    layouts = [a_spectrum(approximate=EXACT[:m], m=m).layout for m in (1, 5, 20)]
    assert len({(tuple(layout.xaxis.range), tuple(layout.yaxis.range)) for layout in layouts}) == 1
    # The axis ends where rounding begins, and shows the gap.
    exact = np.r_[np.full(5, 0.04), 0.01 * 0.5 ** np.arange(60)]
    low, high = a_spectrum(exact, exact[:5]).layout.yaxis.range
    assert low > np.log10(0.04 * 65 * np.finfo(float).eps) - 0.5
    low, high = a_spectrum(exact, exact[:5], gap=largest_gaps(exact)[0]).layout.yaxis.range
    assert np.log10(4) / (high - low) > 0.08
    assert a_spectrum(exact, exact[:5], gap=largest_gaps(exact)[0], ridge=1e-8).layout.yaxis.range[0] < -8


MS = (1, 2, 5, 10)
STEPS = np.array([[r / m for r in RESIDUAL] for m in MS])
ERRORS = np.array([0.9, 0.5, 0.2, 0.05])


def a_strip(start=1, errors=ERRORS, theme=LIGHT, method="icd"):
    strip = Strip("m", MS, errors, STEPS, tuple(POINTS[:m] for m in MS), 1.0, RESIDUAL_KEY)
    shown = Picture(np.arange(30), np.zeros(2), np.eye(2), POINTS, ("first", "second"), RANGES)
    return strip_chart(shown, strip, start, method, Sheet(theme, "title", "subtitle"))


@both_grounds
@pytest.mark.parametrize("method", ["icd", "kmeans"])
def test_frames_of_the_strip_hold_the_steps(theme, method):
    figure = a_strip(theme=theme, method=method)
    assert [frame.name for frame in figure.frames] == [str(m) for m in MS]
    steps = figure.layout.sliders[0].steps
    assert [step.args[0][0] for step in steps] == [frame.name for frame in figure.frames]
    assert {step.method for step in steps} == {"animate"} and figure.layout.sliders[0].active == 1
    for k, (m, frame) in enumerate(zip(MS, figure.frames, strict=True)):
        points, rings, here = (figure.data[i] for i in frame.traces)
        # Each part of a frame changes the trace that it is meant for.
        assert len(points.x) == 30 and rings.name.startswith("landmark")
        assert here.mode == "markers+text"
        np.testing.assert_allclose(frame.data[0].marker.color, STEPS[k], rtol=1e-6)
        np.testing.assert_allclose(np.c_[frame.data[1].x, frame.data[1].y], POINTS[:m], rtol=1e-6)
        assert (list(frame.data[2].x), list(frame.data[2].y)) == ([m], [ERRORS[k]])
        assert frame.data[2].text[0].startswith(f"m = {m}: ")


@pytest.mark.parametrize("exact", [None, np.zeros(20), 1e-319 * np.ones(20), np.array([1.0])])
@pytest.mark.parametrize("approximate", [np.empty(0), np.zeros(1), np.array([1e-320])])
def test_degenerate_spectra(exact, approximate):
    figure = a_spectrum(exact, approximate, m=1)
    ranges = [*figure.layout.xaxis.range, *figure.layout.yaxis.range]
    assert np.isfinite(ranges).all() and ranges[0] < ranges[1] and ranges[2] < ranges[3]


@pytest.mark.parametrize("errors", [np.zeros(4), np.ones(4), np.array([1.0, 0.5, 1e-16, 0.0])])
def test_errors_of_0_keep_the_ranges_finite(errors):
    for axis in (a_strip(errors=errors).layout.xaxis2, a_strip(errors=errors).layout.yaxis2):
        assert np.isfinite(axis.range).all() and axis.range[0] < axis.range[1]


def test_classes_look_different():
    looks = {class_mark(code, LIGHT) for code in range(50)}
    assert len(looks) == len(CLASS_HUES) * len(CLASS_SYMBOLS) == 50
    for theme in (LIGHT, DARK):
        assert min(contrast(class_mark(code, theme)[0], theme.ground) for code in range(10)) > 1.5


def test_the_curve_leaves_out_rounding():
    x = np.array([1.0, 10.0])
    rounding = np.array([0.5, 1e-18])
    lines = [
        Line("kmeans", "k-means", x, x / 10, x / 20, x / 5, ("a", "b")),
        Line("icd", "icd", x, rounding, rounding, rounding, ("c", "d")),
    ]
    marks = [("icd", 5.0, 0.3, 0.1)]
    figure = misalignment_chart(lines, (1.0, 10.0), 3**0.5, marks, Sheet(LIGHT, "t", "s"))
    drawn = {trace.name: trace for trace in figure.data if trace.name}
    assert list(drawn["k-means"].y) == [0.1, 1.0] and list(drawn["icd"].y) == [0.5]
    assert list(drawn["printed"].y) == [0.3] and list(drawn["printed"].error_y.array) == [0.1]
    low, high = figure.layout.yaxis.range
    assert low <= np.log10(0.05) and high >= np.log10(3**0.5)
    empty = misalignment_chart([], (1.0, 10.0), 3**0.5, [], Sheet(LIGHT, "t", "s"))
    assert not empty.data and np.isfinite(empty.layout.yaxis.range).all()


# The frames of the page Step by step against the trace that they draw.
X = np.random.default_rng(1).standard_normal((80, 2))
K = KernelMatrix(X, nv.Gaussian(0.8))
ROWS = np.arange(80) * 3


def film(method="greedy", steps=12, length=None, **settings):
    traced = trace(K, method, steps, np.random.default_rng(0), **settings)
    places = [X[step.landmarks] if step.points is None else step.points for step in traced.steps]
    length = length or len(traced)
    return StepsFilm(traced, method, "criterion", "landmark", ROWS, X, tuple(places), length, traced.start)


def drawn_map(one, theme=LIGHT):
    return map_film(one, 3, ("a", "b"), ((-3.0, 3.0), (-3.0, 3.0)), theme, "title")


def all_charts(one, theme=LIGHT):
    return [
        drawn_map(one, theme),
        bars_film(one, 3, theme),
        residual_film([one], K.full(), np.arange(0, 80, 4), 3, Sheet(theme, "t")),
        error_film([one], 3, Sheet(theme, "t", "s")),
    ]


def test_the_map_marks_the_pick_and_colours_by_the_criterion():
    one = film()
    for k, frame in enumerate(drawn_map(one).frames):
        step = one.trace.steps[k]
        assert [frame.data[3].x[0], frame.data[3].y[0]] == pytest.approx(X[step.pick], rel=1e-6)
        assert len(frame.data[2].x) == k + 1
        colours = np.asarray(frame.data[0].marker.color)
        assert colours.dtype == np.uint8 and colours[step.pick] == SHADES == colours.max()
        assert colours == pytest.approx(255 * step.criterion / step.criterion.max(), abs=0.51)


def test_a_swap_shows_both_ends_and_a_rejected_one_is_faint():
    one = film("dpp", 40, landmarks=8)
    frames = drawn_map(one).frames
    assert {step.accepted for step in one.trace.steps} == {True, False}
    for step, frame in zip(one.trace.steps, frames, strict=True):
        assert frame.data[4].x[0] == pytest.approx(X[step.leaving, 0], rel=1e-6)
        assert (frame.data[3].marker.opacity == 1.0) == step.accepted


@pytest.mark.parametrize("method", ["greedy", "rpcholesky", "sgma"])
def test_bars_are_the_largest_in_order_with_the_pick_among_or_behind_them(method):
    one = film(method, 25)
    for k, frame in enumerate(bars_film(one, 1, LIGHT).frames):
        step = one.trace.steps[k]
        others, mine = frame.data[0], frame.data[1]
        assert len(mine.x) == 1 and f"row {ROWS[step.pick]}: " in mine.hovertext[0]
        top = np.nanmax(step.criterion)
        assert mine.y[0] == pytest.approx(step.value / top)
        heights = np.sort(step.criterion[step.criterion > 0])[::-1][:BARS] / top
        together = dict(zip(others.x, others.y, strict=True))
        if mine.x[0] <= BARS:
            together[mine.x[0]] = mine.y[0]
        assert [together[place] for place in sorted(together)] == pytest.approx(heights)


def test_the_residual_is_that_of_the_approximation():
    one, shown = film(), np.arange(0, 80, 4)
    chart = residual_film([one, film("icd")], K.full(), shown, 2, Sheet(LIGHT, "t"))
    a = nv.approximate(X, nv.Gaussian(0.8), "greedy", 5)
    left = np.abs(K.full() - a.factor @ a.factor.T)[np.ix_(shown, shown)]
    assert np.asarray(chart.frames[4].data[0].z, dtype=float) / 255 == pytest.approx(left, abs=0.002)
    assert len(chart.frames[4].data) == 2


def test_the_error_advances_and_a_short_film_stands_still():
    short = film("kmeans", 50, length=60, landmarks=5)
    chart = error_film([film("greedy", 60), short], 9, Sheet(LIGHT, "t", "s"))
    for k, frame in enumerate(chart.frames, start=1):
        assert len(frame.data[0].x) == k + 1
        assert frame.data[3].x[0] == min(k, len(short.trace))
        assert frame.data[3].y[0] == short.trace.errors[min(k, len(short.trace))]
    low, high = chart.layout.yaxis.range
    seen = np.log10(np.concatenate([film("greedy", 60).trace.errors, short.trace.errors]))
    assert low < seen.min() and high > seen.max()
