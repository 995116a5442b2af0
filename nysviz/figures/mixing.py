"""Chains of swaps against their steps, from two starts: each chain thin, medians and quartiles on top."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.bands import band
from nysviz.figures.drawing import scatter
from nysviz.figures.look import LEGEND_PIXELS, Theme, axis, colour, frame, grouped, legend_below, stroke
from nysviz.steps.mixing import quartiles

# A logarithmic axis has no 0: the start stands here.
AT_START = 0.4
LABELS = {"uniform": "uniform start", "kmeanspp": "k-means++ start"}


def chain_chart(
    steps: Sequence[int],
    values: Mapping[str, FloatArray],
    quantity: str,
    rows: int,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int,
) -> go.Figure:
    """Draw one measure of the chains.

    Parameters
    ----------
    steps : sequence of int
        Ascending from 0.
    values : mapping of start to (chains, t) array
        Of the chains that are there; uniform and kmeanspp.
    quantity : str
        Name of the upright axis.
    rows : int
        n: a mark says where as many rows have been proposed as there are.
    """
    x = np.array([step or AT_START for step in steps])
    traces: list[Any] = []
    for start, runs in values.items():
        traces += _chains(steps, x, runs, start, theme)
    seen = np.concatenate([runs.ravel() for runs in values.values()])
    low, high = float(seen.min()), float(seen.max())
    room = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    last = math.log10(x[-1])
    ticks = [10**power for power in range(math.floor(last) + 1)]
    line = {"color": theme.faint, "width": 1, "dash": "dot"}
    mark = {"type": "line", "x0": rows, "x1": rows, "yref": "paper", "y0": 0, "y1": 1, "line": line}
    note = {"x": math.log10(rows), "y": 1.0, "yref": "paper", "xanchor": "right", "yanchor": "top"}
    note |= {"text": "n steps ", "showarrow": False, "font": {"size": 12, "color": theme.faint}}
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis(
            "swap steps",
            theme,
            type="log",
            range=[math.log10(AT_START) - 0.12, last + 0.12],
            tickvals=[AT_START, *ticks],
            ticktext=["start", *(grouped(tick) for tick in ticks)],
        ),
        yaxis=axis(quantity, theme, range=[low - room, high + room]),
        shapes=[mark] if rows <= steps[-1] else [],
        annotations=[note] if rows <= steps[-1] else [],
        showlegend=True,
        legend=legend_below(),
        margin={"l": 64, "r": 14, "t": 62, "b": LEGEND_PIXELS},
    )


def _chains(steps: Sequence[int], x: FloatArray, runs: FloatArray, start: str, theme: Theme) -> list[Any]:
    """Every chain, the quartiles as a band, the median with the stroke of the method that starts."""
    hue = colour(start, theme)
    low, middle, high = quartiles(runs)
    single = [
        scatter(
            x=x,
            y=run,
            mode="lines",
            line={"color": hue, "width": 1},
            opacity=0.55,
            hovertemplate=f"chain {number}<br>%{{y:.4g}}<extra>{LABELS[start]}</extra>",
            name=f"chain {number}, {LABELS[start]}",
            legendgroup=start,
            showlegend=False,
        )
        for number, run in enumerate(runs, 1)
    ]
    told = [
        f"{'start' if step == 0 else f'{step} steps'}<br>median {m:.4g}<br>quartiles {a:.4g} to {b:.4g}"
        for step, a, m, b in zip(steps, low, middle, high, strict=True)
    ]
    median = scatter(
        x=x,
        y=middle,
        text=told,
        name=LABELS[start],
        hovertemplate="%{text}<extra>%{fullData.name}</extra>",
        legendgroup=start,
        **stroke(start, theme),
    )
    return [band(x, low, high, hue, legendgroup=start), *single, median]
