"""What tells most of the Frobenius error: rank correlations of its predictors over the bandwidths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from nysviz.figures.drawing import scatter
from nysviz.figures.look import Theme, axis, frame, three_digits
from nysviz.figures.tournament import Title


def predictor_chart(
    names: Sequence[str],
    series: Mapping[str, Sequence[tuple[float, float, float]]],
    title: Title,
    theme: Theme,
    height: int = 390,
) -> go.Figure:
    """Draw mean rank correlations at each bandwidth with their 95 % intervals.

    Parameters
    ----------
    names : sequence of str
        Bandwidths, as the axis names them.
    series : mapping
        Predictor → mean, low and high end at each bandwidth; the first is drawn solid, others dashed.
    """
    looks = ((theme.ink, "solid", "circle"), (theme.accent, "dash", "square-open"))
    traces = []
    for (name, values), (hue, dash, symbol) in zip(series.items(), looks, strict=False):
        middle = np.array([value[0] for value in values])
        above = np.nan_to_num([value[2] - value[0] for value in values])
        below = np.nan_to_num([value[0] - value[1] for value in values])
        traces.append(
            scatter(
                x=list(range(len(names))),
                y=middle,
                error_y={"type": "data", "array": above, "arrayminus": below, "width": 4, "thickness": 1.5},
                mode="lines+markers",
                line={"color": hue, "dash": dash, "width": 2},
                marker={"color": hue, "symbol": symbol, "size": 8},
                name=name,
                text=[
                    f"{name} at {where} × default width: {three_digits(float(mean))}"
                    for where, mean in zip(names, middle, strict=True)
                ],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    return frame(
        traces,
        theme,
        title.text,
        title.subtitle,
        height,
        xaxis=axis(
            "width 2σ², in multiples of the default",
            theme,
            range=[-0.3, len(names) - 0.7],
            tickvals=list(range(len(names))),
            ticktext=list(names),
        ),
        yaxis=axis(
            "rank correlation with the error",
            theme,
            range=[-1.05, 1.05],
            zeroline=True,
            zerolinecolor=theme.faint,
        ),
        showlegend=True,
        legend={"x": 0.99, "y": 0.03, "xanchor": "right", "yanchor": "bottom", "bgcolor": "rgba(0,0,0,0)"},
        margin={"l": 58, "r": 12, "t": 62, "b": 48},
    )
