"""Groups of rows: the data by class and by group, eigenvalues, and the parts of a picture."""

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from nysviz.analysis.spectrum.gaps import Gap
from nysviz.figures.data_map import Picture, landmark_traces
from nysviz.figures.look import Sheet, axis, class_mark, frame, inert, stroke
from nysviz.figures.traces import line, markers, note, upright, xy
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, IntArray

# Largest number of classes or groups whose names the legend shows.
NAMED = 12


class Side(NamedTuple):
    """One picture of the points: heading, code of each point's group (-1 for none), names of the groups."""

    heading: str
    codes: IntArray
    names: Sequence[str]


class LandmarkPoints(NamedTuple):
    """Landmark points (m, d), and whether they are rows of the data."""

    points: FloatArray
    are_data: bool


def groups_map(
    picture: Picture, sides: Sequence[Side], landmarks: LandmarkPoints | None, sheet: Sheet
) -> go.Figure:
    """Draw the same points once for each side, coloured by its groups; landmarks on the last one."""
    theme, gap = sheet.theme, 0.035
    part = (1.0 - gap * (len(sides) - 1)) / len(sides)
    traces: list[Any] = []
    notes: list[Any] = []
    layout: dict[str, Any] = {}
    where: dict[str, str] = {}
    for number, side in enumerate(sides):
        left, suffix = number * (part + gap), str(number + 1) if number else ""
        where = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        hues, symbols = zip(*(_mark(code, sheet) for code in side.codes), strict=True)
        look = {"color": hues, "symbol": symbols, "size": 6.0, "line": {"width": 0.4, "color": theme.ground}}
        texts = [
            f"row {row}, {inert(side.names[code]) if code >= 0 else 'no group'}"
            for row, code in zip(picture.rows, side.codes, strict=True)
        ]
        traces.append(
            markers(
                **xy(picture.positions), marker=look, hover="%{text}", text=texts, showlegend=False, **where
            )
        )
        bare: dict[str, Any] = {"showticklabels": False, "ticks": ""}
        across = {"domain": [left, left + part], "range": list(picture.ranges[0]), "anchor": f"y{suffix}"}
        layout[f"xaxis{suffix}"] = axis(inert(picture.names[0]), theme, **across, **bare)
        upwards = {"range": list(picture.ranges[1]), "anchor": f"x{suffix}"}
        layout[f"yaxis{suffix}"] = axis("" if number else inert(picture.names[1]), theme, **upwards, **bare)
        at: dict[str, Any] = {"xanchor": "left", "yanchor": "bottom", "size": 13}
        notes.append(note(side.heading, theme.ink, left, 1.0, "xy", **at))
    if landmarks is not None:
        places = picture.place(landmarks.points)
        names = [f"landmark {i + 1}" for i in range(len(places))]
        marks = landmark_traces(places, landmarks.are_data, theme, names)
        traces += [{**trace, **where} for trace in marks]
    named = _legend(sides[0], sheet)
    place = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 0, "yref": "container"}
    legend = {**place, "yanchor": "bottom", "itemclick": False, "itemdoubleclick": False}
    margin = {"l": 34, "r": 8, "t": 84, "b": 70}
    is_named = bool(named) or landmarks is not None
    layout |= {"annotations": notes, "showlegend": is_named, "legend": legend, "margin": margin}
    return frame([*named, *traces], sheet, 450, **layout)


def _legend(side: Side, sheet: Sheet) -> list[Any]:
    """Return the legend of the first side's colours, empty if it has many names."""
    entries = []
    for code, name in enumerate(side.names if len(side.names) <= NAMED else ()):
        hue, symbol = _mark(code, sheet)
        entry = {"color": hue, "symbol": symbol, "size": 9}
        entries.append(markers([None], [None], entry, name=inert(name), showlegend=True))
    return entries


def _mark(code: int, sheet: Sheet) -> tuple[str, str]:
    return class_mark(code, sheet.theme) if code >= 0 else (sheet.theme.faint, "x-thin-open")


