"""How the bandwidth moves the spectrum: frames that play in the browser, and the gap at each bandwidth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.drawing import played, scatter
from nysviz.figures.look import Theme, axis, drawn, frame
from nysviz.figures.spectra import ranks_drawn
from nysviz.figures.strip import slider
from nysviz.spectrum.gaps import Gap
from nysviz.text import three_digits

# Ranks of a frame, and decades below 1 that are shown.
FRAME_RANKS = 90
DECADES = 12
# The words at the gap take so many of them.
WORDS_DECADES = 3


def bandwidth_chart(
    multiples: Sequence[float],
    spectra: Sequence[FloatArray],
    gaps: Sequence[Gap],
    dimensions: Sequence[float],
    start: int,
    theme: Theme,
    title: str,
    subtitle: str,
    height: int = 640,
) -> go.Figure:
    """Spectrum above, the largest gap against the bandwidth below, and a slider whose steps are frames.

    Parameters
    ----------
    multiples : sequence of float
        Bandwidths σ as multiples of the default one, ascending.
    spectra : sequence of (s,) arrays
        λ_i/s for each.
    gaps, dimensions : sequences
        The largest gap and the effective dimension of each.
    start : int
        The step shown first.
    """
    top = max(float(values[0]) for values in spectra)
    low = top * 10.0**-DECADES
    count = max(len(values) for values in spectra)
    sizes = [gap.size for gap in gaps]
    parts = [_parts(*step, low, count) for step in zip(spectra, gaps, dimensions, multiples, strict=True)]
    names = [f"{multiple:.3g}" for multiple in multiples]
    ink = {"color": theme.ink, "width": 2.5}
    spot = {"size": 11, "color": theme.accent, "line": {"width": 2, "color": theme.ground}}
    curve, pair, here = parts[start]
    traces = [
        scatter(**curve, mode="lines", line=ink, hovertemplate="rank %{x}<br>λ/n = %{y:.3g}<extra></extra>"),
        scatter(
            **pair,
            mode="lines+markers+text",
            line={"color": theme.accent, "width": 3},
            marker={"color": theme.accent, "size": 8},
            textfont={"color": theme.accent},
            hoverinfo="skip",
        ),
        scatter(
            x=list(multiples),
            y=sizes,
            xaxis="x2",
            yaxis="y2",
            mode="lines",
            line=ink,
            hovertemplate="σ %{x:.3g} × default<br>largest gap %{y:.3g} n<extra></extra>",
        ),
        scatter(**here, xaxis="x2", yaxis="y2", mode="markers", marker=spot, hoverinfo="skip"),
    ]
    figure = frame(
        traces,
        theme,
        title,
        subtitle,
        height,
        xaxis=axis("rank i", theme, type="log", dtick=1, range=[-0.05, math.log10(count) + 0.05]),
        yaxis=axis(
            "λ<sub>i</sub> / n",
            theme,
            type="log",
            dtick=3,
            exponentformat="power",
            range=[math.log10(low), math.log10(top) + 2.5],
            domain=[0.4, 1],
        ),
        xaxis2=axis(
            "bandwidth σ, multiples of the default",
            theme,
            type="log",
            dtick=1,
            anchor="y2",
            range=[math.log10(multiples[0]) - 0.05, math.log10(multiples[-1]) + 0.05],
        ),
        yaxis2=axis("gap / n", theme, domain=[0, 0.22], range=[0, 1.1 * max(*sizes, 1e-12)], nticks=3),
        margin={"l": 58, "r": 14, "t": 62, "b": 92},
        sliders=[slider(names, start, theme, "σ = ", " × default")],
    )
    return played(figure, [0, 1, 3], parts, names)


def _parts(
    values: FloatArray, gap: Gap, dimension: float, multiple: float, low: float, count: int
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """What one step changes: the curve, the pair of eigenvalues at the gap with its words, the spot below."""
    # Every frame has the same ranks; what is below the picture lies on its lower edge.
    ranks = ranks_drawn(len(values), FRAME_RANKS)
    clipped = np.maximum(values, low)
    # In short lines, for narrow screens.
    words = f"gap {three_digits(gap.size)} n<br>after rank {gap.r}<br>d(λ) = {three_digits(dimension)}"
    # The curve falls: no line is above it on the right, or below it on the left, where that is room enough.
    side = "top right"
    if math.log10(gap.r) > 0.6 * math.log10(max(count, 2)):
        side = "bottom left" if clipped[gap.r - 1] > low * 10.0**WORDS_DECADES else "top left"
    return (
        {"x": ranks, "y": drawn(clipped[ranks - 1])},
        {
            "x": [gap.r, gap.r + 1],
            "y": [clipped[gap.r - 1], clipped[gap.r]],
            "text": [words, ""],
            "textposition": side,
        },
        {"x": [multiple], "y": [gap.size]},
    )
