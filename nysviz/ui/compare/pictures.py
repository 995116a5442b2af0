"""The chart of the page "Compare": errors, costs, or errors against seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go

from nysviz.blocks import FloatArray
from nysviz.figures.bands import Line, band_chart, height_for
from nysviz.figures.look import Theme, axis, three_digits
from nysviz.landmarks import METHODS
from nysviz.sweep import Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui.compare.parts import COST_REPEATS, NORMS, SYMBOLS, Question
from nysviz.ui.computing import is_exact
from nysviz.ui.sidebar.scene import Scene

# As high as the controls and numbers beside it.
HEIGHT = 560
# Lines that differ by less than this factor leave most of half a decade empty: their range is linear.
NARROW = 1.5


def error_axis(question: Question) -> str:
    """Name the chosen error with its symbol."""
    symbol = f"‖K − K̃‖<sub>{SYMBOLS[question.norm]}</sub>"
    if question.scale == "relative":
        return f"relative {NORMS[question.norm]} error {symbol} / ‖K‖<sub>{SYMBOLS[question.norm]}</sub>"
    if question.scale == "best":
        return f"{NORMS[question.norm]} error, times the best of rank m"
    return f"{NORMS[question.norm]} error {symbol}"


def draw_errors(
    scene: Scene, question: Question, values: Values, theme: Theme, title: str, repeats: int
) -> go.Figure:
    """Draw the mean error of each method against m/n, with a band of one standard deviation."""
    n = scene.data.n
    lines = []
    for name in question.methods:
        at = [(m, methods[name]) for m, methods in values.items() if name in methods]
        if at:
            lines.append(_line(name, n, at, error_axis(question)))
    sampled = "" if is_exact(scene) else "; errors from 500 sampled rows"
    told = f"mean ± standard deviation of {repeats} runs"
    return band_chart(
        lines,
        theme,
        title,
        f"{scene.subtitle}; {'one run of each' if repeats == 1 else told}{sampled}",
        _ratio_axis(question, n, theme),
        _value_axis(lines, error_axis(question), theme),
        height_for(len(question.methods), HEIGHT),
    )


def draw_costs(
    scene: Scene, question: Question, costs: Sequence[Record], theme: Theme, title: str
) -> go.Figure:
    """Draw seconds, or kernel evaluations, against m/n."""
    n = scene.data.n
    measure, name = ("seconds", "seconds of one approximation")
    if question.view == "evaluations":
        measure, name = ("kernel_evaluations", "kernel evaluations / n²")
    scale = 1.0 if measure == "seconds" else 1.0 / n**2
    values = by_method(costs, measure)
    lines = []
    for method in question.methods:
        at = [(m, methods[method] * scale) for m, methods in values.items() if method in methods]
        if at:
            lines.append(_line(method, n, at, name, middle=np.median))
    return band_chart(
        lines,
        theme,
        title,
        f"{scene.subtitle}; median and range of {COST_REPEATS} runs on this server",
        _ratio_axis(question, n, theme),
        _value_axis(lines, name, theme),
        height_for(len(question.methods), HEIGHT),
    )


def draw_budget(
    scene: Scene, question: Question, values: Values, costs: Sequence[Record], theme: Theme, title: str
) -> go.Figure:
    """Draw error against seconds: what each method makes of a budget."""
    seconds = by_method(costs, "seconds")
    lines = []
    for name in question.methods:
        at = [m for m in values if name in values[m] and name in seconds.get(m, {})]
        if not at:
            continue
        x = np.array([float(np.median(seconds[m][name])) for m in at])
        runs = [values[m][name] for m in at]
        told = [
            f"{METHODS[name].label}, m = {m}<br>{three_digits(float(r.mean()))} in {three_digits(float(s))} s"
            for m, r, s in zip(at, runs, x, strict=True)
        ]
        y = np.array([float(r.mean()) for r in runs])
        lines.append(Line(name, METHODS[name].label, x, y, y, y, told))
    spread = np.concatenate([line.x for line in lines]) if lines else np.array([1e-3, 1.0])
    ends = np.log10([max(1e-6, spread.min()), max(1e-5, spread.max())])
    return band_chart(
        lines,
        theme,
        title,
        f"{scene.subtitle}; mean error, median seconds on this server, m / n up to {question.up_to} %",
        axis(
            "seconds of one approximation",
            theme,
            type="log",
            range=[ends[0] - 0.15, ends[1] + 0.15],
            exponentformat="power",
            dtick=1,
        ),
        _value_axis(lines, error_axis(question), theme),
        height_for(len(question.methods), HEIGHT),
    )


def _line(
    name: str,
    n: int,
    at: Sequence[tuple[int, FloatArray]],
    what: str,
    middle: Callable[[FloatArray], float] | None = None,
) -> Line:
    x = np.array([100.0 * m / n for m, _ in at])
    if middle is None:
        y = np.array([float(runs.mean()) for _, runs in at])
        spread = np.array([float(runs.std(ddof=1)) if len(runs) > 1 else 0.0 for _, runs in at])
        # On a log axis the band ends at the smallest run where mean − deviation would fall below it.
        low = np.maximum(y - spread, [float(runs.min()) for _, runs in at])
        high = y + spread
    else:
        y = np.array([float(middle(runs)) for _, runs in at])
        low, high = (np.array([float(pick(runs)) for _, runs in at]) for pick in (np.min, np.max))
    told = []
    for (m, runs), value, a, b in zip(at, y, low, high, strict=True):
        spread_text = f" ({three_digits(float(a))} – {three_digits(float(b))})" if b > a else ""
        count = f"{len(runs)} runs" if len(runs) > 1 else "one run"
        told.append(
            f"{METHODS[name].label}, m = {m}<br>{what}<br>{three_digits(float(value))}{spread_text}, {count}"
        )
    return Line(name, METHODS[name].label, x, y, low, high, told)


def _ratio_axis(question: Question, n: int, theme: Theme) -> dict[str, object]:
    top = 100.0 * max(question.counts(n)) / n
    return axis("landmarks m / n (%)", theme, range=[0, 1.03 * max(top, 1e-9)])


def _value_axis(lines: Sequence[Line], title: str, theme: Theme) -> dict[str, object]:
    """Log axis over whole half decades, so that it rarely moves while runs come in."""
    drawn = np.concatenate([np.r_[line.low, line.high] for line in lines]) if lines else np.array([0.1, 1.0])
    drawn = drawn[np.isfinite(drawn) & (drawn > 0)]
    if lines and not len(drawn):
        # Nothing but zeros, which a log axis cannot show.
        return axis(title, theme, range=[-0.03, 1.0])
    low, high = (float(drawn.min()), float(drawn.max())) if len(drawn) else (0.1, 1.0)
    if low > 0 and high < NARROW * low:
        return axis(title, theme, range=_round_ends(low, high))
    # Rounding is not an error that a chart should give room to.
    low = max(low, 1e-9 * high)
    ends = [np.floor(2 * np.log10(low)) / 2 - 0.03, np.ceil(2 * np.log10(high)) / 2 + 0.03]
    return axis(
        title,
        theme,
        type="log",
        range=ends,
        exponentformat="power",
        dtick=1,
    )


def _round_ends(low: float, high: float) -> list[float]:
    """Ends of a linear axis round these values: whole multiples of a round step, so that it rarely moves."""
    step = 10.0 ** np.floor(np.log10(max(high - low, 0.02 * high)))
    return [float(np.floor(low / step) * step - 0.1 * step), float(np.ceil(high / step) * step + 0.1 * step)]
