"""Eigenvalues of K and of its approximations, how the bandwidth moves them, and the gap of theorem 1."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.analysis.spectrum.gaps import Gap, Law, above_rounding, rounding
from nysviz.analysis.spectrum.operators import MARGIN, distance_bound
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import Sheet, axis, colour, frame, stroke
from nysviz.figures.traces import band, level, line, log_axis, markers, note, upright
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.text import three_digits

# Eigenvalues below this part of the largest one are not drawn.
VISIBLE = 1e-16
LAW_NAMES = {"power": "power law", "exponential": "exponential"}
DASHES = {"power": "dot", "exponential": "dashdot"}


def ranks_drawn(count: int, limit: int = 400) -> IntArray:
    """Return the ranks from 1 to count that a line is drawn through: all at first, then fewer and fewer."""
    if count <= limit:
        return np.arange(1, count + 1)
    both = np.r_[np.geomspace(1, count, limit // 2), np.linspace(1, count, limit // 2)]
    return np.unique(np.round(both)).astype(np.intp)


def spectrum_chart(
    exact: FloatArray | None,
    approximations: Mapping[str, FloatArray],
    n: int,
    m: int,
    sheet: Sheet,
    *,
    gap: Gap | None = None,
    laws: Sequence[Law] = (),
    ridge: float | None = None,
    log_ranks: bool = True,
    height: int = 560,
) -> go.Figure:
    """Draw λ_i/n of K, if known yet, and of approximations, method → values, by rank."""
    theme, spectra = sheet.theme, [*approximations.values()]
    spectra += [] if exact is None else [exact]
    # A kernel matrix may be 0.
    top = max((float(values[0]) for values in spectra if len(values)), default=1.0)
    top = max(top, 1e-280)
    low = _lower_end(exact, gap, ridge, top)
    traces: list[Any] = [
        _line(values, top, stroke(method, theme), f"K̃, {METHODS[method].brief}")
        for method, values in approximations.items()
    ]
    if exact is not None:
        ink = {"mode": "lines", "line": {"color": theme.ink, "width": 2.5}}
        traces.append(_line(exact, top, ink, "K"))
        for law in laws:
            ranks = ranks_drawn(above_rounding(exact))
            values = law(ranks.astype(float))
            inside = (values > VISIBLE * top) & (values <= 3.0 * top)
            name, dash = LAW_NAMES[law.kind], DASHES[law.kind]
            hover = "rank %{x}<br>%{y:.3g}<extra>%{fullData.name}</extra>"
            at = ranks[inside], values[inside]
            traces.append(line(*at, theme.faint, name, hover, width=1.3, dash=dash))
    if exact is not None and gap is not None:
        ends = [float(exact[gap.r - 1]), max(float(exact[gap.r]), low)]
        hover = "rank %{x}<br>λ/n = %{y:.3g}<extra>largest gap</extra>"
        joined = line([gap.r, gap.r + 1], ends, theme.accent, "largest gap", hover, width=3)
        traces.append(joined | {"mode": "lines+markers", "marker": {"color": theme.accent, "size": 8}})
    shapes = [upright(m, theme.faint)]
    place = {"yanchor": "top", "xanchor": "right" if m > 3 else "left"}
    notes = [note(f"m = {m}", theme.faint, math.log10(m) if log_ranks else m, 1.0, "y", **place)]
    if ridge is not None and ridge < top:
        shapes.append(level(ridge, theme.faint, width=1))
        place = {"xanchor": "right", "yanchor": "bottom"}
        notes.append(note("λ", theme.faint, 1, math.log10(ridge), "x", **place))
    xaxis = axis("rank i", theme, range=[-0.02 * n, 1.02 * n])
    if log_ranks:
        xaxis = axis("rank i", theme, type="log", dtick=1, range=[-0.05, math.log10(max(n, 2)) + 0.05])
    yaxis = log_axis("eigenvalue λ<sub>i</sub> / n", theme, math.log10(low) - 0.3, math.log10(top) + 0.4)
    more: dict[str, Any] = {"shapes": shapes, "annotations": notes, "margin": {"l": 66, "t": 62}}
    return frame(traces, sheet, height, xaxis=xaxis, yaxis=yaxis, below=True, **more)


def _lower_end(exact: FloatArray | None, gap: Gap | None, ridge: float | None, top: float) -> float:
    """Return the axis's lower end: K's smallest eigenvalue, the rounding, or some decades below the gap."""
    low = top * VISIBLE
    if exact is not None and len(exact):
        low = max(low, rounding(exact))
        if (exact > low).any():
            low = float(exact[exact > low].min())
        if gap is not None:
            # The size of the gap is visible then; zooming out shows the eigenvalues below.
            low = max(low, 1e-5 * float(exact[gap.r]))
    return low if ridge is None else min(low, ridge)


def _line(values: FloatArray, top: float, style: dict[str, Any], name: str) -> Layer:
    ranks = ranks_drawn(int((values > VISIBLE * top).sum()))
    if "marker" in style:
        # A marker at each rank would hide the line.
        style["marker"]["maxdisplayed"] = 8
    hover = "rank %{x}<br>λ/n = %{y:.3g}<extra>%{fullData.name}</extra>"
    return scatter(x=ranks, y=values[ranks - 1], name=name, hovertemplate=hover, **style)


def distance_chart(
    n: int, gap: float, required_m: int | None, measured: tuple[IntArray, FloatArray] | None, sheet: Sheet
) -> go.Figure:
    """Draw ‖L_n − L_m‖_HS of uniform samples, (draws, sizes), its bound, and a third of the gap."""
    theme, hover = sheet.theme, "m = %{x:.0f}<br>%{y:.3g}<extra>%{fullData.name}</extra>"
    last, third = max(10.0 * n, 4.0 * (required_m or 0)), gap / MARGIN
    ms = np.geomspace(1, last, 120)
    bound = distance_bound(n, ms)
    ends = [float(bound[0]), float(bound[-1]), *([third] if required_m is not None else [])]
    traces: list[Any] = []
    if measured is not None:
        sizes, distances = measured
        # A sample of all rows has no distance, which a log axis cannot show.
        apart = distances.max(axis=0) > 1e-7
        x, distances = sizes[apart].astype(float), np.maximum(distances[:, apart], 1e-7)
        low, high, hue = distances.min(axis=0), distances.max(axis=0), colour("uniform", theme)
        ends += low[-1:].tolist()
        traces += [
            band(x, low, high, hue) | {"name": "measured, all draws", "showlegend": True},
            line(x, distances.mean(axis=0), hue, "measured, mean", hover),
        ]
    traces.append(line(ms, bound, theme.accent, "bound (theorem 5)", hover))
    traces.append(line(ms[[0, -1]], [third, third], theme.ink, "largest gap / 3n", hover, dash="longdash"))
    if required_m is not None:
        spot = {"size": 10, "color": theme.accent, "line": {"width": 2, "color": theme.ground}}
        spot_hover = "m = %{x:.6~g}<extra>theorem 1 holds from here</extra>"
        # A whole number beyond 64 bits has no JSON.
        traces.append(markers([float(required_m)], [third], spot, spot_hover, showlegend=False))
    low_end, high_end = math.log10(min(ends)) - 0.4, math.log10(max(ends)) + 0.2
    xaxis = log_axis("sampled rows m", theme, -0.05, math.log10(last) + 0.05, max_ticks=7)
    yaxis = log_axis("‖L<sub>n</sub> − L<sub>m</sub>‖", theme, low_end, high_end, max_ticks=7)
    name = note("m = n", theme.faint, math.log10(n), 0.0, "y", xanchor="left", yanchor="bottom")
    more: dict[str, Any] = {"shapes": [upright(n, theme.faint)], "annotations": [name], "margin": {"l": 66}}
    return frame(traces, sheet, 420, xaxis=xaxis, yaxis=yaxis, below=True, **more)


def gap_chart(
    multiples: FloatArray, gaps: Sequence[Gap], dimensions: Sequence[float], multiple: float, sheet: Sheet
) -> go.Figure:
    """Draw the largest gap by bandwidth, in multiples of the default σ, with a spot near ``multiple``."""
    theme, sizes = sheet.theme, np.array([gap.size for gap in gaps])
    texts = [
        f"σ {three_digits(float(each))} × default<br>gap {three_digits(gap.size)} n after rank {gap.r}"
        f"<br>d(λ) = {three_digits(dimension)}"
        for each, gap, dimension in zip(multiples, gaps, dimensions, strict=True)
    ]
    nearest = int(np.abs(np.log(multiples / multiple)).argmin())
    spot = {"size": 11, "color": theme.accent, "line": {"width": 2, "color": theme.ground}}
    curve = line(multiples, sizes, theme.ink, None, "%{text}", width=2.5, text=texts)
    nearest_point = markers(multiples[[nearest]], sizes[[nearest]], spot, "%{text}", text=[texts[nearest]])
    across = [math.log10(multiples[0]) - 0.05, math.log10(multiples[-1]) + 0.05]
    xaxis = axis("bandwidth σ, multiples of the default", theme, type="log", dtick=1, range=across)
    yaxis = axis("largest gap / n", theme, range=[0, 1.1 * max(*sizes, 1e-12)])
    return frame([curve, nearest_point], sheet, 420, xaxis=xaxis, yaxis=yaxis, margin={"l": 66, "t": 62})
