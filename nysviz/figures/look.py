"""The one visual language: a fixed colour, dash and marker for each method, and the frame of every chart."""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from plotly.colors import get_colorscale, hex_to_rgb

from nysviz.figures.drawing import Layer, PlainFigure, heatmap, titles
from nysviz.landmarks import METHODS
from nysviz.text import signed

DECADES = 2.0  # a log axis of fewer decades has round numbers


def short_log_ticks(settings: dict[str, Any]) -> dict[str, Any]:
    """Return ticks of a log axis of less than two decades, or with fewer than two ticks of its own."""
    span, step = settings.get("range"), settings.get("dtick", 1)
    if span is None or settings.get("tickvals") is not None:
        return {}
    low, high = sorted(map(float, span))
    if not isinstance(step, str):
        tick_count = math.floor(high / step + 1e-9) - math.ceil(low / step - 1e-9) + 1
        if high - low >= DECADES and tick_count >= 2:
            return {}
    return {"dtick": None, **log_ticks(low, high)}


def log_ticks(low: float, high: float, wide: float = DECADES) -> dict[str, Any]:
    """Return ticks between two exponents: 1, 2, 5 of each decade, decades on a wide axis, or even steps."""
    digits = (1.0, 2.0, 5.0) if high - low <= wide else (1.0,)
    every = 1 if len(digits) > 1 else max(1, math.ceil((high - low) / 8))
    decades = [decade for decade in range(math.floor(low), math.ceil(high) + 1) if decade % every == 0]
    ticks = [digit * 10.0**decade for decade in decades for digit in digits]
    ticks = [value for value in ticks if low - 1e-9 <= math.log10(value) <= high + 1e-9]
    if len(ticks) < 2 and high > low:
        ticks = _even_ticks(10.0**low, 10.0**high)
    return {"tickvals": ticks, "ticktext": [_as_tick(value) for value in ticks]}


def _even_ticks(low: float, high: float) -> list[float]:
    """Return two to about six multiples of 1, 2 or 5 times a power of ten between two numbers."""
    power = math.floor(math.log10(high - low))
    for step, exponent in ((2, power), (1, power), (5, power - 1), (2, power - 1)):
        unit = step * 10.0**exponent
        counts = range(math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9) + 1)
        if len(counts) >= 2:
            break
    # Rounded in decimals, so that 3 times 0.1 is written as 0.3.
    return [float(f"{count * step}e{exponent}") for count in counts]


def _as_tick(value: float) -> str:
    if 1e-3 <= value < 1e5:
        return f"{value:.12g}"
    digits, exponent = f"{value:.6e}".split("e")
    digits = digits.rstrip("0").rstrip(".")
    return f"{'' if digits == '1' else f'{digits}·'}10<sup>{int(exponent)}</sup>"


@dataclass(frozen=True)
class Theme:
    """Colours of the ground and of everything that is not a method."""

    name: str
    ground: str
    ink: str
    faint: str
    grid: str
    accent: str
    # From an exact entry (the ground's colour) to the largest residual.
    residual: tuple[str, ...]
    dark: bool
    # Type and strokes in multiples of those at a desk.
    scale: float = 1.0


class Sheet(NamedTuple):
    """The theme of a chart and its heading: the content as the title, the settings as the subtitle."""

    theme: Theme
    title: str
    subtitle: str = ""


LIGHT = Theme(
    name="light",
    ground="#FFFFFF",
    ink="#1A1A1A",
    faint="#5F6368",
    grid="#E6E6E6",
    accent="#0072B2",
    residual=("#FFFFFF", "#FBDDC9", "#EE9A78", "#C7476B", "#7A1F6B", "#2B0B3F"),
    dark=False,
)
DARK = Theme(
    name="dark",
    ground="#121212",
    ink="#F2F2F2",
    faint="#A9ADB3",
    grid="#2B3038",
    accent="#56B4E9",
    residual=("#121212", "#43185A", "#8E2B72", "#D65B73", "#F4A582", "#FDEBDD"),
    dark=True,
)
THEMES = {"light": LIGHT, "dark": DARK}
TITLE_PIXELS = 62  # margin above a chart with a title and a subtitle
# Margin below a chart with its legend there: less than the smallest legend, which makes its own room.
LEGEND_PIXELS = 60
# Kernel entries: one perceptually even ramp, the same on both grounds.
KERNEL_RAMP = [(float(at), colour) for at, colour in get_colorscale("Cividis")]

