"""Bound and error against m/n."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import scatter
from nysviz.figures.look import LEGEND_PIXELS, Theme, axis, colour, frame, legend_below, stroke, three_digits

# Dash and width of what the proposition says; the measured error has the method's own stroke.
GUARANTEES = {
    "bound": ("the bound", "solid", 2.5),
    "inverse_term": ("its term with ‖W⁻¹‖", "dash", 1.5),
    "encoding_term": ("its term without", "dot", 1.5),
}
# Transparency of the bands, as two hexadecimal digits.
BAND = "33"


def bound_chart(
    percents: Sequence[float],
    values: Mapping[str, FloatArray],
    whole: float,
    method: str,
    label: str,
    here: tuple[float, float, float],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 440,
) -> go.Figure:
    """Draw measured error and bound in log scale, with quartile bands over the repeats.

    Parameters
    ----------
    percents : sequence of float
        100 m/n.
    values : mapping of measure to (len(percents), repeats) array
        frobenius, bound, encoding_term and inverse_term; NaN where a run is missing.
    whole : float
        ‖K‖_F, which no Nyström error exceeds.
    here : (percent, error, bound)
        The approximation whose numbers stand beside the chart.
    """
    style = stroke(method, theme)
    traces: list[Any] = []
    for name, (words, dash, width) in GUARANTEES.items():
        line = {"mode": "lines", "line": {"color": theme.ink, "dash": dash, "width": width}}
        traces += _banded(percents, values[name], line, theme.ink, words)
    traces += _banded(percents, values["frobenius"], style, colour(method, theme), f"measured, {label}")
    percent, error, bound = here
    traces.append(
        scatter(
            x=[percent, percent],
            y=[_positive(error), _positive(bound)],
            mode="lines+markers",
            line={"color": theme.faint, "width": 1, "dash": "dot"},
            marker={"size": 11, "symbol": "circle-open", "color": theme.ink, "line": {"width": 2}},
            hovertemplate="m/n = %{x:.3g} %<br>%{y:.3g}<extra></extra>",
            showlegend=False,
        )
    )
    seen = np.concatenate([array.ravel() for array in values.values()] + [np.array([error, bound, whole])])
    seen = seen[np.isfinite(seen) & (seen > 0)]
    low, high = (np.log10(seen.min()), np.log10(seen.max())) if len(seen) else (-1.0, 1.0)
    right = 1.04 * max(*percents, percent)
    rim = {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": whole, "y1": whole}
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis("landmarks m / n (%)", theme, range=[0, right]),
        yaxis=axis(
            "Frobenius error ‖K − K̃‖<sub>F</sub>",
            theme,
            type="log",
            range=[float(low) - 0.25, float(high) + 0.25],
            exponentformat="power",
            dtick=max(1, round((high - low) / 8)),
        ),
        shapes=[{**rim, "line": {"color": theme.faint, "width": 1.2, "dash": "longdash"}}]
        if whole > 0
        else [],
        annotations=[
            {
                "x": 1,
                "xref": "paper",
                "y": float(np.log10(whole)),
                "text": f"‖K‖<sub>F</sub> = {three_digits(whole)}: the error of K̃ = 0",
                "bgcolor": theme.ground,
                "showarrow": False,
                "xanchor": "right",
                "yanchor": "bottom",
                "font": {"size": 12, "color": theme.faint},
            }
        ]
        if whole > 0
        else [],
        showlegend=True,
        legend=legend_below(),
        margin={"l": 64, "r": 12, "t": 62, "b": LEGEND_PIXELS},
    )


def _positive(value: float) -> float | None:
    return value if value > 0 else None


def _banded(
    percents: Sequence[float], values: FloatArray, line: dict[str, Any], hue: str, words: str
) -> list[Any]:
    """A median line, with the quartiles as a band where there are repeats."""
    ready = [k for k in range(len(percents)) if np.isfinite(values[k]).any()]
    if not ready:
        return [scatter(x=[None], y=[None], name=words, **line)]
    x = [percents[k] for k in ready]
    low, middle, high = np.array(
        [np.quantile(values[k][np.isfinite(values[k])], (0.25, 0.5, 0.75)) for k in ready]
    ).T
    traces = [
        scatter(
            x=x,
            y=middle,
            name=words,
            customdata=np.stack([low, high], axis=1),
            hovertemplate="m/n = %{x:.3g} %<br>median %{y:.3g}<br>quartiles %{customdata[0]:.3g} – "
            "%{customdata[1]:.3g}<extra>%{fullData.name}</extra>",
            **line,
        )
    ]
    if (high > low).any():
        outline = scatter(
            x=[*x, *x[::-1]],
            y=[*high, *low[::-1]],
            fill="toself",
            fillcolor=hue + BAND,
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
        )
        traces.insert(0, outline)
    return traces
