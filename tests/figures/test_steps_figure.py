"""The frames of the page Step by step against the trace that they draw."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.figures.look import LIGHT, Sheet
from nysviz.figures.steps import BARS, SHADES, Film, bars_film, error_film, map_film, residual_film
from nysviz.matrix import KernelMatrix
from nysviz.steps import trace

X = np.random.default_rng(1).standard_normal((80, 2))
K = KernelMatrix(X, nv.Gaussian(0.8))
ROWS = np.arange(80) * 3


def film(method="greedy", steps=12, length=None, **settings):
    traced = trace(K, method, steps, np.random.default_rng(0), **settings)
    places = [X[step.landmarks] if step.points is None else step.points for step in traced.steps]
    length = length or len(traced)
    return Film(traced, method, "criterion", ROWS, X, tuple(places), length, traced.start)


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
