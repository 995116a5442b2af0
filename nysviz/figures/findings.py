"""The charts of the findings: ratios of errors with their intervals, and test error against matrix error."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from nysviz.figures.drawing import Layer
from nysviz.figures.look import STROKES, Sheet, axis, class_mark, colour, frame
from nysviz.figures.tournament import MethodCell, method_map
from nysviz.figures.traces import level, line, log_axis, markers
from nysviz.landmarks import METHODS
from nysviz.papers.findings.decision import CLOSE, MethodAdvice
from nysviz.papers.findings.numbers import DecayGain, ExcessError, GapRatio, Mean, RowRatio
from nysviz.papers.labels import data_label, method_label
from nysviz.text import counted, signed, three_digits

# Beside the methods of a pair of findings.PAIRS.
PAIR_LOOKS = ("greedy", "rpcholesky", None)
SET_SIZES = (8, 13)
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
    x_title = "bandwidth 2σ² (times the default)"
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
        bars = {
            "array": [mean.high - mean.value for mean in means.values()],
            "arrayminus": [mean.value - mean.low for mean in means.values()],
        }
        joined = line([*means], values, hue, name, "%{text}", dash=dash, text=texts)
        joined |= {"mode": "lines+markers", "marker": {"color": hue, "symbol": symbol, "size": 8}}
        traces.append(joined | {"error_y": {"type": "data", **bars, "width": 4, "thickness": 1.2}})
    ends = [end for means in lines.values() for mean in means.values() for end in (mean.low, mean.high)]
    low, high = math.log10(min(1.0, *ends)) - 0.03, math.log10(max(1.0, *ends)) + 0.03
    xaxis = axis(x_title, theme, type="category")
    ticks = [tick for tick in RATIO_TICKS if low <= math.log10(tick) <= high]
    yaxis = axis(y_title, theme, type="log", range=[low, high], tickvals=ticks)
    return frame(traces, sheet, 440, below=True, xaxis=xaxis, yaxis=yaxis, shapes=[level(1.0, theme.faint)])


def prediction_chart(results: Sequence[ExcessError], margin: float, sheet: Sheet) -> go.Figure:
    """Draw the excess test error against the matrix error; marks of the second data set are larger."""
    theme = sheet.theme
    sets = list(dict.fromkeys(sorted(result.data for result in results)))
    traces: list[Layer] = []
    for method in dict.fromkeys(result.method for result in results):
        hue = colour(method, theme)
        mine = [result for result in results if result.method == method]
        texts = [
            f"{method_label(method)}, {data_label(result.data)}, m/n {result.percent:g} %: error "
            f"{three_digits(result.error)}, excess {signed(result.excess.value)} points"
            for result in mine
        ]
        sizes = [SET_SIZES[sets.index(result.data)] for result in mine]
        mark = {"color": hue, "symbol": STROKES[method][2] or "diamond", "size": sizes}
        bars: dict[str, Any] = {
            "type": "data",
            "array": [result.excess.high - result.excess.value for result in mine],
            "arrayminus": [result.excess.value - result.excess.low for result in mine],
            "width": 4,
            "thickness": 1.2,
        }
        x, y = [result.error for result in mine], [result.excess.value for result in mine]
        more: dict[str, Any] = {"name": method_label(method), "text": texts, "error_y": bars}
        traces.append(markers(x, y, mark, "%{text}", **more))
    xaxis = log_axis("relative Frobenius error ‖K − K̃‖/‖K‖", theme, -1.4, -0.3)
    yaxis = axis("test error − exact one (percentage points)", theme)
    shapes = [level(0.0, theme.faint, "solid"), level(margin, theme.faint)]
    return frame(traces, sheet, 440, below=True, xaxis=xaxis, yaxis=yaxis, shapes=shapes)


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
