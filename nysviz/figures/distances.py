"""How far the rows of a data set lie apart, with bandwidths marked, and the errors that landmarks leave."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.drawing import bar
from nysviz.figures.look import Sheet, axis, colour, frame, narrow_floats
from nysviz.figures.traces import band, hover_of, level, line, note, upright
from nysviz.kernels import Kernel
from nysviz.numerics.blocks import FloatArray
from nysviz.text import three_digits

# Largest distance drawn, in 99th percentiles: a row far away would squeeze all others.
BEYOND_FAR = 1.2
HEADROOM = 0.4  # part of the height that the bars leave to the names of the marks


def distance_chart(
    squares: FloatArray,
    end: float,
    sigmas: Mapping[str, float],
    suggested: float | None,
    kernel: Kernel | None,
    sheet: Sheet,
) -> go.Figure:
    """Draw distances as bars up to ``end``, named bandwidths as lines, and a kernel's entries as a curve."""
    theme = sheet.theme
    counts, edges = np.histogram(np.sqrt(squares), 60, (0.0, end))
    shares = 100.0 * counts / max(1, len(squares))
    top = max(float(shares.max(initial=0.0)), 1e-3) / (1.0 - HEADROOM)
    centres = (edges[1:] + edges[:-1]) / 2.0
    look = {"color": theme.faint, "opacity": 0.45, "line": {"width": 0}}
    hover = "distance %{x:.3g}<br>%{y:.3g} % of the pairs"
    places = {"x": narrow_floats(centres), "y": narrow_floats(shares), "width": end / 60}
    traces = [bar(**places, marker=look, name="pairs", **hover_of(hover))]
    second: dict[str, Any] = {}
    if kernel is not None:
        apart = np.linspace(0.0, end, 120)
        entries = kernel(np.zeros((1, 1)), apart[:, None])[0]
        hover = "distance %{x:.3g}<br>entry %{y:.3g}"
        traces.append(
            line(
                narrow_floats(apart),
                narrow_floats(entries),
                theme.accent,
                "entry",
                hover,
                width=2.5,
                yaxis="y2",
            )
        )
        peak = float(entries.max())
        settings = {"overlaying": "y", "side": "right", "showgrid": False, "color": theme.accent}
        settings |= {"range": [0, peak / (1.0 - HEADROOM)], "tickvals": [0, peak / 2, peak]}
        second["yaxis2"] = axis("entry k(x, y)", theme, **settings)
    inside = {name: sigma for name, sigma in sigmas.items() if 0 < sigma <= end}
    lines, names = [], []
    for place, name in enumerate(sorted(inside, key=inside.__getitem__)):
        sigma = inside[name]
        text, stroke = f"{name}, σ {three_digits(sigma)}", (theme.ink, "dot", 1.0)
        if suggested is not None and math.isclose(sigma, suggested):
            text, stroke = f"<b>{text}</b>", (theme.accent, "solid", 2.5)
        lines.append(upright(sigma, *stroke))
        # Each name has a height of its own, so that near bandwidths do not write over one another.
        side, shift = ("left", 4) if sigma < 0.55 * end else ("right", -4)
        at: dict[str, Any] = {"xanchor": side, "xshift": shift, "yanchor": "top", "bgcolor": theme.ground}
        names.append(note(text, stroke[0], sigma, 1.0 - 0.065 * place, "y", borderpad=0, **at))
    return frame(
        traces,
        sheet,
        500,
        xaxis=axis("distance ‖x − y‖" + (", and σ" if sigmas else ""), theme, range=[0, end], showgrid=False),
        yaxis=axis("pairs (%)", theme, range=[0, top], nticks=6),
        shapes=lines,
        annotations=names,
        bargap=0,
        margin={"l": 52, "r": 58 if second else 12},
        **second,
    )


def trace_chart(
    trace_errors: Mapping[str, FloatArray], suggested: str, target: float, sheet: Sheet
) -> go.Figure:
    """Draw relative trace errors for 0, 1, … landmarks, (trials, M + 1) each; bands span the trials."""
    theme = sheet.theme
    hue, dashes = colour("rpcholesky", theme), ("dot", "dash", "dashdot", "longdash")
    traces: list[Any] = []
    for index, (name, errors) in enumerate(trace_errors.items()):
        m = np.arange(1.0, errors.shape[1])
        low, middle, high = 100.0 * np.percentile(errors[:, 1:], (0, 50, 100), axis=0)
        dash, width = ("solid", 3) if name == suggested else (dashes[index % len(dashes)], 1.5)
        hover = "m = %{x}: %{y:.3g} % left<extra>%{fullData.name}</extra>"
        traces.append(band(m, low, high, hue))
        traces.append(line(m, narrow_floats(middle), hue, name, hover, dash=dash, width=width))
    longest = max(errors.shape[1] for errors in trace_errors.values())
    ends = [-0.03, math.log10(max(longest, 3)) + 0.03]
    xaxis = axis("landmarks m", theme, type="log", range=ends, dtick=1)
    yaxis = axis("trace left, 1 − tr K̃/tr K (%)", theme, range=[0, 102])
    more: dict[str, Any] = {"shapes": [level(100 * target, theme.ink, "longdash", 1)], "margin": {"t": 62}}
    return frame(traces, sheet, 380, xaxis=xaxis, yaxis=yaxis, below=True, **more)
