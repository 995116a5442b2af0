"""Score of learning machines against m: bands over trials, the exact machine, significant differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import (
    LEGEND_PIXELS,
    Theme,
    axis,
    colour,
    frame,
    inert,
    legend_below,
    stroke,
    three_digits,
)


@dataclass(frozen=True)
class Curve:
    """One line: at each m the mean score over trials, their standard deviation, and how many there are.

    ``columns`` is the number of features at each m.
    """

    method: str
    label: str
    ms: Sequence[int]
    means: Sequence[float]
    deviations: Sequence[float]
    trials: Sequence[int]
    columns: Sequence[int]


def learning_chart(
    curves: Sequence[Curve],
    exact: tuple[float, float] | None,
    ahead: Mapping[int, str],
    ms: Sequence[int],
    score: str,
    theme: Theme,
    title: str,
    subtitle: str,
    *,
    chosen: int | None = None,
    percent: bool = False,
    counted: str = "frequencies",
) -> go.Figure:
    """Draw score against m.

    Parameters
    ----------
    curves : sequence of Curve
    exact : (mean, deviation) or None
        Of the exact kernel machine, drawn as a line in ink.
    ahead : mapping
        m → method that is significantly ahead there, marked at the lower edge in its colour.
    ms : sequence of int
        All m of the chart, also those that have no score yet: they fix the axis.
    score : str
        Name of the vertical axis.
    chosen : int, optional
        The m whose numbers stand beside the chart.
    percent : bool
        Draw shares in per cent.
    counted : str
        What m counts of random features.
    """
    scale = 100.0 if percent else 1.0
    low, high = _limits(curves, exact, scale, percent)
    traces: list[Layer] = []
    for curve in curves:
        traces += _with_band(curve, theme, scale, 100.0 if percent else np.inf)
    if exact is not None:
        traces.append(
            scatter(
                x=[min(ms), max(ms)],
                y=[scale * exact[0]] * 2,
                mode="lines",
                line={"color": theme.ink, "dash": "longdash", "width": 1.5},
                name="exact kernel machine",
                hovertemplate=f"exact kernel machine: {three_digits(scale * exact[0])}"
                f" ± {three_digits(scale * exact[1])}<extra></extra>",
            )
        )
    traces += _marks(ahead, low + 0.035 * (high - low), theme)
    shapes = []
    if chosen is not None:
        line = {"color": theme.faint, "width": 1, "dash": "dot"}
        shapes = [
            {"type": "line", "x0": chosen, "x1": chosen, "yref": "paper", "y0": 0, "y1": 1, "line": line}
        ]
    ends = [np.log10(min(ms)) - 0.06, np.log10(max(ms)) + 0.06]
    ticks = {"tickvals": list(ms), "ticktext": [str(m) for m in ms], "minor": {"ticks": ""}}
    return frame(
        traces,
        theme,
        title,
        subtitle,
        500,
        xaxis=axis(f"landmarks or {counted} m", theme, type="log", range=ends, **ticks),
        yaxis=axis(score, theme, range=[low, high]),
        showlegend=True,
        legend={**legend_below(), "font": {"size": 12}},
        margin={"l": 62, "r": 12, "t": 62, "b": LEGEND_PIXELS},
        shapes=shapes,
    )


def _limits(
    curves: Sequence[Curve], exact: tuple[float, float] | None, scale: float, percent: bool
) -> tuple[float, float]:
    values = [
        mean + s * spread
        for c in curves
        for mean, spread in zip(c.means, c.deviations, strict=True)
        for s in (-1.0, 1.0)
    ]
    values += [exact[0]] if exact is not None else []
    if not values:
        return 0.0, scale
    low, high = scale * min(values), scale * max(values)
    margin = 0.09 * (high - low) or 0.05 * abs(high) or 1.0
    # Shares and squares have ends that no band should cross.
    return max(0.0, low - margin), min(100.5, high + margin) if percent else high + margin


def _with_band(curve: Curve, theme: Theme, scale: float, most: float) -> list[Layer]:
    """The mean with one deviation around it, which ends at the largest possible score and at 0."""
    means, spread = scale * np.asarray(curve.means), scale * np.asarray(curve.deviations)
    hue, label = colour(curve.method, theme), inert(curve.label)
    red, green, blue = (int(hue[i : i + 2], 16) for i in (1, 3, 5))
    band = scatter(
        x=[*curve.ms, *reversed(curve.ms)],
        y=np.concatenate([np.minimum(means + spread, most), np.maximum(means - spread, 0.0)[::-1]]),
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.14)",
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        name=f"band of {label}",
    )
    told = [
        f"{label}, m = {m}, {columns} columns<br>{three_digits(mean)} ± {three_digits(around)}, "
        f"{trials} trial{'s' if trials != 1 else ''}"
        for m, columns, mean, around, trials in zip(
            curve.ms, curve.columns, means, spread, curve.trials, strict=True
        )
    ]
    line = scatter(
        x=list(curve.ms),
        y=means,
        name=label,
        text=told,
        hovertemplate="%{text}<extra></extra>",
        **stroke(curve.method, theme),
    )
    return [band, line]


def _marks(ahead: Mapping[int, str], height: float, theme: Theme) -> list[Layer]:
    """A triangle at each m with a significant difference, one trace for each method that is ahead."""
    traces = []
    for method in dict.fromkeys(ahead.values()):
        at = [m for m, winner in ahead.items() if winner == method]
        traces.append(
            scatter(
                x=at,
                y=[height] * len(at),
                mode="markers",
                marker={
                    "symbol": "triangle-up",
                    "size": 11,
                    "color": colour(method, theme),
                    "line": {"color": theme.ground, "width": 1},
                },
                name=f"{method} significantly ahead",
                hovertemplate="m = %{x}: significantly ahead at 95 %<extra></extra>",
                showlegend=False,
            )
        )
    return traces
