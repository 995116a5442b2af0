"""The charts of the findings: ratios of errors and shares of runs, with their intervals, and advice."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from nysviz.figures.drawing import Layer
from nysviz.figures.look import STROKES, Sheet, axis, class_mark, colour, frame
from nysviz.figures.tournament import MethodCell, method_map
from nysviz.figures.traces import level, line
from nysviz.landmarks import METHODS
from nysviz.papers.findings.decision import CLOSE, MethodAdvice
from nysviz.papers.findings.learner_losses import LossShare, group_label
from nysviz.papers.findings.numbers import DecayGain, GapRatio, Mean, RowRatio
from nysviz.text import counted, three_digits

# Beside the methods of a pair of findings.PAIRS.
PAIR_LOOKS = ("greedy", "rpcholesky", None)
# A ratio's axis often has less than a decade.
RATIO_TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20, 30, 50, 100)


def gain_chart(gains: Sequence[DecayGain], choice: str, decays: Sequence[str], sheet: Sheet) -> go.Figure:
    """Draw the gain of a choice over uniform sampling against m/n, a line for each decay."""
    lines = {
        label: {f"{gain.percent:g}": gain.gains[choice] for gain in gains if gain.decay == decay}
        for decay, label in enumerate(decays)
    }
    return _ratio_chart(lines, "landmarks m / n (%)", "error of uniform sampling / error", sheet)


def gap_chart(ratios: Sequence[GapRatio], sheet: Sheet) -> go.Figure:
    """Draw the test error of random features over Nyström's against the columns, a line for each eigengap."""
    lines = {
        f"eigengap {three_digits(gap)} n": {
            str(ratio.columns): ratio.ratio for ratio in ratios if ratio.gap == gap
        }
        for gap in dict.fromkeys(ratio.gap for ratio in ratios)
    }
    return _ratio_chart(lines, "columns", "test error / that of Nyström features", sheet)


def row_chart(ratios: Sequence[RowRatio], widths: Mapping[float, str], sheet: Sheet) -> go.Figure:
    """Draw errors of rows over those of landmarks that are not rows against the bandwidth."""
    lines = {
        pair: {widths[ratio.multiple]: ratio.ratio for ratio in ratios if ratio.pair == pair}
        for pair in dict.fromkeys(ratio.pair for ratio in ratios)
    }
    x_title = "bandwidth (σ: the default)"
    return _ratio_chart(lines, x_title, "error of rows / error", sheet, PAIR_LOOKS)


def _ratio_chart(
    lines: Mapping[str, Mapping[str, Mean]],
    x_title: str,
    y_title: str,
    sheet: Sheet,
    methods: Sequence[str | None] = (),
) -> go.Figure:
    """Draw lines of ratios with intervals on a log axis.

    With ``methods`` a line has the look of its method, or that of no method for None.
    """
    theme = sheet.theme
    traces: list[Layer] = []
    for code, (name, means) in enumerate(lines.items()):
        method = methods[code] if methods else ""
        if method:
            _, dash, mark = STROKES[method]
            hue, symbol = colour(method, theme), mark or "circle"
        elif method is None:
            hue, dash, symbol = theme.ink, "dash", "circle-open"
        else:
            dash = "solid"
            hue, symbol = class_mark(code, theme)
        values = [mean.value for mean in means.values()]
        texts = [
            f"{name}, {at}: {three_digits(mean.value)} ({three_digits(mean.low)} … {three_digits(mean.high)})"
            for at, mean in means.items()
        ]
        intervals = [(mean.low, mean.high) for mean in means.values()]
        traces.append(_line_with_bars([*means], values, intervals, (hue, symbol, dash), name, texts))
    ends = [end for means in lines.values() for mean in means.values() for end in (mean.low, mean.high)]
    low, high = math.log10(min(1.0, *ends)) - 0.03, math.log10(max(1.0, *ends)) + 0.03
    xaxis = axis(x_title, theme, type="category")
    ticks = [tick for tick in RATIO_TICKS if low <= math.log10(tick) <= high]
    yaxis = axis(y_title, theme, type="log", range=[low, high], tickvals=ticks)
    return frame(traces, sheet, 440, below=True, xaxis=xaxis, yaxis=yaxis, shapes=[level(1.0, theme.faint)])


