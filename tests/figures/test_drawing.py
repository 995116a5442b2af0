"""Charts and frames as plain data against those that plotly makes and checks itself."""

import copy
import json
import pickle

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from plotly.offline import get_plotlyjs
from plotly.tools import return_figure_from_figure_or_data

from nysviz.figures import home, spectrum_bandwidth, steps, strip
from nysviz.figures.drawing import (
    Drawing,
    has_frames,
    heatmap,
    opened,
    played,
    scatter,
    titles,
    with_layout,
    with_traces,
)
from nysviz.figures.look import DARK, LIGHT, enlarged, frame
from nysviz.figures.standalone import standalone
from nysviz.spectrum.gaps import largest_gaps
from tests.figures.test_charts import a_strip
from tests.figures.test_steps_figure import all_charts, film

RNG = np.random.default_rng(3)
POINTS = RNG.standard_normal((30, 2))
ENTRIES = RNG.uniform(-1, 1, (5, 30, 30))
RESIDUALS = RNG.random((5, 30))
ERRORS = np.array([0.9, 0.5, 0.2, 0.1, 0.01])


def of_home(theme):
    landmarks = [POINTS[:m] for m in range(1, 6)]
    read = [np.arange(m) for m in range(1, 6)]
    maps = [
        home.film_map(POINTS, RESIDUALS, landmarks, 2, are_data, ("a", "b"), theme, "t", "film")
        for are_data in (True, False)
    ]
    return [
        *maps,
        home.film_matrix(ENTRIES, theme, "t", "s", "film", 1),
        home.film_matrix(ENTRIES[0], theme, "t", "s", "film", 1, read),
        home.film_error(ERRORS, ERRORS / 2, 3, "greedy", theme, "film"),
    ]


def of_the_bandwidth(theme):
    spectra = [np.exp(-np.arange(200.0) / width) for width in (1, 5, 25, 400)]
    gaps = [largest_gaps(values)[0] for values in spectra]
    numbers = (0.1, 0.5, 1.0, 4.0)
    return [spectrum_bandwidth.bandwidth_chart(numbers, spectra, gaps, numbers, 2, theme, "t", "s")]


def of_steps(method, **settings):
    return lambda theme: all_charts(film(method, **settings), theme)


FILMS = {
    "greedy": of_steps("greedy", steps=25),
    "sgma": of_steps("sgma"),
    "drawn": of_steps("rpcholesky", steps=3),
    "swaps": of_steps("dpp", steps=40, landmarks=8),
    "centres, standing still at last": of_steps("kmeans", steps=50, length=60, landmarks=5),
    "home": of_home,
    "bandwidth": of_the_bandwidth,
    "strip": lambda theme: [a_strip(theme=theme, are_data=are_data) for are_data in (True, False)],
}


def slowly(figure, traces, states, names):
    """The same frames as plotly's own objects, in a figure that is plotly's own."""
    figure = go.Figure(figure)
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
    """What the browser gets of a figure, by the way that Streamlit takes."""
    drawing = return_figure_from_figure_or_data(figure, validate_figure=True)
    return json.loads(plotly.io.to_json(drawing, validate=False))


@pytest.mark.parametrize("theme", [LIGHT, DARK, enlarged(LIGHT)], ids=lambda theme: theme.name)
@pytest.mark.parametrize("name", FILMS)
def test_the_browser_gets_what_it_would_get_of_plotly_s_own_frames(name, theme, monkeypatch):
    fast = FILMS[name](theme)
    for module in (home, spectrum_bandwidth, steps, strip):
        monkeypatch.setattr(module, "played", slowly)
    monkeypatch.setattr(steps, "encoded", lambda part: part)
    slow = FILMS[name](theme)
    assert all(isinstance(one, Drawing) for one in fast) and not any(isinstance(one, Drawing) for one in slow)
    for one, other in zip(fast, slow, strict=True):
        assert len(sent(one)["frames"]) == len(other.frames) > 0
        assert sent(one) == sent(other)


