"""Chains of swaps against their steps, from two starts: each chain thin, medians and quartiles on top."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import scatter
from nysviz.figures.look import Sheet, Theme, axis, colour, frame, grouped, stroke
from nysviz.figures.traces import band, line, note, upright

# A logarithmic axis has no 0: the start stands here.
AT_START = 0.4
LABELS = {"uniform": "uniform start", "kmeanspp": "k-means++ start"}


def chain_chart(
    steps: Sequence[int],
    values: Mapping[str, FloatArray],
    quantity: str,
    rows: int,
    sheet: Sheet,
    height: int,
) -> go.Figure:
    """Draw one measure of the chains, start → (chains, t), by steps, with a mark where these are n."""
    theme, x = sheet.theme, np.array([step or AT_START for step in steps])
    traces = [trace for start, runs in values.items() for trace in _chains(steps, x, runs, start, theme)]
    seen = np.concatenate([runs.ravel() for runs in values.values()])
    low, high = float(seen.min()), float(seen.max())
    room = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    last = math.log10(x[-1])
    ticks = [10**power for power in range(math.floor(last) + 1)]
    is_marked = rows <= steps[-1]
    mark = note("n steps ", theme.faint, math.log10(rows), 1.0, "y", xanchor="right", yanchor="top")
    return frame(
        traces,
        *sheet,
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
        shapes=[upright(rows, theme.faint)] if is_marked else [],
        annotations=[mark] if is_marked else [],
        below=True,
        margin={"l": 64, "r": 14},
    )


def _chains(steps: Sequence[int], x: FloatArray, runs: FloatArray, start: str, theme: Theme) -> list[Any]:
    """Every chain, the quartiles as a band, the median with the stroke of the method that starts."""
    hue, label = colour(start, theme), LABELS[start]
    low, middle, high = np.quantile(runs, (0.25, 0.5, 0.75), axis=0)
    group = {"legendgroup": start}
    thin: dict[str, Any] = {"width": 1, "opacity": 0.55, "showlegend": False, **group}
    single = []
    for number, run in enumerate(runs, 1):
        hover = f"chain {number}<br>%{{y:.4g}}<extra>{label}</extra>"
        single.append(line(x, run, hue, f"chain {number}, {label}", hover, **thin))
    texts = [
        f"{'start' if step == 0 else f'{step} steps'}<br>median {m:.4g}<br>quartiles {a:.4g} to {b:.4g}"
        for step, a, m, b in zip(steps, low, middle, high, strict=True)
    ]
    hover = "%{text}<extra>%{fullData.name}</extra>"
    style = stroke(start, theme)
    median = scatter(x=x, y=middle, text=texts, name=label, hovertemplate=hover, **group, **style)
    return [band(x, low, high, hue, **group), *single, median]
