"""The page "Compare": its question, its runs, and the chart of what they found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from nysviz import memory
from nysviz.blocks import FloatArray
from nysviz.figures.bands import Line, band_chart
from nysviz.figures.look import Theme, axis, three_digits
from nysviz.landmarks import METHODS
from nysviz.memory import in_words
from nysviz.sweep import Job, Problem, Record, cost_jobs, sweep_jobs
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui.computing import MOST_LANDMARKS, SAMPLED_FROM, is_exact, kernel_matrix
from nysviz.ui.computing import offered as offered_methods
from nysviz.ui.running import Run, running
from nysviz.ui.scene import Scene

# The five schemes of the paper's figure 1, and the one that a specialist asks for today.
FIRST_METHODS = ("svd", "icd", "uniform", "column_norm", "kmeans", "rpcholesky")
FLOOR = "svd"
VIEWS = {
    "error": "error against m / n",
    "budget": "error against seconds",
    "seconds": "seconds against m / n",
    "evaluations": "kernel evaluations against m / n",
}
NORMS = {"frobenius": "Frobenius", "spectral": "spectral", "trace": "trace"}
SYMBOLS = {"frobenius": "F", "spectral": "2", "trace": "*"}
SCALES = {"relative": "relative to K", "best": "times the best possible", "absolute": "absolute"}
# Ten ratios up to the largest one, as in the paper; from 1 % to 10 % at first.
UP_TO = (2, 5, 10, 20, 50)
RATIOS = 10
REPEATS = (3, 5, 10, 20, 50)
# Where there are many rows, the largest number of landmarks.
LARGE_LANDMARKS = 500
# Seconds are taken from fewer runs: each m is a run of its own there, one after the other.
COST_REPEATS = 3
# Relative errors below this are rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Question:
    """What is to be compared."""

    methods: tuple[str, ...]
    view: str
    norm: str
    scale: str
    up_to: int
    repeats: int

    def counts(self, n: int) -> tuple[int, ...]:
        """Numbers of landmarks, each once."""
        percents = [self.up_to * (i + 1) / RATIOS for i in range(RATIOS)]
        if n > SAMPLED_FROM:
            largest = min(self.up_to, 100 * LARGE_LANDMARKS / n)
            percents = [largest * (i + 1) / RATIOS for i in range(RATIOS)]
        ms = {min(MOST_LANDMARKS, max(1, round(n * percent / 100))) for percent in percents}
        return tuple(sorted(ms))


def ask(scene: Scene) -> Question:
    """Draw the controls of the page."""
    offered, left_out = _offered(scene)
    methods = st.multiselect(
        "Methods",
        offered,
        default=[name for name in FIRST_METHODS if name in offered],
        format_func=lambda name: METHODS[name].label,
        key="compare_methods",
        bind="query-params",
    )
    view = st.selectbox("Show", VIEWS, format_func=VIEWS.__getitem__, key="compare_view", bind="query-params")
    left, right = st.columns(2)
    norms = NORMS if is_exact(scene) else {name: NORMS[name] for name in ("frobenius", "trace")}
    norm = left.selectbox(
        "Error", norms, format_func=NORMS.__getitem__, key="compare_norm", bind="query-params"
    )
    scales = SCALES if is_exact(scene) else {name: SCALES[name] for name in ("relative", "absolute")}
    scale = right.selectbox(
        "Scale", scales, format_func=SCALES.__getitem__, key="compare_scale", bind="query-params"
    )
    up_to = left.selectbox(
        "m / n up to",
        UP_TO,
        index=2,
        format_func=lambda p: f"{p} %",
        key="compare_up_to",
        bind="query-params",
    )
    repeats = right.selectbox("Repeats", REPEATS, index=2, key="compare_repeats", bind="query-params")
    if left_out:
        names = ", ".join(METHODS[name].label for name in left_out)
        st.caption(
            f"At most {LARGE_LANDMARKS} landmarks for so many rows. Not offered, since they look at all of K "
            f"or hold a factor of more than {in_words(memory.HELD_BYTES)}: {names}."
        )
    return Question(tuple(methods), view, norm, scale, up_to, repeats)


def _offered(scene: Scene) -> tuple[list[str], list[str]]:
    """Methods for data of this size, and for many rows those that are left out."""
    fitting, left_out = offered_methods(scene)
    if scene.data.n <= SAMPLED_FROM:
        # Few enough to wait for; only the best rank m needs all of K at hand.
        suited = [name for name, entry in METHODS.items() if entry.suits(scene.kernel)]
        return [name for name in suited if name != FLOOR or is_exact(scene)], []
    heavy = [
        name
        for name in fitting
        if METHODS[name].holds_factor({option.name: option.default for option in METHODS[name].options})
        and not memory.is_held(scene.data.n, LARGE_LANDMARKS)
    ]
    return [name for name in fitting if name not in heavy], left_out + heavy


def run_of(scene: Scene, question: Question) -> Run:
    """Return the run that measures what the view shows: errors, what an approximation costs, or both."""
    methods = question.methods
    if question.scale == "best" and FLOOR not in methods and is_exact(scene):
        # The best possible errors come along for the scale.
        methods = (FLOOR, *methods)
    ms = question.counts(scene.data.n)
    costs = question.view != "error"

    def make() -> Sequence[Job]:
        problem, jobs = _problem(scene), []
        if question.view in ("error", "budget"):
            asked = dict.fromkeys(methods, ())
            jobs += sweep_jobs(problem, asked, ms, question.repeats, scene.seed, (question.norm,))
        if costs:
            jobs += cost_jobs(problem, dict.fromkeys(question.methods, ()), ms, COST_REPEATS, scene.seed)
        return jobs

    settings = (question.repeats, question.norm) if question.view in ("error", "budget") else ()
    key = ("compare", *scene.key, methods, ms, scene.seed, settings, costs)
    # Seconds are those of one run at a time.
    return running(key, make, alone=costs)


def _problem(scene: Scene) -> Problem:
    data = scene.data
    # Runs are shared by sessions, and a file's name is nobody else's business: equal data have no name here.
    return Problem("", data.X, scene.kernel, data.digest, data.y, kernel_matrix(scene))


def values_of(records: Sequence[Record], question: Question) -> Values:
    """Return the chosen error of every run, on the chosen scale."""
    measure = f"relative_{question.norm}" if question.scale == "relative" else question.norm
    values = by_method([_rounded(record, question.norm) for record in records], measure)
    if question.scale != "best":
        return values
    return {
        m: {name: runs / methods[FLOOR][0] for name, runs in methods.items()}
        for m, methods in values.items()
        if FLOOR in methods and methods[FLOOR][0] > 0
    }


def _rounded(record: Record, norm: str) -> Record:
    """Count an error that is rounding as none, so that nobody is ahead by rounding."""
    if record.values.get(f"relative_{norm}", 1.0) > ROUNDING:
        return record
    return replace(record, values=record.values | {norm: 0.0, f"relative_{norm}": 0.0})


def named(records: Sequence[Record], scene: Scene) -> list[Record]:
    """Return the records under the name that these data have in this session."""
    return [replace(record, data=scene.data.name) for record in records]


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
    return band_chart(
        lines,
        theme,
        title,
        f"{scene.subtitle}; mean ± standard deviation of {repeats} runs{sampled}",
        _ratio_axis(question, n, theme),
        _value_axis(lines, error_axis(question), theme),
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
    low, high = (float(drawn.min()), float(drawn.max())) if len(drawn) else (0.1, 1.0)
    # Rounding is not an error that a chart should give room to.
    low = max(low, 1e-9 * high)
    ends = [np.floor(2 * np.log10(low)) / 2 - 0.03, np.ceil(2 * np.log10(high)) / 2 + 0.03]
    return axis(
        title,
        theme,
        type="log",
        range=ends,
        exponentformat="power",
        dtick=1 if ends[1] - ends[0] > 1.6 else "D2",
    )
