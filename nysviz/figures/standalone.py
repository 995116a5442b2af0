"""A chart as an HTML file that holds all that it needs and fetches nothing."""

import html
import re
from typing import Any

import plotly.graph_objects as go
from plotly.io import to_html

from nysviz.figures.drawing import titles
from nysviz.figures.strip import slider_steps

CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d"],
    "responsive": True,
}
# Nothing is fetched, whatever the text of a chart says. Charts on WebGL compile their programs from text.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:"
)


def title_of(figure: go.Figure) -> str:
    """Return the title as plain text."""
    return html.unescape(re.sub(r"<[^<>]*>", "", titles(figure)[0])).strip()


def standalone(figure: go.Figure, name: str) -> str:
    """Return a chart as an HTML document of about 5 MB, with the chart library in it.

    A chart that another control plays gets a slider of its own over its frames; ``name`` is the file name of
    the PNG, twice the size on screen, that the chart's own camera saves.
    """
    drawing = figure.to_dict()
    layout = drawing["layout"]
    if drawing.get("frames") and not layout.get("sliders"):
        _add_slider(drawing)
    chart = to_html(
        drawing,
        config={**CONFIG, "toImageButtonOptions": {"format": "png", "filename": name, "scale": 2}},
        include_plotlyjs=True,
        include_mathjax=False,
        full_html=False,
        auto_play=False,
        validate=False,
    )
    ground = html.escape(layout.get("paper_bgcolor") or "white")
    # A chart made for half a page is not drawn out over a wide screen.
    width = round(2.6 * (layout.get("height") or 450))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{html.escape(title_of(figure) or name)}</title>
<style>body {{margin: 1rem auto; max-width: {width}px; background: {ground};}}</style>
</head>
<body>
{chart}
</body>
</html>
"""


def _add_slider(drawing: dict[str, Any]) -> None:
    """Give a chart that is played from outside a slider, and the room for it."""
    layout, names = drawing["layout"], [str(frame["name"]) for frame in drawing["frames"]]
    margin, current = layout["margin"], str(drawing["data"][0].get("meta"))
    layout["margin"], layout["height"] = {**margin, "b": margin["b"] + 70}, layout["height"] + 70
    layout["sliders"] = [
        {
            "active": names.index(current) if current in names else 0,
            "currentvalue": {"prefix": "step "},
            "pad": {"t": margin["b"]},
            "steps": slider_steps(names, redraw=True),
        }
    ]