@pytest.mark.parametrize("name", FILMS)
def test_plotly_accepts_every_property_of_every_frame(name):
    for chart in FILMS[name](LIGHT):
        checked = go.Figure(chart.to_dict())
        assert sent(checked) == sent(chart)
        assert len(chart.frames) == len(checked.frames)


def small(change=None, name="1"):
    figure = frame([go.Scatter(x=[1, 2], y=[3, 4])], LIGHT, "title", "", 300)
    return played(figure, [0], [[change or {"y": np.arange(3.0)}]], [name])


@pytest.mark.parametrize("wrong", [{"yy": [1]}, {"marker": {"colour": "red"}}, {"mode": "dots"}])
def test_a_misspelled_property_is_found_where_the_frames_are_checked(wrong):
    chart = small(wrong)
    with pytest.raises(ValueError, match="Invalid"):
        go.Figure(chart.to_dict())
    with pytest.raises(ValueError, match="Invalid"):
        _ = chart.frames


VALUES = {
    "bytes": np.arange(5),
    "two bytes": np.array([-129, 4]),
    "four bytes": np.array([0, 2**31 - 1]),
    "too large for JavaScript": np.array([0, 2**40]),
    "unsigned": np.array([0, 200], dtype=np.uint64),
    "unsigned, too large": np.array([0, 2**40], dtype=np.uint64),
    "short": np.array([-1, 5], dtype=np.int8),
    "single": np.linspace(0, 1, 7, dtype=np.float32),
    "double": np.array([1.0, np.nan, np.inf, -0.0]),
    "none": np.empty(0),
    "every other": np.arange(10.0)[::2],
    "texts": np.array(["a", "bc"]),
    "no text": np.array([], dtype=str),
    "answers": np.array([True, False]),
    "a list": [1, 2.5, None],
    "a list of numpy's numbers": [np.float64(0.1), np.int64(3), np.float64("nan")],
}


@pytest.mark.parametrize("name", VALUES)
def test_values_are_written_as_plotly_writes_them(name):
    change = {"y": VALUES[name], "text": "t", "marker": {"size": 3}}
    slow = slowly(frame([go.Scatter(x=[1, 2], y=[3, 4])], LIGHT, "title", "", 300), [0], [[change]], ["1"])
    assert sent(small(change)) == sent(slow)


def test_pictures_keep_their_shape_and_frames_read_as_arrays():
    entries = np.arange(12, dtype=np.uint8).reshape(3, 4)
    charts = []
    for make in (played, slowly):
        figure = Drawing([heatmap(z=entries, colorscale=[(0, "red"), (1, "blue")])], {})
        charts.append(make(figure, [0], [[{"z": entries.T}]], ["a"]))
    assert sent(charts[0]) == sent(charts[1])
    np.testing.assert_array_equal(charts[0].frames[0].data[0].z, entries.T)
    assert charts[0].frames[0].data[0].z.dtype == np.uint8


def test_a_change_goes_into_a_trace_as_an_update_does():
    trace = {"x": [1, 2], "marker": {"size": 3, "color": "red", "line": {"width": 1, "color": "blue"}}}
    change = {"y": [4, 5], "marker": {"color": [1, 2], "line": {"width": 2}}, "meta": 7}
    updated = go.Figure(go.Scatter(trace))
    updated.data[0].update(change)
    before = copy.deepcopy((trace, change))
    assert sent(go.Figure(opened(trace, change))) == sent(updated)
    assert (trace, change) == before


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
    with pytest.raises(AttributeError):
        chart.frames = []


def a_drawing():
    traces = [
        scatter(x=[1.0, None, 3.0], y=np.arange(3), name=None, marker={"size": np.array([1, 2, 3])}),
        heatmap(z=np.arange(6.0).reshape(2, 3), colorscale=[(0, "red"), (1, "blue")], zmin=np.float64(0)),
        go.Bar(x=["a", "b"], y=[1, 2]),
    ]
    layout = {"xaxis": {"range": np.array([0.0, 1.0]), "tickvals": None}, "shapes": [{"type": "line"}]}
    return frame(traces, LIGHT, "title", "below", 300, **layout)


