"""Charts and frames as plain data against those that plotly makes and checks itself."""

import copy
import json
import pickle

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from plotly.tools import return_figure_from_figure_or_data

from nysviz.figures import home, steps, strip
from nysviz.figures.drawing import PlainFigure, with_frames
from nysviz.figures.look import DARK, LIGHT, Sheet, enlarged, frame
from tests.figures.test_charts import a_strip, all_charts, film

RNG = np.random.default_rng(3)
POINTS = RNG.standard_normal((30, 2))
ENTRIES = RNG.uniform(-1, 1, (5, 30, 30))
RESIDUALS = RNG.random((5, 30))
ERRORS = np.array([0.9, 0.5, 0.2, 0.1, 0.01])


def of_home(theme):
    landmarks = [POINTS[:m] for m in range(1, 6)]
    read = [np.arange(m) for m in range(1, 6)]
    shown = POINTS, ENTRIES[0], ENTRIES, RESIDUALS, landmarks, read, ERRORS, ERRORS / 2
    films = [home.ApproximationFilm(method, *shown) for method in ("kmeans", "greedy")]
    return [
        *[home.film_map(film, 2, ("a", "b"), Sheet(theme, "t", "s")) for film in films],
        home.film_matrix(ENTRIES, Sheet(theme, "t", "s"), 1),
        home.film_matrix(ENTRIES[0], Sheet(theme, "t", "s"), 1, read),
        home.film_error(films[1], 3, Sheet(theme, "t", "s")),
    ]


def of_steps(method, **settings):
    return lambda theme: all_charts(film(method, **settings), theme)


FILMS = {
    "greedy": of_steps("greedy", steps=25), "sgma": of_steps("sgma"),
    "drawn": of_steps("rpcholesky", steps=3), "swaps": of_steps("dpp", steps=40, landmarks=8),
    "centres, standing still at last": of_steps("kmeans", steps=50, length=60, landmarks=5), "home": of_home,
    "strip": lambda theme: [a_strip(theme=theme, method=method) for method in ("icd", "kmeans")],
}  # fmt: skip


def slowly(figure, traces, states, names=()):
    figure = go.Figure(figure)
    names = names or [str(step) for step in range(1, len(states) + 1)]
    kinds = [figure.data[index].type for index in traces]
    figure.frames = [
        go.Frame(
            name=name,
            data=[{"type": kind, **change} for kind, change in zip(kinds, state, strict=True)],
            traces=list(traces),
        )
        for name, state in zip(names, states, strict=True)
    ]
    return figure


def sent(figure):
    drawing = return_figure_from_figure_or_data(figure, validate_figure=True)
    return json.loads(plotly.io.to_json(drawing, validate=False))


@pytest.mark.parametrize("theme", [LIGHT, enlarged(DARK)], ids=lambda theme: theme.name)
@pytest.mark.parametrize("name", FILMS)
def test_the_browser_gets_what_it_would_get_of_plotly_s_own_frames(name, theme, monkeypatch):
    fast = FILMS[name](theme)
    for module in (home, steps, strip):
        monkeypatch.setattr(module, "with_frames", slowly)
    monkeypatch.setattr(steps, "encoded", lambda part: part)
    slow = FILMS[name](theme)
    assert all(isinstance(one, PlainFigure) for one in fast) and not any(
        isinstance(one, PlainFigure) for one in slow
    )
    for one, other in zip(fast, slow, strict=True):
        assert len(sent(one)["frames"]) == len(other.frames) > 0
        assert sent(one) == sent(other)


def small(change=None, name="1"):
    figure = frame([go.Scatter(x=[1, 2], y=[3, 4])], Sheet(LIGHT, "title"), 300)
    return with_frames(figure, [0], [[change or {"y": np.arange(3.0)}]], [name])


VALUES = {
    "bytes": np.arange(5), "two bytes": np.array([-129, 4]), "four bytes": np.array([0, 2**31 - 1]),
    "too large for JavaScript": np.array([0, 2**40]), "unsigned": np.array([0, 200], dtype=np.uint64),
    "unsigned, too large": np.array([0, 2**40], dtype=np.uint64), "short": np.array([-1, 5], dtype=np.int8),
    "single": np.linspace(0, 1, 7, dtype=np.float32), "double": np.array([1.0, np.nan, np.inf, -0.0]),
    "none": np.empty(0), "every other": np.arange(10.0)[::2], "texts": np.array(["a", "bc"]),
    "no text": np.array([], dtype=str), "answers": np.array([True, False]), "a list": [1, 2.5, None],
    "a list of numpy's numbers": [np.float64(0.1), np.int64(3), np.float64("nan")],
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_are_written_as_plotly_writes_them(name):
    change = {"y": VALUES[name], "text": "t", "marker": {"size": 3}}
    slow = slowly(frame([go.Scatter(x=[1, 2], y=[3, 4])], Sheet(LIGHT, "title"), 300), [0], [[change]], ["1"])
    assert sent(small(change)) == sent(slow)


def test_a_chart_stays_the_same_however_often_it_is_drawn_or_copied():
    chart = small()
    first = sent(chart)
    given = chart.to_dict()
    given["layout"]["sliders"] = [{}]
    given["frames"].clear()
    assert sent(chart) == first
    assert sent(copy.deepcopy(chart)) == sent(pickle.loads(pickle.dumps(chart))) == first
    assert sent(go.Figure(chart)) == first
    assert chart == small() and chart != small(name="2")