# Okabe–Ito hues by family, for the light and the dark ground.
HUES = {
    "floor": ("#1A1A1A", "#F2F2F2"),
    "sampling": ("#7A7A7A", "#A8A8A8"),
    "quantization": ("#D55E00", "#FF8A3D"),
    "pivoting": ("#0072B2", "#56B4E9"),
    "adaptive": ("#009E73", "#3CCFA4"),
    "leverage": ("#AA4499", "#DD8FCB"),
    "determinantal": ("#B58900", "#F0C75E"),
    "random features": ("#882255", "#D4709B"),
}

# Family, dash and marker: those of the methods, of the variants that table 3 of Zhang tells apart, and of the
# schemes of Oglic: a start of a chain of swaps has its dash and marker, and many steps a hollow one.
_EACH: dict[str, tuple[str, str, str | None]] = {
    **{name: (method.family, *method.stroke) for name, method in METHODS.items()},
    "kmeans_keep": ("quantization", "longdash", "square-cross-open"),
    "icd_first": ("pivoting", "longdashdot", "triangle-down-open"),
    "leverage_approx_10m": ("leverage", "longdash", "star-diamond"),
    "dpp_10000": ("determinantal", "dash", "hexagon2-open"),
    "dpp_kmeanspp": ("determinantal", "dot", "hexagram"),
    "dpp_kmeanspp_10000": ("determinantal", "dashdot", "hexagram-open"),
}
_FAMILIES = [method.family for method in METHODS.values()]
# In the order of legends, which group by family.
STROKES = dict(sorted(_EACH.items(), key=lambda entry: _FAMILIES.index(entry[1][0])))

# Paul Tol's "muted" set and a grey, for the light and the dark ground: told apart with any colour vision, and
# none of them the colour of a method.
CLASS_HUES = (
    ("#332288", "#9A8CFF"),
    ("#88CCEE", "#88CCEE"),
    ("#44AA99", "#44AA99"),
    ("#117733", "#4CC76E"),
    ("#999933", "#B5B54A"),
    ("#DDCC77", "#DDCC77"),
    ("#CC6677", "#E58594"),
    ("#882255", "#D4609A"),
    ("#AA4499", "#CF6FC0"),
    ("#7A7A7A", "#C8C8C8"),
)
CLASS_SYMBOLS = ("circle", "diamond", "square", "cross", "x")


def enlarged(theme: Theme, scale: float = 1.5) -> Theme:
    """Return the theme with type and strokes that can be read from the last row."""
    return replace(theme, name=f"{theme.name}, {scale:g} times", scale=scale)


def colour(method: str, theme: Theme) -> str:
    """Return the method's colour on this ground."""
    return HUES[STROKES[method][0]][theme.dark]


def class_mark(code: int, theme: Theme) -> tuple[str, str]:
    """Return colour and symbol of a class; from the eleventh on colours repeat with another symbol."""
    again, place = divmod(code, len(CLASS_HUES))
    return CLASS_HUES[place][theme.dark], CLASS_SYMBOLS[again % len(CLASS_SYMBOLS)]


def stroke(method: str, theme: Theme) -> dict[str, Any]:
    """Return line and marker of a method, as keywords of a scatter trace."""
    _, dash, symbol = STROKES[method]
    hue = colour(method, theme)
    style: dict[str, Any] = {"line": {"color": hue, "dash": dash, "width": 2}, "mode": "lines"}
    if symbol is not None:
        style["mode"] = "lines+markers"
        style["marker"] = {"color": hue, "symbol": symbol, "size": 7, "line": {"color": hue, "width": 1}}
    return style