def _line_with_bars(
    at: Sequence[str],
    values: Sequence[float],
    ends: Sequence[tuple[float, float]],
    look: tuple[str, str, str],
    name: str,
    texts: Sequence[str],
) -> Layer:
    """Return a line of this colour, mark and dash through marks with intervals."""
    hue, symbol, dash = look
    bars = {
        "array": [high - value for value, (_, high) in zip(values, ends, strict=True)],
        "arrayminus": [value - low for value, (low, _) in zip(values, ends, strict=True)],
    }
    joined = line([*at], [*values], hue, name, "%{text}", dash=dash, text=[*texts])
    joined |= {"mode": "lines+markers", "marker": {"color": hue, "symbol": symbol, "size": 8}}
    return joined | {"error_y": {"type": "data", **bars, "width": 4, "thickness": 1.2}}


def loss_chart(shares: Sequence[LossShare], labels: Mapping[str, str], sheet: Sheet) -> go.Figure:
    """Draw the share of cases without loss against ‖K − K̃‖₂/λ, a line for each learner."""
    theme = sheet.theme
    traces: list[Layer] = []
    for code, (learner, label) in enumerate(labels.items()):
        mine = [share for share in shares if share.learner == learner]
        groups, values = [group_label(share) for share in mine], [100.0 * share.share.value for share in mine]
        ends = [(100.0 * low, 100.0 * high) for low, high in (share.ends for share in mine)]
        texts = [
            f"{label}, {group} times λ: {share.without_loss} of {counted(share.cases, 'case')}, in the mean "
            f"over {counted(share.sets, 'data set')} {value:.0f} % ({low:.0f} … {high:.0f})"
            for share, group, value, (low, high) in zip(mine, groups, values, ends, strict=True)
        ]
        look = (*class_mark(code, theme), ("solid", "dash")[code])
        traces.append(_line_with_bars(groups, values, ends, look, label, texts))
    # As words, they would be turned on a phone.
    ticks = {group_label(share): _short_label(share) for share in shares}
    looks: dict[str, Any] = {"tickvals": [*ticks], "ticktext": [*ticks.values()], "tickangle": 0}
    xaxis = axis("largest eigenvalue of K − K̃ / ridge λ", theme, type="category", **looks)
    yaxis = axis("cases without loss (%)", theme, range=[0, 103])
    return frame(traces, sheet, 440, below=True, xaxis=xaxis, yaxis=yaxis)


def _short_label(share: LossShare) -> str:
    if share.low == 0:
        return f"< {share.high:g}"
    return f"≥ {share.low:g}" if math.isinf(share.high) else f"{share.low:g}–{share.high:g}"


def decision_chart(
    advice: Mapping[tuple[int, float], MethodAdvice],
    decays: Sequence[str],
    costs: Mapping[float, str],
    sheet: Sheet,
) -> go.Figure:
    """Draw the method for each decay and cost of a kernel evaluation, pale where it is often not close."""
    columns, rows = [*costs], sorted({decay for decay, _ in advice})
    cells = [
        MethodCell(
            columns.index(cost),
            rows.index(decay),
            each.method,
            each.ratio <= CLOSE,
            METHODS[each.method].brief,
            f"<b>{METHODS[each.method].brief}</b>, {costs[cost]}, error of rank 0.1 n {decays[decay]}"
            f"<br>{three_digits(each.ratio)} times the seconds of the fastest in the mean over "
            f"{counted(each.sets, 'data set')}"
            f"<br>at most {CLOSE:g} times in {each.close} of {counted(each.tasks, 'task')}"
            f"<br>of methods that choose rows: {METHODS[each.of_rows].brief}",
        )
        for (decay, cost), each in advice.items()
    ]
    # Short enough for a telephone.
    x_axis = "a kernel evaluation costs", [name.replace(" ", "\n") for name in costs.values()]
    names = [decays[row].partition(" (")[0].replace(" to ", "–").replace(" ", "\n") for row in rows]
    return method_map(cells, x_axis, ("error of the best rank 0.1 n", names), sheet)
