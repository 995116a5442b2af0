"""Charts with frames that the browser plays, at the price of their numbers.

``go.Frame`` checks and copies all that it is given, a figure does so again, and copies its frames whenever
it is drawn: 0.3 s for 300 frames in which all other threads wait for the interpreter. Here the frames are
written once, as the browser reads them; the tests check that plotly accepts them.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

# Kinds of numbers that plotly.js reads as base64.
READ = frozenset({"i1", "i2", "i4", "u1", "u2", "u4", "f4", "f8"})
# Bytes of a small dict, of an empty list or text, and of a number.
DICT, EMPTY, NUMBER = 200, 60, 32


@dataclass(frozen=True)
class Frames:
    """Frames as plain data: dicts, lists, texts and numbers, which nobody changes; and about their bytes."""

    plain: tuple[dict[str, Any], ...]
    nbytes: int


class Played(go.Figure):  # type: ignore[misc]
    """A figure that holds its frames as plain data.

    Everything else is plotly's: ``to_dict``, which all that draws or saves a figure asks, has the frames as
    well, the same each time and not a copy. ``frames`` builds them as plotly's objects at every reading, with
    all checks: 1 to 2 ms a frame.
    """

    _moving = Frames((), 0)

    @property
    def frames(self) -> tuple[go.Frame, ...]:
        """Return the frames as checked objects, their numbers as arrays."""
        if not self._moving.plain:
            return tuple(super().frames)
        return tuple(go.Frame(_decoded(one)) for one in self._moving.plain)

    def to_dict(self) -> dict[str, Any]:
        """Return data, layout and frames; the frames are not to be changed."""
        drawing: dict[str, Any] = super().to_dict()
        if self._moving.plain:
            drawing["frames"] = list(self._moving.plain)
        return drawing


def played(
    figure: go.Figure,
    traces: Sequence[int],
    states: Sequence[Sequence[Mapping[str, Any]]],
    names: Sequence[str],
) -> Played:
    """Give a figure its frames.

    Parameters
    ----------
    figure : go.Figure
        Without frames. It is changed.
    traces : sequence of int
        Numbers of the traces that the frames change.
    states : sequence of sequences of dicts
        For each frame what it changes of each of these traces. The properties are not checked.
    names : sequence of str
        Of the frames.

    Returns
    -------
    Played
        The same figure.
    """
    kinds = [figure.data[index].type for index in traces]
    plain = tuple(
        {
            "name": name,
            "data": [{**encoded(change), "type": kind} for kind, change in zip(kinds, state, strict=True)],
            "traces": list(traces),
        }
        for name, state in zip(names, states, strict=True)
    )
    # A new figure with the same parts would check all of them again, which takes longer than the frames.
    figure.__class__ = Played
    chart: Played = figure
    chart._moving = Frames(plain, sum(map(_bytes, plain)))
    return chart


def opened(trace: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a trace as a frame's change leaves it: one dict, to be checked once by the figure it goes into.

    An update of a trace that a figure holds already costs ten times as much.
    """
    drawing = dict(trace)
    for name, value in change.items():
        held = drawing.get(name)
        if isinstance(held, dict) and isinstance(value, dict):
            value = opened(held, value)
        drawing[name] = value
    return drawing


def encoded(part: Any) -> Any:
    """Return a part of a figure as plain data, its numeric arrays in base64, as plotly itself sends them."""
    if isinstance(part, dict):
        return {name: encoded(value) for name, value in part.items()}
    if isinstance(part, np.ndarray):
        return _in_base64(part)
    if isinstance(part, (list, tuple)):
        return [encoded(one) for one in part]
    return part.item() if isinstance(part, np.generic) else part


def _in_base64(values: NDArray[Any]) -> Any:
    if not values.size:
        return []
    if values.dtype in (np.int64, np.uint64):
        # JavaScript has no such numbers: the narrowest that holds them all.
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
        return [_decoded(one) for one in part]
    if not isinstance(part, dict):
        return part
    if "bdata" not in part:
        return {name: _decoded(value) for name, value in part.items()}
    values = np.frombuffer(b64decode(part["bdata"]), dtype=part["dtype"])
    return values.reshape([int(size) for size in part["shape"].split(",")]) if "shape" in part else values


def _bytes(part: Any) -> int:
    if isinstance(part, str):
        return EMPTY + len(part)
    if isinstance(part, dict):
        return DICT + sum(map(_bytes, part.values()))
    if isinstance(part, list):
        return EMPTY + 8 * len(part) + sum(map(_bytes, part))
    return NUMBER