def axis(title: str, theme: Theme, **settings: Any) -> dict[str, Any]:
    """Return a thin axis with a title, and at least two labelled ticks if it is logarithmic with a range."""
    if settings.get("type") == "log":
        settings |= short_log_ticks(settings)
    else:
        # Powers of ten are written at each number, and only where it would be long.
        settings = {"exponentformat": "power", "minexponent": 4, "separatethousands": True, **settings}
    return {
        "title": {"text": title, "font": {"size": 13}, "standoff": 8},
        "gridcolor": theme.grid,
        "zeroline": False,
        "linecolor": theme.faint,
        "showline": True,
        "ticks": "outside",
        "tickcolor": theme.faint,
        "ticklen": 4,
        "tickfont": {"size": 12},
        **settings,
    }


def log_ticked_axis(
    title: str, theme: Theme, low: float, high: float, wide: float, **settings: Any
) -> dict[str, Any]:
    """Return a log axis between two exponents, with numbers at 1, 2 and 5 up to ``wide`` decades."""
    ticks = log_ticks(float(low), float(high), wide)
    return axis(title, theme, type="log", range=[float(low), float(high)], **ticks, **settings)


def frame(
    traces: Sequence[Any],
    sheet: Sheet,
    height: int,
    *,
    margin: Mapping[str, int] = MappingProxyType({}),
    below: bool = False,
    **layout: Any,
) -> PlainFigure:
    """Return a figure of traces with the heading of the sheet.

    Sizes are those at a desk; a theme with a ``scale`` enlarges the type of all parts, and the strokes less.
    ``margin`` has the sides that differ from the usual ones; ``below`` is for a legend below the chart.
    """
    theme, title, subtitle = sheet
    # Fixed margins: letting the chart find its own costs several rounds of drawing.
    usual = {"l": 58, "r": 12, "t": TITLE_PIXELS if subtitle else 40, "b": LEGEND_PIXELS if below else 48}
    corner = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "container", "yanchor": "top"}
    heading = {
        "text": title,
        "font": {"size": 16, "color": theme.ink},
        "subtitle": {"text": subtitle, "font": {"size": 12, "color": theme.faint}},
        **corner,
        "pad": {"t": 8},
    }
    whole = {
        "title": heading,
        "height": height,
        "margin": {**usual, **margin},
        "paper_bgcolor": theme.ground,
        "plot_bgcolor": theme.ground,
        "font": {"color": theme.ink, "family": "'Source Sans', sans-serif", "size": 13},
        "hoverlabel": {"font": {"size": 13}},
        "showlegend": below,
        **({"legend": legend_below()} if below else {}),
        "dragmode": "zoom",
        # Thousands in sentences and on axes alike.
        "separators": ".\N{NARROW NO-BREAK SPACE}",
        **layout,
    }
    drawing = PlainFigure(traces, whole)
    return _grown(drawing, theme.scale) if theme.scale != 1 else drawing


def _grown(drawing: PlainFigure, scale: float) -> PlainFigure:
    """Enlarge type, margins and height of a chart, and its strokes half as much."""
    traces, layout, _ = drawing.plain()
    margin = dict(layout["margin"])
    if titles(drawing)[0]:
        # The title stands above the chart, as text that breaks into lines; headings of parts stay.
        margin["t"] = max(14, margin["t"] - (TITLE_PIXELS - 14))
    grown = grow({name: part for name, part in layout.items() if name != "template"}, scale)
    grown["height"] = round(layout["height"] * scale)
    grown["margin"] = {side: round(scale * pixels) for side, pixels in margin.items()}
    for trace in traces:
        trace |= {
            part: grow(trace[part], scale, part) for part in ("textfont", "line", "marker") if part in trace
        }
    return PlainFigure(traces, grown)


