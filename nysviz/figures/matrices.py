"""K, K̃ and |K − K̃| as pictures in one shared order of the rows."""

import plotly.graph_objects as go

from nysviz.figures.drawing import heatmap
from nysviz.figures.look import KERNEL_RAMP, Sheet, frame, narrow_floats, ramp, ramp_bar
from nysviz.numerics.blocks import FloatArray, IntArray


def matrix_picture(
    entries: FloatArray,
    rows: IntArray,
    limits: tuple[float, float],
    sheet: Sheet,
    *,
    magnitude: bool = False,
    height: int = 290,
) -> go.Figure:
    """Draw entries (s, s) of these rows; the scale of a ``magnitude`` begins at the ground's colour."""
    colours = ramp(sheet.theme.residual) if magnitude else KERNEL_RAMP
    key, key_axes = ramp_bar(limits, colours, sheet.theme, upright=False)
    names = [f"row {row}" for row in rows]
    look = {"zmin": limits[0], "zmax": limits[1], "colorscale": colours, "showscale": False}
    hover = "%{y}, %{x}<br>%{z:.3g}<extra></extra>"
    trace = heatmap(z=narrow_floats(entries), x=names, y=names, hovertemplate=hover, **look)
    hidden = {"visible": False, "constrain": "domain", "type": "category"}
    yaxis = {**hidden, "autorange": "reversed", "scaleanchor": "x", "domain": [0.07, 1]}
    margin = {"l": 8, "r": 14, "t": 54, "b": 24}
    return frame([trace, key], sheet, height, xaxis=hidden, yaxis=yaxis, **key_axes, margin=margin)
