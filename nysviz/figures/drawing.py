"""Charts as plain data, which plotly turns into its objects only where somebody asks for them.

``go.Scatter`` and ``go.Figure`` check and copy every property that they are given, and a figure copies
itself once more whenever it is drawn: 8 ms for a chart of six lines, in which all other threads wait for the
interpreter. Here a chart is written once, as the browser reads it. Whoever reads ``figure.data`` or changes
``figure.layout`` gets plotly's objects with all their checks, as the tests do.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
from numpy.typing import NDArray

Layer = dict[str, Any]  # a trace as plain data, arrays as numpy's; its ``type`` says which
Part = dict[str, Any]  # a part of a figure as plain data: dicts, lists, texts and numbers

# Types that JSON holds as they are.
PLAIN = frozenset({str, int, float, bool, type(None)})
# Kinds of numbers that plotly.js reads as base64.
READ = frozenset({"i1", "i2", "i4", "u1", "u2", "u4", "f4", "f8"})
# Parts of plotly's template that the browser gets: those of the traces and axes in use here.
KINDS = ("scatter", "bar", "heatmap", "contour")
GROUND = (
    *("autotypenumbers", "colorway", "hovermode", "hoverlabel", "xaxis", "yaxis", "title"),
    *("shapedefaults", "annotationdefaults"),
)


# Traces with the properties of plotly's objects of these names; None stands for no value.
scatter: Callable[..., Layer] = partial(dict, type="scatter")
heatmap: Callable[..., Layer] = partial(dict, type="heatmap")
contour: Callable[..., Layer] = partial(dict, type="contour")
bar: Callable[..., Layer] = partial(dict, type="bar")


class PlainFigure(go.Figure):  # type: ignore[misc]
    """A figure that holds its traces, layout and frames as plain data.

    ``to_dict``, which whatever draws or saves a figure calls, returns them as they are. Plotly's objects are
    built when anything else of the figure is used, and hold its state from then on. It takes traces as
    ``scatter`` and the others return them, and a layout without plotly's shorthands.
    """

    _plain: tuple[list[Part], Part, list[Part]] | None = None

    def __init__(self, data: Iterable[Any], layout: Mapping[str, Any]) -> None:
        dicts = [trace if isinstance(trace, dict) else trace.to_plotly_json() for trace in data]
        traces = [_without_none(encoded({"type": "scatter"} | trace)) for trace in dicts]
        self._plain = traces, {"template": TEMPLATE, **_without_none(_listed(layout))}, []

    def __getattr__(self, name: str) -> Any:
        # Called only before plotly's own constructor has run, which sets names with one underscore.
        if self._plain is None or not name.startswith("_") or name.startswith("__"):
            raise AttributeError(name)
        (data, layout, frames), self._plain = self._plain, None
        super().__init__(data=_decoded(data), layout=layout, frames=_decoded(frames))
        return getattr(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return go.Figure, (self.to_dict(),)

    def to_dict(self) -> Part:
        """Return data, layout and frames, whose contents must not be changed."""
        if self._plain is None:
            drawing: Part = super().to_dict()
            return drawing
        data, layout, frames = self._plain
        drawing = {"data": [dict(trace) for trace in data], "layout": dict(layout)}
        return {**drawing, "frames": list(frames)} if frames else drawing

    def plain(self) -> tuple[list[Part], Part, list[Part]]:
        """Return traces, layout and frames of a figure whose plotly objects have not been built."""
        assert self._plain is not None
        return self._plain


def titles(figure: go.Figure) -> tuple[str, str]:
    """Return a figure's title and subtitle."""
    title = figure.to_dict()["layout"].get("title", {})
    return title.get("text") or "", title.get("subtitle", {}).get("text") or ""


def with_layout(figure: PlainFigure, **layout: Any) -> PlainFigure:
    """Merge parts into a figure's layout, in place."""
    data, before, frames = figure.plain()
    figure._plain = data, merged(before, _listed(layout)), frames
    return figure


