"""Which method for which m, or which budget? Errors and costs (Zhang 2008, figure 1 and table 1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.learning.feature_trial import paired_test
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.figures import compare as figures
from nysviz.figures.traces import Line, band_chart, extent
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import from_one, is_finite, quoted
from nysviz.refusal import Refusal
from nysviz.studies import landmark_counts
from nysviz.studies.choice import checked_choice, checked_methods
from nysviz.studies.html import WAITING, Label, NumberTable, Row
from nysviz.studies.matrices import NORMS, is_exact, run_on
from nysviz.studies.rows import measured
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.study import Ink, Runs, Study, chart, complete, theme_of
from nysviz.sweep import Job, Problem, Record, cost_jobs, sweep_jobs
from nysviz.sweep.ranking import Values, by_method, significant
from nysviz.text import capital, in_seconds, listed, three_digits

FLOOR = "svd"
# The five schemes of the paper's figure 1, and today's usual choice.
FIRST_METHODS = ("svd", "icd", "uniform", "column_norm", "kmeans", "rpcholesky")
VIEWS = {
    "error": "error against m / n",
    "budget": "error against seconds",
    "seconds": "seconds against m / n",
    "evaluations": "kernel evaluations against m / n",
}
WITH_ERRORS = ("error", "budget")
SCALES = {"relative": "relative to K", "best": "times the best possible", "absolute": "absolute"}
SYMBOLS = {"frobenius": "F", "spectral": "2", "trace": "*"}
# Repeats of the seconds, fewer because each m is measured by itself, one run after the other.
COST_REPEATS = 3
# Relative errors below this are rounding, and so are differences that vary by less than this.
ROUNDING, SAME = 1e-9, 1e-12


def compare_run(
    scene: Scene,
    methods: tuple[str, ...],
    measured_methods: tuple[str, ...],
    counts: tuple[int, ...],
    view: str,
    norm: str,
    repeats: int,
) -> Run:
    """Return the run that measures what the view shows: errors, costs of an approximation, or both.

    Errors are those of ``measured_methods``, costs those of ``methods``.
    """
    with_errors, with_costs = view in WITH_ERRORS, view != "error"

    def jobs(problem: Problem) -> list[Job]:
        errors, costs = list[Job](), list[Job]()
        if with_errors:
            options = dict.fromkeys(measured_methods, ())
            errors = sweep_jobs(problem, options, counts, repeats, scene.seed, (norm,))
        if with_costs:
            costs = cost_jobs(problem, dict.fromkeys(methods, ()), counts, COST_REPEATS, scene.seed)
        # In turn: a point of error against seconds needs both.
        return [job for pair in zip_longest(errors, costs) for job in pair if job is not None]

    settings = (repeats, norm) if with_errors else ()
    content = (measured_methods, counts, settings, with_costs)
    # The best possible errors come from the eigenvalues of a copy of K, which is no approximation.
    run_methods = [method for method in measured_methods if with_costs or method != FLOOR]
    return run_on(scene, "compare", jobs, *content, methods=run_methods, m=counts[-1], alone=with_costs)


def repeats_of(records: Sequence[Record]) -> int:
    """Return the number of repeats so far, of the method that has most of them."""
    return 1 + max((record.repeat for record in records), default=-1)


def explain_bands(records: Sequence[Record]) -> str:
    """Explain the bands, if there are any."""
    text = " A band is one standard deviation over runs with other random numbers."
    return text if repeats_of(records) > 1 else ""


def _times_best(values: Values) -> Values:
    """Divide by the best possible error, where it is known and not 0."""
    return {
        m: {name: runs / methods[FLOOR][0] for name, runs in methods.items()}
        for m, methods in values.items()
        if FLOOR in methods and methods[FLOOR][0] > 0
    }


def points_of(values: Values, records: Sequence[Record]) -> pd.DataFrame:
    """Return mean error and median seconds where both are known, by method and in the order of m."""
    rows = [
        (name, m, float(values[m][name].mean()), float(np.median(times)))
        for m, methods in by_method(records, "seconds").items()
        for name, times in methods.items()
        if name in values.get(m, {})
    ]
    return pd.DataFrame(rows, columns=["method", "m", "error", "seconds"])


def best_within_budget(points: pd.DataFrame) -> tuple[float, pd.DataFrame]:
    """Return the shortest time in which every method has a point, and each method's smallest error within it.

    The floor is left out; the smallest error comes first.
    """
    competing = points[points.method != FLOOR]
    budget = float(competing.groupby("method").seconds.min().max())
    within = competing[competing.seconds <= budget].sort_values(["error", "method", "m"])
    return budget, within.drop_duplicates("method")


class Verdict(NamedTuple):
    """The answer, and the numbers of all methods beside it."""

    answer: str
    numbers: NumberTable

    @property
    def note(self) -> str:
        """The meaning of the sign in the table, if there is one."""
        return EQUAL_SIGN if any("≈" in cells[-1] for _, *cells in self.numbers.rows) else ""


NO_NUMBERS = NumberTable((), ())
EQUAL_SIGN = (
    "≈: these runs do not tell it from the first (paired t-tests, 5 %), which does not show the two to be "
    "equal."
)


def verdict_of(
    quantity: str, values: Values, n: int, mean: Label, *, largest: bool = False, unit: str = ""
) -> Verdict:
    """Name the best two methods at the middle m of those with all methods, and list the means, best first.

    ≈ marks methods that do not differ significantly from the first. The best possible is ranked only alone.
    """
    if not values:
        return Verdict(WAITING, NO_NUMBERS)
    ms = _complete_counts(values)
    m = ms[(len(ms) - 1) // 2]
    methods = values[m]
    ranked = sorted(methods, key=lambda name: float(methods[name].mean()), reverse=largest)
    ranked = [name for name in ranked if name != FLOOR] or ranked
    means = {name: f"{three_digits(float(runs.mean()))}{unit}" for name, runs in methods.items()}
    first, *other_names = ranked
    best = [f"{means[name]} for {METHODS[name].label}" for name in ranked[:2]]
    best[0] = f"**{best[0]}**"
    p_values = [paired_p_value(methods, first, name) for name in other_names]
    is_significant = dict(zip(other_names, significant(p_values), strict=True))
    rows: list[Row] = []
    for name in ([FLOOR] if FLOOR in methods and first != FLOOR else []) + ranked:
        runs, mark = methods[name], "" if is_significant.get(name, True) else " ≈"
        spread = f"± {three_digits(float(runs.std(ddof=1)))}" if len(runs) > 1 else ""
        rows.append((Label.of_method(name), means[name], f"{spread}{mark}"))
    answer = f"{'Largest' if largest else 'Smallest'} {quantity} at m = {m}: {', '.join(best)}."
    heads = Label(f"m = {m} ({100 * m / n:.3g} %)", "at_m"), mean, Label("± sd", "spread")
    return Verdict(answer, NumberTable(heads, rows))


def _complete_counts(values: Values) -> list[int]:
    """Return the numbers of landmarks at which the most methods have runs."""
    method_count = max(map(len, values.values()), default=0)
    return [m for m, methods in values.items() if len(methods) == method_count]


def paired_p_value(methods: Mapping[str, FloatArray], first: str, second: str) -> float:
    """Return Student's two-sided p of the paired differences of two methods; NaN for a single pair.

    A run without randomness is paired with each of the other method. Two numbers without randomness differ
    where they are not equal.
    """
    repeats = [len(methods[name]) for name in (first, second) if METHODS[name].random]
    count = min(repeats, default=1)
    gaps = methods[first][:count] - methods[second][:count]
    if not repeats or (np.ptp(gaps) <= SAME and count > 1):
        return float(abs(gaps[0]) <= SAME)
    return paired_test(methods[first][:count], methods[second][:count]).p


def compare(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    methods: Sequence[str] = FIRST_METHODS,
    *,
    view: str = "error",
    norm: str = "frobenius",
    scale: str = "relative",
    up_to: float = 10,
    repeats: int = 10,
    seed: int = 0,
    theme: Ink = "light",
) -> "MethodComparison":
    """Compare methods by their errors, by the cost of an approximation, or by both.

    Parameters
    ----------
    data : Dataset or (n, d) array
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    methods : sequence of str
        ``svd`` is the best possible of rank m, and left out where K is not held.
    view : {"error", "budget", "seconds", "evaluations"}
        What is compared: errors against m, errors against seconds, seconds or kernel evaluations against m.
        Seconds are those of one run at a time, of three runs.
    norm : {"frobenius", "spectral", "trace"}
    scale : {"relative", "best", "absolute"}
        Errors relative to K, in multiples of the best possible error of rank m, or as they are.
    up_to : float
        The largest m/n, in per cent: methods are run at ten m up to it, at five of more than 20 000 rows.
    repeats : int
        Runs of each method that draws at random, for errors.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    MethodComparison
        With ``answer``, ``table``, ``figures``; ``values`` has the errors of all runs by m and method.

    Raises
    ------
    ValueError
        An unknown method, view, norm or scale; a method that is not made for the kernel; a spectral error or
        a multiple of the best possible where K is not held.

    References
    ----------
    Zhang, Tsang and Kwok 2008, figure 1 and table 1.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.compare(nv.load("iris"), methods=["uniform", "kmeans"], repeats=3)
    >>> sorted(result.figures)
    ['curves']
    """
    scene = scene_of(data, kernel, seed)
    names = checked_methods(methods, scene.kernel)
    checked_choice("view", view, VIEWS)
    checked_choice("norm", norm, NORMS)
    checked_choice("scale", scale, SCALES)
    checked_percent("up_to", up_to)
    if view in WITH_ERRORS and not is_exact(scene) and (norm == "spectral" or scale == "best"):
        raise Refusal(
            f"The kernel matrix of {scene.data.n} rows is not held, so neither spectral errors nor the best "
            "possible ones are known; choose another norm and scale, or take a sample of the rows."
        )
    study = MethodComparison(
        scene=scene,
        methods=names,
        view=view,
        norm=norm,
        scale=scale,
        up_to=up_to,
        repeats=from_one("repeats", repeats),
        theme=theme_of(theme),
    )
    return complete(study)


def checked_percent(name: str, value: float) -> None:
    """Refuse a value that is not a percentage of the rows."""
    if not (is_finite(value) and 0 < value <= 100):
        raise Refusal(f"{name} = {quoted(value)}; per cent of the rows, above 0 and up to 100, are needed.")


@dataclass(frozen=True, eq=False, kw_only=True)
class MethodComparison(Study):
    """Methods by error, by cost, or by both."""

    methods: tuple[str, ...] = FIRST_METHODS
    view: str = "error"
    norm: str = "frobenius"
    scale: str = "relative"
    up_to: float = 10
    repeats: int = 10

    name = "compare"
    question = "Which method for which m?"

    records = Runs(compare_run, "scene methods measured_methods counts view norm repeats", "Runs")

    @property
    def measured_methods(self) -> tuple[str, ...]:
        """The methods whose errors are measured, including the best possible for its scale."""
        if self.scale == "best" and FLOOR not in self.methods and is_exact(self.scene):
            return (FLOOR, *self.methods)
        return self.methods

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of landmarks."""
        return landmark_counts.counts(self.scene.data.n, self.up_to)

    @property
    def measure(self) -> str:
        """The error's name in records."""
        return f"relative_{self.norm}" if self.scale == "relative" else self.norm

    @property
    def values(self) -> Values:
        """The error of every run on the scale: m → method → runs."""
        relative, values = (
            by_method(self.records, measure) for measure in (f"relative_{self.norm}", self.measure)
        )
        # An error that is rounding counts as 0, so that no method is ahead by rounding.
        values = {
            m: {name: np.where(relative[m][name] > ROUNDING, runs, 0.0) for name, runs in methods.items()}
            for m, methods in values.items()
        }
        return _times_best(values) if self.scale == "best" else values

    @property
    def verdict(self) -> Verdict:
        """The best methods of the view, and the numbers of all."""
        if self.view == "error":
            mean = Label("mean error", "mean_error")
            return verdict_of(f"mean {NORMS[self.norm]} error", self.values, self.scene.data.n, mean)
        return self._within_budget() if self.view == "budget" else self._costs()

    def _within_budget(self) -> Verdict:
        """Name the methods with the smallest errors within the time that every method needs at least."""
        budget, best_points = best_within_budget(points_of(self.values, self.records))
        best: list[Any] = list(best_points.itertuples())
        rows: list[Row] = [(Label.of_method(p.method), three_digits(p.error), f"m = {p.m}") for p in best]
        heads = Label(f"within {in_seconds(budget)}", "budget"), Label("mean error", "mean_error")
        numbers = NumberTable((*heads, Label("with", "budget_m")), rows)
        if not best:
            return Verdict("No runs of a method are there yet beside the best possible.", numbers)
        both = [f"{three_digits(p.error)} for **{METHODS[p.method].label}** (m = {p.m})" for p in best[:2]]
        heading = f"Smallest mean {NORMS[self.norm]} errors within {in_seconds(budget)}"
        return Verdict(f"{heading}: {listed(both)}.", numbers)

    def _costs(self) -> Verdict:
        """Name the cheapest and the dearest method at the largest m that all have."""
        n, seconds = self.scene.data.n, by_method(self.records, "seconds")
        entries = by_method(self.records, "kernel_evaluations")
        if not seconds:
            return Verdict(WAITING, NO_NUMBERS)
        m = _complete_counts(seconds)[-1]
        times = {name: float(np.median(runs)) for name, runs in seconds[m].items()}
        counts = {name: float(np.median(runs)) for name, runs in entries[m].items()}
        texts = {name: (in_seconds(times[name]), f"{three_digits(counts[name] / n**2)} n²") for name in times}
        is_time = self.view == "seconds"
        ranked = sorted(times, key=(times if is_time else counts).__getitem__)
        ends = [f"{texts[name][not is_time]} ({METHODS[name].label})" for name in (ranked[0], ranked[-1])]
        names = sorted(times, key=times.__getitem__)
        rows: list[Row] = [(Label.of_method(name), *texts[name]) for name in names]
        beginning = "One approximation takes" if is_time else "Kernel evaluations go"
        heads = Label("time", "seconds"), Label("entries of K", "evaluations")
        numbers = NumberTable((Label(f"at m = {m}", "at_m"), *heads), rows)
        return Verdict(f"{beginning} from {' to '.join(ends)} at m = {m}.", numbers)

    @property
    def answer(self) -> str:
        """Name the best methods."""
        return self.verdict.answer

    @property
    def numbers(self) -> NumberTable:
        """The numbers of all methods where they are compared."""
        return self.verdict.numbers

    @property
    def notes(self) -> list[str]:
        """Say which methods have no run at some m, and what the sign in the table means."""
        sentences = landmark_counts.mixtures_sentence(self.methods, self.counts), self.verdict.note
        return list(filter(None, sentences))

    def run_rows(self) -> list[dict[str, object]]:
        """Return all that was measured, then the means over the repeats on the scale of the chart."""
        rows, values = super().run_rows(), by_method(self.records, self.measure)
        mean = f"mean_times_best_{self.norm}" if self.scale == "best" else f"mean_{self.measure}"
        for m, methods in (_times_best(values) if self.scale == "best" else values).items():
            for method, runs in sorted(methods.items()):
                rows += measured(head(self.scene, method=method, m=m), {mean: float(runs.mean())})
        return rows

    def _explain_curves(self) -> str:
        if self.view == "budget":
            return (
                "Each point is a method at one m: its mean error against the seconds of one approximation on "
                "this server. Low and left is better: a small error in a short time. Times vary, so a line "
                "may turn back."
            )
        if self.view == "seconds":
            return (
                "Each line is a method: the seconds of one approximation on this server, choice of landmarks "
                "included. Lower is better; a band spans the runs."
            )
        if self.view == "evaluations":
            return (
                "Each line is a method: how many entries of K it computes, and lower is better. 1 is as many "
                "as K has."
            )
        text = (
            "Each line is a method, and lower is better. Read across: how many landmarks it needs for the "
            "error that you can afford. Read down, at one m: what the choice of landmarks alone is worth."
        )
        if FLOOR in self.methods and is_exact(self.scene):
            text += f" The line of {METHODS[FLOOR].label} is the smallest error of any matrix of rank m."
        return text + explain_bands(self.records)

    @chart("records", caption=_explain_curves)
    def curves(self) -> go.Figure:
        """Draw what the view compares."""
        if self.view == "error":
            return self._draw_errors()
        return self._draw_budget() if self.view == "budget" else self._draw_costs()

    def _draw_errors(self) -> go.Figure:
        """Draw the mean error of each method against m/n, with a band of one standard deviation."""
        sampled = "" if is_exact(self.scene) else "; errors from 500 sampled rows"
        repeats = repeats_of(self.records)
        subtitle = f"mean ± sd of {repeats} runs" if repeats > 1 else "one run of each"
        lines = figures.method_lines(self.methods, self.values, self.scene.data.n, figures.above_zero)
        return self._draw(lines, f"{subtitle}{sampled}", self._error_name())

    def _draw_costs(self) -> go.Figure:
        """Draw seconds, or kernel evaluations, against m/n."""
        n = self.scene.data.n
        axis_title, values = "seconds of one approximation", by_method(self.records, "seconds")
        if self.view != "seconds":
            axis_title, counts = "kernel evaluations / n²", by_method(self.records, "kernel_evaluations")
            values = {m: {name: runs / n**2 for name, runs in row.items()} for m, row in counts.items()}
        lines = figures.method_lines(self.methods, values, n, extent)
        return self._draw(lines, f"median and range of {COST_REPEATS} runs on this server", axis_title)

    def _draw_budget(self) -> go.Figure:
        """Draw error against seconds."""
        points = points_of(self.values, self.records)
        subtitle = f"mean error, median seconds on this server, m / n up to {self.up_to} %"
        xaxis = figures.seconds_axis(points, self.theme)
        return self._draw(figures.budget_lines(points), subtitle, self._error_name(), xaxis)

    def _error_name(self) -> str:
        """Name the chosen error with its symbol."""
        name, symbol = f"{NORMS[self.norm]} error", SYMBOLS[self.norm]
        if self.scale == "best":
            return f"{name}, times the best of rank m"
        if self.scale == "relative":
            return f"relative {name} ‖K − K̃‖<sub>{symbol}</sub> / ‖K‖<sub>{symbol}</sub>"
        return f"{name} ‖K − K̃‖<sub>{symbol}</sub>"

    def _draw(self, lines: Sequence[Line], subtitle: str, axis_title: str, xaxis: Any = None) -> go.Figure:
        """Draw lines against m/n, or on another axis."""
        sheet = self.sheet(capital(VIEWS[self.view]), f"{self.scene.subtitle}; {subtitle}")
        if xaxis is None:
            xaxis = figures.share_axis("landmarks m / n (%)", self.counts, self.scene.data.n, sheet.theme)
        # As high as the controls and numbers beside it; on a phone the legend has a line for each method.
        height = 480 + 20 * max(0, len(self.methods) - 8)
        return band_chart(lines, sheet, xaxis, figures.value_axis(lines, axis_title, sheet.theme), height)
