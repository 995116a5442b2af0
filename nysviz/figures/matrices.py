"""K, K̃ and |K − K̃| as pictures in one shared order of the rows."""

from __future__ import annotations

import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.drawing import heatmap
from nysviz.figures.look import KERNEL_RAMP, Theme, drawn, frame, ramp, ramp_bar


def matrix_picture(
    entries: FloatArray,
    rows: IntArray,
    limits: tuple[float, float],
    theme: Theme,
    title: str,
    subtitle: str = "",
    *,
    magnitude: bool = False,
    height: int = 290,
) -> go.Figure:
    """Draw the entries of some rows and the same columns of a matrix.

    Parameters
    ----------
    entries : (s, s) array
    rows : (s,) array
        The row numbers in the data set, in the order drawn.
    limits : (low, high)
        Ends of the colour scale, shared by K and K̃.
    magnitude : bool
        Use the ramp that is the ground's own colour at 0, for |K − K̃|.
    """
    colours = ramp(theme.residual) if magnitude else KERNEL_RAMP
    key, key_axes = ramp_bar(limits, colours, theme, upright=False)
    names = [f"row {row}" for row in rows]
    trace = heatmap(
        z=drawn(entries),
        zmin=limits[0],
        zmax=limits[1],
        colorscale=colours,
        showscale=False,
        x=names,
        y=names,
        hovertemplate="%{y}, %{x}<br>%{z:.3g}<extra></extra>",
    )
    hidden = {"visible": False, "constrain": "domain", "type": "category"}
    return frame(
        [trace, key],
        theme,
        title,
        subtitle,
        height,
        xaxis=hidden,
        yaxis={**hidden, "autorange": "reversed", "scaleanchor": "x", "domain": [0.07, 1]},
        **key_axes,
        margin={"l": 8, "r": 14, "t": 54 if subtitle else 34, "b": 24},
    )