def checked(figure):
    """The same chart as plotly makes it of the same words, with its own template in full."""
    drawing = figure.to_dict()
    drawing["layout"].pop("template")
    return go.Figure(drawing)


def without_template(figure):
    drawing = sent(figure)
    del drawing["layout"]["template"]
    return drawing


def test_a_drawing_is_what_plotly_makes_of_the_same_words():
    assert without_template(a_drawing()) == without_template(checked(a_drawing()))
    traces = [go.Scatter(x=[1.0, None, 3.0], y=np.arange(3), marker_size=np.array([1, 2, 3]))]
    traces += [go.Heatmap(z=np.arange(6.0).reshape(2, 3), colorscale=[(0, "red"), (1, "blue")], zmin=0)]
    plain = without_template(a_drawing())["data"][:2]
    assert plain == without_template(go.Figure(traces))["data"]
    assert a_drawing().to_dict()["layout"]["xaxis"] == {"range": [0.0, 1.0]}


def test_the_template_says_what_plotly_s_own_says_of_these_kinds():
    own = plotly.io.templates["plotly"].to_plotly_json()
    for part, of in a_drawing().to_dict()["layout"]["template"].items():
        assert of and json.dumps(of) == json.dumps({name: own[part][name] for name in of})


def test_who_asks_for_objects_gets_them_and_may_change_them():
    drawing = a_drawing()
    first = sent(drawing)
    assert drawing.layout.title.text == "title" == drawing["layout"]["title"]["text"]
    assert sent(drawing) == first
    np.testing.assert_array_equal(drawing.data[1].z, [[0, 1, 2], [3, 4, 5]])
    drawing.update_layout(title_text="another").update_traces(selector={"type": "bar"}, opacity=0.5)
    assert sent(drawing)["data"][2]["opacity"] == 0.5 and titles(drawing) == ("another", "below")
    # Nobody gets them by asking for what no figure has.
    plain = a_drawing()
    for name in ("nothing", "approximation", "__array__"):
        assert not hasattr(plain, name)
    assert plain._parts is not None
    with pytest.raises(AttributeError):
        _ = plain.nothing


def test_a_misspelled_word_is_found_where_objects_are_asked_for():
    for wrong in (scatter(xx=[1]), scatter(x=[1], marker={"colour": "red"}), heatmap(z=[[1]], mode="lines")):
        drawing = frame([wrong], LIGHT, "t", "", 300)
        with pytest.raises(ValueError, match="Invalid"):
            _ = drawing.data


def test_parts_are_set_alike_in_plain_data_and_in_objects():
    def hidden(i, trace):
        return {"marker": {"opacity": 0.5}} if trace["type"] == "scatter" else {}

    charts = [a_drawing(), checked(a_drawing())]
    for chart in charts:
        with_layout(chart, title={"x": 0.5}, xaxis={"range": np.array([1.0, 2.0])})
        with_traces(chart, hidden)
    assert without_template(charts[0]) == without_template(charts[1])
    assert titles(charts[0]) == titles(charts[1]) == ("title", "below")
    assert charts[0].layout.title.x == 0.5 and charts[0].data[0].marker.opacity == 0.5


def test_whether_a_chart_plays_is_known_without_its_objects(monkeypatch):
    moving, still = small(), a_drawing()
    monkeypatch.setattr(go.Frame, "__init__", None)
    assert has_frames(moving) and not has_frames(still)


def test_a_saved_chart_has_its_frames_and_a_slider():
    text = standalone(small(), "x").replace(get_plotlyjs(), "")
    assert "Plotly.addFrames" in text and text.count('"method":"animate"') == 1