def eigenvalue_chart(
    exact: FloatArray | None, values: FloatArray, method: str, groups: int, gap: Gap | None, sheet: Sheet
) -> go.Figure:
    """Draw the leading eigenvalues of the normalised K and K̃ by rank, the largest gap, and the groups.

    The first is left out: it is 1 for all data, and beside it the others look equal.
    """
    theme = sheet.theme
    spectra = {"K": exact} if exact is not None else {}
    spectra[f"K̃, {METHODS[method].brief}"] = values
    hover = "rank %{x}<br>%{y:.3g}<extra>%{fullData.name}</extra>"
    traces: list[Any] = []
    for name, spectrum in spectra.items():
        ranks, spectrum = np.arange(2, len(spectrum) + 1), spectrum[1:]
        if name == "K":
            ink = {"size": 8, "color": theme.ink, "symbol": "circle-open", "line": {"width": 2}}
            traces.append(markers(ranks, spectrum, ink, hover, name=name))
            continue
        style = stroke(method, theme)
        traces.append(
            {"type": "scatter", "x": ranks, "y": spectrum, "name": name, "hovertemplate": hover, **style}
        )
    if gap is not None:
        ends = [float(values[gap.r - 1]), float(values[gap.r])]
        label = f"largest gap, after rank {gap.r}"
        traces.append(line([gap.r, gap.r + 1], ends, theme.accent, label, width=4))
    longest = max(len(spectrum) for spectrum in spectra.values())
    top = max((float(spectrum[1]) for spectrum in spectra.values() if len(spectrum) > 1), default=1.0)
    notes = [note(f"k = {groups}", theme.faint, groups + 0.5, 1.0, "y", xanchor="left", yanchor="top")]
    xaxis = axis("rank i", theme, range=[1.5, max(longest, 2) + 0.5])
    yaxis = axis("eigenvalue λ<sub>i</sub>", theme, range=[0, 1.06 * top])
    more: dict[str, Any] = {"shapes": [upright(groups + 0.5, theme.faint)], "annotations": notes}
    return frame(traces, sheet, 400, xaxis=xaxis, yaxis=yaxis, below=True, **more)


def pixel_chart(pixels: NDArray[np.uint8], landmarks: LandmarkPoints | None, sheet: Sheet) -> go.Figure:
    """Draw a picture (height, width, 3), with landmarks at (across, down) in pixels on it."""
    height, width, _ = pixels.shape
    whole = {"source": _png(pixels), "xref": "x", "yref": "y", "x": -0.5, "y": -0.5, "layer": "below"}
    image = {
        **whole,
        "sizex": width,
        "sizey": height,
        "sizing": "stretch",
        "yanchor": "top",
        "xanchor": "left",
    }
    traces: list[Any] = [markers([None], [None], {"size": 1}, showlegend=False)]
    if landmarks is not None:
        names = [f"landmark {i + 1}" for i in range(len(landmarks.points))]
        traces = landmark_traces(landmarks.points, landmarks.are_data, sheet.theme, names)
    bare = {"visible": False, "fixedrange": False}
    across = {**bare, "range": [-0.5, width - 0.5], "constrain": "domain"}
    # As close to the title as its shape allows.
    down = {
        **bare,
        "range": [height - 0.5, -0.5],
        "scaleanchor": "x",
        "constrain": "domain",
        "constraintoward": "top",
    }
    more: dict[str, Any] = {"margin": {"l": 2, "r": 2, "b": 6}}
    return frame(
        traces, sheet, 300 if width >= height else 440, xaxis=across, yaxis=down, images=[image], **more
    )


def _png(pixels: NDArray[np.uint8]) -> str:
    """Return the picture as a data URL, four times as large, so that no browser blurs its pixels."""
    from PIL import Image

    file, large = BytesIO(), pixels.repeat(4, axis=0).repeat(4, axis=1)
    Image.fromarray(large).save(file, "PNG")
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode('ascii')}"
