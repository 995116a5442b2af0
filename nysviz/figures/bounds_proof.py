"""Where the bound is lost, and property (8) with a quadruple that breaks the printed constant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import bar, scatter, with_layout
from nysviz.figures.look import Theme, axis, drawn, frame, three_digits


def narrow(figure: go.Figure) -> go.Figure:
    """Let the title begin at the chart's own edge, for a chart in a narrow column."""
    return with_layout(figure, title={"xref": "container", "x": 0.02, "font": {"size": 15}})


def ladder_chart(
    names: Sequence[str],
    explanations: Sequence[str],
    orders: FloatArray,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 320,
) -> go.Figure:
    """Draw how many orders of magnitude each step of the proof gives away, from the error up to the bound.

    Parameters
    ----------
    names, explanations : sequence of str
        Of the steps, that nearest to the error first.
    orders : (steps,) array
        log₁₀ of what each step multiplies the bound by.
    """
    base = np.concatenate([[0.0], np.cumsum(orders)[:-1]])
    largest = int(np.argmax(orders)) if len(orders) else 0
    bars = bar(
        x=orders,
        base=base,
        y=list(names),
        orientation="h",
        marker={"color": [theme.accent if k == largest else theme.faint for k in range(len(names))]},
        text=[f"{value:.2f}" for value in orders],
        textposition="outside",
        cliponaxis=False,
        customdata=list(explanations),
        hovertemplate="%{customdata}<br>%{x:.2f} orders of magnitude<extra></extra>",
    )
    figure = frame(
        [bars],
        theme,
        title,
        subtitle,
        height,
        xaxis=axis(
            "orders of magnitude above the error", theme, range=[0, 1.12 * max(float(orders.sum()), 0.1)]
        ),
        yaxis=axis("", theme, ticks="", showgrid=False),
        bargap=0.35,
        margin={"l": 118, "r": 24, "t": 62, "b": 48},
    )
    return narrow(figure)


def property_chart(
    curve: tuple[FloatArray, FloatArray],
    points: tuple[FloatArray, FloatArray],
    derived: float,
    printed: float,
    violating: tuple[float, float],
    axes: tuple[str, str],
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 320,
) -> go.Figure:
    """Draw the ratio of property (8) with both constants as lines and the violating quadruple on it.

    Parameters
    ----------
    curve : ((k,) array, (k,) array)
        The largest ratio that small moves reach, by where the pair of points is.
    points : ((q,) array, (q,) array)
        Ratios of quadruples from the data.
    derived, printed : float
        The constants, in the unit of the ratio.
    violating : (x, ratio)
    axes : (str, str)
    """
    span = float(curve[0].max()) or 1.0
    seen = points[0] <= span
    traces = [
        scatter(
            x=drawn(points[0][seen]),
            y=drawn(points[1][seen]),
            mode="markers",
            marker={"size": 4, "color": theme.faint, "opacity": 0.6},
            name="points and their landmarks",
            hovertemplate="ratio %{y:.3g}<extra>two points and their landmarks</extra>",
        ),
        scatter(
            x=drawn(curve[0]),
            y=drawn(curve[1]),
            mode="lines",
            line={"color": theme.accent, "width": 2},
            name="largest for small moves",
            hovertemplate="at most %{y:.3g}<extra></extra>",
        ),
        scatter(
            x=[violating[0]],
            y=[violating[1]],
            mode="markers",
            marker={"size": 12, "symbol": "x", "color": theme.ink},
            name="the quadruple in the words below",
            hovertemplate="ratio %{y:.4g}<extra>quadruple</extra>",
        ),
    ]
    top = 1.18 * max(derived, float(curve[1].max()), printed if printed < 3 * derived else 0.0)
    lines = [(derived, "derived", "solid"), (printed, "printed", "dash")]
    if not 0 < top < np.inf:
        top = 1.0
    figure = frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis(axes[0], theme, range=[0, span]),
        yaxis=axis(axes[1], theme, range=[0, top]),
        shapes=[
            {
                "type": "line",
                "x0": 0,
                "x1": 1,
                "xref": "paper",
                "y0": level,
                "y1": level,
                "line": {"color": theme.ink, "width": 1.2, "dash": dash},
            }
            for level, _, dash in lines
        ],
        annotations=[
            {
                "x": 1,
                "xref": "paper",
                "y": level,
                "text": f"{name} {three_digits(level)}",
                "showarrow": False,
                "xanchor": "right",
                "yanchor": "bottom",
                "font": {"size": 12, "color": theme.ink},
            }
            for level, name, _ in lines
            if level <= top
        ],
    )
    return narrow(figure)
