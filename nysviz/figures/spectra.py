"""Eigenvalues of K against those of its approximations, with the largest gap and the laws of decay."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray, IntArray
from nysviz.figures.drawing import Layer, scatter
from nysviz.figures.look import LEGEND_PIXELS, Theme, axis, frame, legend_below, stroke
from nysviz.spectrum.gaps import Gap, Law, above_rounding, rounding

# Ranks drawn at most, half of them evenly in log: more would not be told apart.
DRAWN_RANKS = 400
# Eigenvalues below this part of the largest one are not drawn.
VISIBLE = 1e-16
# Markers of a method: one at each rank would hide the line.
MARKERS = 8
# The axis ends so far below the gap, whose size is seen then; a wheel or a drag shows what is below.
BELOW_GAP = 1e-5
LAW_NAMES = {"power": "power law", "exponential": "exponential"}
LAW_DASHES = {"power": "dot", "exponential": "dashdot"}


def ranks_drawn(count: int, most: int = DRAWN_RANKS) -> IntArray:
    """Ranks from 1 to count that a line is drawn through: all of the first ones, then fewer and fewer."""
    if count <= most:
        return np.arange(1, count + 1)
    both = np.r_[np.geomspace(1, count, most // 2), np.linspace(1, count, most // 2)]
    return np.unique(np.round(both)).astype(np.intp)


def spectrum_chart(
    exact: FloatArray | None,
    approximations: Mapping[str, tuple[str, FloatArray]],
    n: int,
    m: int,
    theme: Theme,
    title: str,
    subtitle: str = "",
    *,
    gap: Gap | None = None,
    laws: tuple[Law, Law] | None = None,
    ridge: float | None = None,
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
    m : int
        Number of landmarks, a line upwards.
    gap : Gap or None
        The largest one, its size in the units of λ_i/n.
    laws : pair of Law or None
    ridge : float or None
        The λ of the effective dimension, a line across.
    """
    known = [values for _, values in approximations.values()] + ([] if exact is None else [exact])
    # A kernel matrix may be 0.
    top = max((float(values[0]) for values in known if len(values)), default=1.0)
    top = max(top, 1e-280)
    low = _lower_end(exact, gap, ridge, top)
    traces: list[Any] = [
        _line(values, top, stroke(method, theme), f"K̃, {label}")
        for method, (label, values) in approximations.items()
    ]
    if exact is not None:
        ink = {"mode": "lines", "line": {"color": theme.ink, "width": 2.5}}
        traces.append(_line(exact, top, ink, "K"))
        traces += [_law(law, above_rounding(exact), top, theme) for law in laws or ()]
        if gap is not None:
            above, below = float(exact[gap.r - 1]), max(float(exact[gap.r]), low)
            traces.append(_gap_line(gap.r, above, below, theme))
    shapes = [_straight("x", m, theme)]
    notes = [
        _note(f"m = {m}", theme, x=math.log10(m) if log_ranks else m, y=1.0, yref="paper", yanchor="top")
        | {"xanchor": "right" if m > 3 else "left"}
    ]
    if ridge is not None and ridge < top:
        shapes.append(_straight("y", ridge, theme))
        notes.append(_note("λ", theme, x=1, xref="paper", y=math.log10(ridge), yanchor="bottom"))
    limits = [math.log10(low) - 0.3, math.log10(top) + 0.4]
    rank_range = [-0.05, math.log10(max(n, 2)) + 0.05] if log_ranks else [-0.02 * n, 1.02 * n]
    return frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis("rank i", theme, range=rank_range, **({"type": "log", "dtick": 1} if log_ranks else {})),
        yaxis=axis(
            "eigenvalue λ<sub>i</sub> / n",
            theme,
            type="log",
            range=limits,
            exponentformat="power",
            dtick=max(1, math.ceil((limits[1] - limits[0]) / 8)),
        ),
        shapes=shapes,
        annotations=notes,
        showlegend=True,
        legend=legend_below(),
        margin={"l": 66, "r": 12, "t": 62, "b": LEGEND_PIXELS},
    )


def _lower_end(exact: FloatArray | None, gap: Gap | None, ridge: float | None, top: float) -> float:
    """End of the axis: that of K's own spectrum, or where rounding begins, or some decades below the gap."""
    low = top * VISIBLE
    if exact is not None and len(exact):
        low = max(low, rounding(exact))
        if (exact > low).any():
            low = float(exact[exact > low].min())
        if gap is not None:
            low = max(low, BELOW_GAP * float(exact[gap.r]))
    return low if ridge is None else min(low, ridge)


def _line(values: FloatArray, top: float, style: dict[str, Any], name: str) -> Layer:
    seen = values[values > VISIBLE * top]
    ranks = ranks_drawn(len(seen))
    if "marker" in style:
        style["marker"] = {**style["marker"], "maxdisplayed": MARKERS}
    return scatter(
        x=ranks,
        y=seen[ranks - 1],
        name=name,
        hovertemplate="rank %{x}<br>λ/n = %{y:.3g}<extra>%{fullData.name}</extra>",
        **style,
    )


def _law(law: Law, count: int, top: float, theme: Theme) -> Layer:
    ranks = ranks_drawn(count)
    values = law(ranks.astype(float))
    inside = (values > VISIBLE * top) & (values <= 3.0 * top)
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
        name="largest gap",
        hovertemplate="rank %{x}<br>λ/n = %{y:.3g}<extra>largest gap</extra>",
    )


def _straight(across: str, at: float, theme: Theme) -> dict[str, Any]:
    """Draw a line through the whole plot at a value of one axis."""
    other = "y" if across == "x" else "x"
    line = {"color": theme.faint, "width": 1, "dash": "dot" if across == "x" else "dash"}
    ends = {f"{across}0": at, f"{across}1": at, f"{other}0": 0, f"{other}1": 1, f"{other}ref": "paper"}
    return {"type": "line", "line": line, **ends}


def _note(text: str, theme: Theme, **place: Any) -> dict[str, Any]:
    font = {"size": 12, "color": theme.faint}
    return {"text": text, "showarrow": False, "xanchor": "right", "font": font, **place}