def grow(part: Any, scale: float, name: str = "", inside: str = "") -> Any:
    """Return a part of a figure with larger type, and with lines and markers enlarged half as much."""
    if isinstance(part, dict):
        return {key: grow(value, scale, key, name) for key, value in part.items()}
    if isinstance(part, (list, tuple)) and part and isinstance(part[0], dict):
        return [grow(item, scale, name) for item in part]
    if isinstance(part, (int, float)) and not isinstance(part, bool):
        # With its padding a slider keeps off the name of the axis above it.
        if inside == "pad" or (name == "size" and inside.endswith("font")):
            return scale * part
        if name in ("size", "width") and inside in ("marker", "line"):
            return (1 + (scale - 1) / 2) * part
    return part


def legend_below() -> dict[str, Any]:
    """Place a legend below the x axis, with the axis's numbers and name above its entries.

    An empty title keeps the 46 pixels that the axis needs, at 1.3 pixels a line of type of size 1; the
    picture has what the lines of entries leave of the height.
    """
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "maxheight": 0.7,
        "title": {"text": "\N{NO-BREAK SPACE}", "side": "top", "font": {"size": 46 / 1.3}},
        "bgcolor": "rgba(0,0,0,0)",
    }


def faded(hue: str, opacity: float) -> str:
    """Return a colour #RRGGBB that lets the ground through."""
    red, green, blue = hex_to_rgb(hue)
    return f"rgba({red},{green},{blue},{opacity})"


def ramp(colours: tuple[str, ...]) -> list[tuple[float, str]]:
    """Return an evenly spaced colour scale."""
    return [(i / (len(colours) - 1), c) for i, c in enumerate(colours)]


def ramp_bar(
    limits: tuple[float, float], colours: str | list[tuple[float, str]], theme: Theme, *, upright: bool
) -> tuple[Layer, dict[str, Any]]:
    """Draw the key of a colour scale as a picture on axes of its own, x9 and y9.

    Plotly's own colour bar is made of some 250 shapes and takes longer to draw than the chart beside it.
    """
    low, high = limits if limits[1] > limits[0] else (limits[0], limits[0] + 1.0)
    values, middle = narrow_floats(np.linspace(low, high, 64)), (low + high) / 2
    place = {"x0": 0, "dx": 1, "y": values} if upright else {"x": values, "y0": 0, "dy": 1}
    entries = values[:, None] if upright else values[None, :]
    look = {"zmin": low, "zmax": high, "colorscale": colours, "showscale": False, "hoverinfo": "skip"}
    key = heatmap(z=entries, xaxis="x9", yaxis="y9", **look, **place)
    scale = {
        "tickvals": [low, middle, high],
        "ticktext": [signed(value) for value in (low, middle, high)],
        "tickfont": {"size": 11, "color": theme.faint},
        "showgrid": False,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 3,
        "tickcolor": theme.faint,
        "fixedrange": True,
        "range": [low, high],
    }
    bare = {"visible": False, "fixedrange": True}
    if upright:
        scale |= {"domain": [0.1, 0.9], "anchor": "x9", "side": "right"}
        return key, {"xaxis9": {**bare, "domain": [0.975, 0.99], "anchor": "y9"}, "yaxis9": scale}
    scale |= {"domain": [0, 1], "anchor": "y9"}
    return key, {"xaxis9": scale, "yaxis9": {**bare, "domain": [0, 0.03], "anchor": "x9"}}


def inert(text: str) -> str:
    """Escape a user's text: a chart would read tags, and text between dollar signs as TeX."""
    return html.escape(text, quote=False).replace("$", "&#36;")


def narrow_floats(values: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Return numbers as float32, half as long for the browser, if it keeps them distinct."""
    if not values.size:
        return values
    low, high = float(values.min()), float(values.max())
    # Close numbers far from 0, and those beyond float32's range, would become equal.
    fits = 1e-30 < high - low < 1e30 and max(-low, high) < 1e3 * (high - low)
    return values.astype(np.float32) if fits else values
