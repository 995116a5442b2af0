"""Eigenvalues of K against those of several approximations, with the largest gap and the laws of decay."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.free_place import free_place
from nysviz.figures.look import Theme, axis, frame, stroke, three_digits
from nysviz.spectrum.gaps import Gap, Law, above_rounding

# Ranks drawn at most, half of them evenly in log: more would not be told apart.
DRAWN_RANKS = 400
# Eigenvalues below this part of the largest one are rounding and are not drawn.
VISIBLE = 1e-16
# Markers of a method on a linear axis; on a log axis there are two a decade.
MARKED = 8
UNSEEN = "#0000"
# Pixels: of the plot at a desk and on a phone, above and below it, of the gap's words, and of the legend.
PLOT_WIDTHS, PLOT_MARGINS = (600, 270), 110
NOTE_WIDTH, NOTE_HEIGHT = 150, 40
LEGEND_WIDTH, LEGEND_LINE = 230, 19
LAW_NAMES = {"power": "power law", "exponential": "exponential"}
LAW_DASHES = {"power": "dot", "exponential": "dashdot"}


def ranks_drawn(count: int, most: int = DRAWN_RANKS) -> IntArray:
    """Ranks from 1 to count that a line is drawn through: all of the first ones, then fewer and fewer."""
    if count <= most:
        return np.arange(1, count + 1)
    both = np.r_[np.geomspace(1, count, most // 2), np.linspace(1, count, most // 2)]
    return np.unique(np.round(both)).astype(np.intp)


def compared_chart(
    exact: FloatArray | None,
    approximations: Mapping[str, tuple[str, FloatArray]],
    n: int,
    gap: Gap | None,
    laws: tuple[Law, Law] | None,
    ridge: float,
    theme: Theme,
    title: str,
    subtitle: str = "",
    *,
    log_ranks: bool = True,
    height: int = 560,
) -> go.Figure:
    """Draw λ_i/n in log scale against the rank i.

    Parameters
    ----------
    exact : (k,) array or None
        λ_i/n of K, descending; None while they are being computed.
    approximations : mapping
        Method → (label, λ_i/n of its K̃).
    n : int
        Largest rank of the axis.
    gap : Gap or None
        The one that the arrow points at, its size in the units of λ_i/n.
    laws : pair of Law or None
    ridge : float
        The λ of the effective dimension, a line across.
    """
    known = [values for _, values in approximations.values()] + ([] if exact is None else [exact])
    top = max((float(values[0]) for values in known if len(values) and values[0] > 0), default=1.0)
    low = top * VISIBLE
    if exact is not None and (exact > low).any():
        low = max(low, float(exact[exact > low].min()))
    traces: list[Any] = [
        _line(values, low, stroke(method, theme), f"K̃, {label}", log_ranks)
        for method, (label, values) in approximations.items()
    ]
    if exact is not None:
        ink = {"mode": "lines", "line": {"color": theme.ink, "width": 2.5}}
        traces.append(_line(exact, low, ink, "K, exact", log_ranks))
        traces += [_law(law, above_rounding(exact), low, top, theme) for law in laws or ()]
    notes = [_ridge_note(ridge, theme)] if low < ridge < top else []
    if gap is not None and exact is not None:
        below = max(float(exact[gap.r]), low)
        traces.append(_gap_line(gap.r, float(exact[gap.r - 1]), below, theme))
    limits = [math.log10(low) - 0.3, math.log10(top) + 0.4]
    if log_ranks:
        limits[0] = _above_legend(known, low, n, limits, len(traces))
    rank_range = [-0.05, math.log10(max(n, 2)) + 0.05] if log_ranks else [-0.02 * n, 1.02 * n]
    if gap is not None and exact is not None:
        ends = rank_range, limits
        middle = math.sqrt(float(exact[gap.r - 1]) * below)
        notes.append(_gap_note(gap, middle, traces, ridge, ends, log_ranks, height, theme))
    ranks = {"type": "log", "dtick": 1, "range": rank_range} if log_ranks else {"range": rank_range}
    corner = (0.01, 0.01, "left", "bottom") if log_ranks else (0.99, 0.99, "right", "top")
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis("rank i", theme, **ranks),
        yaxis=axis(
            "eigenvalue λ<sub>i</sub> / n",
            theme,
            type="log",
            range=limits,
            exponentformat="power",
            dtick=max(1, math.ceil((limits[1] - limits[0]) / 8)),
        ),
        shapes=[_across(ridge, theme)] if low < ridge < top else [],
        annotations=notes,
        showlegend=True,
        legend={
            "x": corner[0],
            "y": corner[1],
            "xanchor": corner[2],
            "yanchor": corner[3],
            "bgcolor": "rgba(0,0,0,0)",
        },
    )


def _above_legend(known: list[FloatArray], low: float, n: int, limits: list[float], entries: int) -> float:
    """Lower end of the axis that keeps the lines of the first ranks above the legend in the corner."""
    count = max(1, round(math.sqrt(n)))
    ends = [float(values[min(count, len(values)) - 1]) for values in known if len(values)]
    least = math.log10(min((max(end, low) for end in ends), default=low))
    taken = min(0.6, 0.05 * entries)
    return min(limits[0], limits[1] - (limits[1] - least) / (1.0 - taken))


def ranks_marked(ranks: IntArray, log_ranks: bool) -> np.ndarray:
    """Which of the ranks that a line is drawn through have the method's marker: first, last and a few."""
    if not len(ranks):
        return np.zeros(0, dtype=bool)
    last = int(ranks[-1])
    wanted = [factor * 10**power for power in range(len(str(last))) for factor in (1, 3)]
    if not log_ranks:
        wanted = list(np.linspace(1, last, MARKED))
    nearest = [int(np.abs(ranks - rank).argmin()) for rank in (*wanted, last)]
    marked: np.ndarray = np.isin(np.arange(len(ranks)), nearest)
    return marked