def with_traces(figure: PlainFigure, change: Layer) -> PlainFigure:
    """Merge these properties into all traces of a figure, in place."""
    data, layout, frames = figure.plain()
    figure._plain = [merged(trace, encoded(change)) for trace in data], layout, frames
    return figure


def with_frames(
    figure: PlainFigure,
    traces: Sequence[int],
    states: Sequence[Sequence[Mapping[str, Any]]],
    names: Sequence[str] = (),
) -> PlainFigure:
    """Add frames to a figure, in place: the changes of each to these traces, unchecked.

    Frames without ``names`` are numbered from 1.
    """
    data, layout, _ = figure.plain()
    names = names or [str(step) for step in range(1, len(states) + 1)]
    kinds = [data[index]["type"] for index in traces]
    frames = [
        {
            "name": name,
            "data": [{**encoded(change), "type": kind} for kind, change in zip(kinds, state, strict=True)],
            "traces": list(traces),
        }
        for name, state in zip(names, states, strict=True)
    ]
    figure._plain = data, layout, frames
    return figure


def merged(part: Mapping[str, Any], change: Mapping[str, Any]) -> Part:
    """Return a part of a figure with a change merged in: dicts are merged, all else is replaced."""
    changed = dict(part)
    for name, value in change.items():
        nested = isinstance(changed.get(name), dict) and isinstance(value, dict)
        changed[name] = merged(changed[name], value) if nested else value
    return changed


def encoded(part: Any) -> Any:
    """Return a part of a figure as plain data, its numeric arrays in base64, as plotly itself sends them."""
    return _converted(part, _in_base64)


def _converted(part: Any, array: Callable[[NDArray[Any]], Any]) -> Any:
    # Most parts are texts: a hover text or a name for each point.
    if type(part) in PLAIN:
        return part
    if isinstance(part, Mapping):
        return {name: _converted(value, array) for name, value in part.items()}
    if isinstance(part, np.ndarray):
        return array(part)
    if isinstance(part, (list, tuple)):
        return [_converted(item, array) for item in part]
    return part.item() if isinstance(part, np.generic) else part


def _without_none(part: Any) -> Any:
    """Drop keys whose value is None, as plotly does; in lists None is a gap and stays."""
    if isinstance(part, dict):
        return {name: _without_none(value) for name, value in part.items() if value is not None}
    return part


def _listed(part: Any) -> Any:
    """Return a part of a layout as plain data: short arrays, as lists."""
    return _converted(part, np.ndarray.tolist)


def _in_base64(values: NDArray[Any]) -> Any:
    if not values.size:
        return []
    if values.dtype in (np.int64, np.uint64):
        # JavaScript has no 64-bit integers: take the narrowest type that holds all values.
        signed, low, high = values.dtype.kind, int(values.min()), int(values.max())
        for size in (1, 2, 4):
            holds = np.iinfo(f"{signed}{size}")
            if holds.min <= low and high <= holds.max:
                values = values.astype(holds.dtype)
                break
    code = f"{values.dtype.kind}{values.dtype.itemsize}"
    if code not in READ or not values.dtype.isnative:
        return values.tolist()
    spec = {"dtype": code, "bdata": b64encode(values.tobytes()).decode("ascii")}
    return spec if values.ndim == 1 else {**spec, "shape": ", ".join(map(str, values.shape))}


def _decoded(part: Any) -> Any:
    """Return plain data with its numbers as arrays again."""
    if isinstance(part, list):
        return [_decoded(item) for item in part]
    if not isinstance(part, dict):
        return part
    if "bdata" not in part:
        return {name: _decoded(value) for name, value in part.items()}
    values = np.frombuffer(b64decode(part["bdata"]), dtype=part["dtype"])
    return values.reshape([int(size) for size in part["shape"].split(",")]) if "shape" in part else values


# The part of plotly's own template for the kinds of charts in use here.
_whole = plotly.io.templates["plotly"].to_plotly_json()
TEMPLATE = _listed(
    {
        "data": {kind: [dict(trace) for trace in _whole["data"][kind]] for kind in KINDS},
        "layout": {name: _whole["layout"][name] for name in GROUND},
    }
)