def _line(values: FloatArray, low: float, style: dict[str, Any], name: str, log_ranks: bool) -> Layer:
    seen = values[values >= low]
    ranks = ranks_drawn(len(seen))
    if "marker" in style:
        # A marker at each rank would hide the line. The legend takes the first colour, and the mean of sizes.
        marked = ranks_marked(ranks, log_ranks)
        hues = [style["line"]["color"] if shown else UNSEEN for shown in marked]
        style["marker"] = {**style["marker"], "color": hues, "line": {"color": hues, "width": 1}}
    return scatter(
        x=ranks,
        y=seen[ranks - 1],
        name=name,
        hovertemplate="rank %{x}<br>λ/n = %{y:.3g}<extra>%{fullData.name}</extra>",
        **style,
    )


def _law(law: Law, count: int, low: float, top: float, theme: Theme) -> Layer:
    ranks = ranks_drawn(count)
    values = law(ranks.astype(float))
    inside = (values >= low) & (values <= 3.0 * top)
    return scatter(
        x=ranks[inside],
        y=values[inside],
        mode="lines",
        line={"color": theme.faint, "width": 1.3, "dash": LAW_DASHES[law.kind]},
        name=f"{LAW_NAMES[law.kind]}, R² {law.explained:.3f}",
        hovertemplate="rank %{x}<br>%{y:.3g}<extra>%{fullData.name}</extra>",
    )


def _gap_line(r: int, above: float, below: float, theme: Theme) -> Layer:
    return scatter(
        x=[r, r + 1],
        y=[above, below],
        mode="lines+markers",
        line={"color": theme.accent, "width": 3},
        marker={"color": theme.accent, "size": 8},
        showlegend=False,
        hovertemplate="rank %{x}<br>λ/n = %{y:.3g}<extra>largest gap</extra>",
    )


def _gap_note(
    gap: Gap,
    middle: float,
    traces: list[Layer],
    ridge: float,
    ends: tuple[list[float], list[float]],
    log_ranks: bool,
    height: int,
    theme: Theme,
) -> dict[str, Any]:
    """Name the gap where no line is, with an arrow to its middle."""
    # Annotations on a log axis are placed by the logarithm.
    x = 0.5 * (math.log10(gap.r) + math.log10(gap.r + 1)) if log_ranks else gap.r + 0.5
    y = math.log10(middle)
    # In two lines, for narrow screens.
    text = f"largest gap {three_digits(gap.size)} n,<br>after rank {gap.r}"
    plot = (height - PLOT_MARGINS) * theme.scale
    entries = sum(trace.get("showlegend", True) for trace in traces)
    key = (LEGEND_WIDTH * theme.scale, LEGEND_LINE * entries * theme.scale + 10)
    sheets = [(width, plot) for width in PLOT_WIDTHS]
    # The legend's corner, on the narrow screen the larger part.
    wide, high = (min(1.0, key[0] / sheets[0][0]), min(1.0, key[1] / plot))
    corner = (0.0, wide, 0.0, high) if log_ranks else (1.0 - wide, 1.0, 1.0 - high, 1.0)
    lines = [
        (_part(trace["x"], ends[0], log_ranks), _part(trace["y"], ends[1], True))
        for trace in traces
        if len(trace["x"])
    ]
    if ends[1][0] < math.log10(ridge) < ends[1][1]:
        lines.append((np.array([0.0, 1.0]), np.repeat(_part([ridge], ends[1], True), 2)))
    point = float(_part([x], ends[0], False)[0]), float(_part([y], ends[1], False)[0])
    words = (NOTE_WIDTH * theme.scale, NOTE_HEIGHT * theme.scale)
    right, down, side = free_place(lines, point, words, sheets, [corner])
    return {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": True,
        "arrowhead": 2,
        "arrowcolor": theme.accent,
        "ax": right,
        "ay": down,
        "xanchor": side,
        "yanchor": "middle",
        "align": "left",
        "font": {"size": 13, "color": theme.accent},
        "borderpad": 2,
    }


def _part(values: Any, ends: list[float], log: bool) -> FloatArray:
    """Values as parts of an axis with these ends."""
    seen = np.asarray(values, dtype=float)
    part: FloatArray = ((np.log10(seen) if log else seen) - ends[0]) / (ends[1] - ends[0])
    return part


def _across(height: float, theme: Theme) -> dict[str, Any]:
    line = {"color": theme.faint, "width": 1, "dash": "dash"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": height, "y1": height, "line": line}


def _ridge_note(ridge: float, theme: Theme) -> dict[str, Any]:
    return {
        "xref": "paper",
        "x": 1,
        "y": math.log10(ridge),
        "text": "λ",
        "showarrow": False,
        "xanchor": "right",
        "yanchor": "bottom",
        "font": {"size": 13, "color": theme.faint},
    }
