"""Lift: how much smaller an error is with chosen landmarks than with landmarks drawn at random."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.datasets import Dataset
from nysviz.datasets.generators import checked_whole
from nysviz.figures.drawing import with_traces
from nysviz.figures.lift import lift_chart
from nysviz.figures.look import inert
from nysviz.figures.traces import Line, Spread, extent, lines_of
from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.numerics.blocks import FloatArray
from nysviz.papers.oglic2017 import lift as paper
from nysviz.papers.oglic2017.lift import BEST, LANDMARKS, REFERENCE, SCHEMES, Cell, Lifts, gain
from nysviz.refusal import Refusal
from nysviz.studies.html import WAITING, Label, NumberTable, Row
from nysviz.studies.lift_records import (
    SMALL_ERROR,
    LiftSummary,
    Round,
    bandwidth_range,
    find_candidates,
    label_of,
    largest_lift,
    lift_run,
    row_count,
    seconds_of,
    summarise,
)
from nysviz.studies.rows import measured, of_records
from nysviz.studies.scene import scene_of
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, derived, theme_of
from nysviz.sweep import Record
from nysviz.text import grouped, in_seconds, of_all, three_digits

VIEWS = ("bandwidth", "rank", "seconds")
# The paper's schemes, its refinement, further methods, and the best that any method could gain.
FIRST_METHODS = (
    *("kmeanspp", "kmeanspp_lloyd", "leverage_approx", "dpp", "dpp_10000", "rpcholesky", "greedy", BEST),
)
# Repeats of every method, and of those that may still have the largest lift.
REPEATS, MORE_REPEATS, MOST_REPEATS = 3, 10, 1_000
RANKS = (5, 10, 20, 40, 60, 80, 100)
ERROR = "relative error ‖K − K̃‖ / ‖K‖"


def lift(
    data: Dataset | ArrayLike,
    view: str = "bandwidth",
    methods: Sequence[str] = FIRST_METHODS,
    rank: int | None = None,
    rule: str = "k",
    repeats: int | None = None,
    *,
    seed: int = 0,
    theme: Ink = "light",
) -> "Lift":
    """Compare landmark methods with uniform sampling at several bandwidths of a Gaussian kernel, or ranks.

    Parameters
    ----------
    data : Dataset or (n, d) array
        Of more than 3 000 rows a random sample is taken.
    view : {"bandwidth", "rank", "seconds"}
        Lift against 1/σ² at one rank, lift against the rank at σ² = the median squared distance, or seconds
        of one approximation against its error.
    methods : sequence of str
        Methods, some with options under a name of their own such as ``dpp_10000``; ``svd`` is the best
        possible.
    rank : int, optional
        Rank k of the compared matrices, by default 100 or a fifth of fewer than 500 rows; against the rank
        there are several.
    rule : {"k", "k ln k", "k ln n"}
        Number of landmarks for rank k.
    repeats : int, optional
        By default 3 of each method, then 10 of those that may have the largest lift (paired t-tests, 5 %); of
        seconds 3.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    Lift
        With ``answer``, ``table``, ``figures``; ``summary.lifts`` has the lift of every repeat.

    Raises
    ------
    ValueError
        For an unknown view, method or rule, rank or repeats out of range, or data that suggest no bandwidth.

    Notes
    -----
    K is formed at eleven bandwidths, and the best possible takes all its eigenvalues: O(n³) each.

    References
    ----------
    Oglic and Gärtner 2017, figures 1 to 3 and section 5.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.lift(nv.load("iris"), methods=["kmeanspp", "svd"], rank=8, repeats=2)
    >>> sorted(result.figures)
    ['errors', 'lift']
    """
    if view not in VIEWS:
        raise Refusal(f"The view is {str(view)[:40]!r}; it must be one of {', '.join(VIEWS)}.")
    if rule not in LANDMARKS:
        raise Refusal(f"The rule is {str(rule)[:40]!r}; it must be one of {', '.join(LANDMARKS)}.")
    study = Lift(
        scene=scene_of(data, None, seed),
        view=view,
        methods=tuple(methods),
        rank=None if view == "rank" else rank,
        rule=rule,
        repeats=None if repeats is None else checked_whole("repeats", repeats, 1, MOST_REPEATS),
        theme=theme_of(theme),
    )
    offered = offered_methods()
    if not study.schemes or not set(methods) <= set(offered):
        raise Refusal(f"Methods {[*methods]!r}: choose one or more of {', '.join(offered)}.")
    if study.rank is not None:
        checked_whole("rank", study.rank, 1, study.n)
    return complete(study)


def offered_methods() -> dict[str, str]:
    """Return the schemes that can be compared with uniform sampling, with their names in words."""
    return {
        name: scheme.label
        for name, scheme in SCHEMES.items()
        if name != REFERENCE and METHODS[scheme.method].suits(Gaussian(1.0))
    }


@dataclass(frozen=True, eq=False, kw_only=True)
class Lift(Study):
    """Errors of uniform sampling over those of other methods, by bandwidth or rank, or with their seconds."""

    view: str = "bandwidth"
    methods: tuple[str, ...] = FIRST_METHODS
    rank: int | None = None
    rule: str = "k"
    repeats: int | None = None

    name = "lift"
    question = "What does a clever choice gain?"

    bandwidths = Part(bandwidth_range, "data", "Distances between rows", needed=True)
    first_records = Runs(lift_run, "scene values ranks rule rounds is_timed", "Runs")
    more_records = Runs(
        lift_run,
        "scene values ranks rule more_rounds is_timed",
        "Runs",
        beside=True,
        when=lambda study: study.goes_on,
    )

    @property
    def data(self) -> Dataset:
        """The data, all of them."""
        return self.scene.data

    @property
    def n(self) -> int:
        """Rows that are measured."""
        return row_count(self.data)

    @property
    def is_timed(self) -> bool:
        """Whether seconds are compared."""
        return self.view == "seconds"

    @property
    def schemes(self) -> tuple[str, ...]:
        """The methods of the view; seconds leave out the best possible, which chooses no landmarks."""
        return self.rivals if self.is_timed else self.methods

    @property
    def rivals(self) -> tuple[str, ...]:
        """The methods without the best possible, which none can exceed."""
        return tuple(name for name in self.methods if name != BEST)

    @property
    def values(self) -> tuple[float, ...]:
        """Bandwidths 1/σ² of the view: a range that includes 1/median, or 1/median alone."""
        if self.view == "rank":
            return (self.bandwidths.standard,)
        return tuple(sorted({*self.bandwidths.values, self.bandwidths.standard}))

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks of the view."""
        last = paper.rank_for(self.n)
        if self.view != "rank":
            return (self.rank or last,)
        return tuple(sorted({min(last, rank) for rank in paper.ranks_for(self.n, RANKS)}))

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The methods with their repeats."""
        return ((self.schemes, self.repeats or REPEATS),)

    @derived
    def candidates(self) -> tuple[str, ...]:
        """The methods with more repeats: those that may have the largest lift."""
        if self.repeats is not None or self.is_timed:
            return ()
        return find_candidates(summarise(self.view, self.first_records), self.rivals)

    @property
    def goes_on(self) -> bool:
        """Whether some methods have more repeats."""
        return self.is_done("first_records") and len(self.candidates) > 0

    @property
    def is_finished(self) -> bool:
        """Whether no more records come."""
        return self.is_at_rest("more_records" if self.goes_on else "first_records")

    @property
    def records(self) -> Sequence[Record]:
        """The records so far; ``more_records`` include the first ones."""
        return max(self.first_records, self.more_records, key=len)

    @property
    def more_rounds(self) -> tuple[Round, ...]:
        """The methods with their repeats, and those that have more."""
        return (*self.rounds, (self.candidates, MORE_REPEATS))

    @derived
    def summary(self) -> LiftSummary:
        """The summary of the records so far."""
        return summarise(self.view, self.records)

    def standard_cell(self, values: Lifts) -> Cell | None:
        """Return the cell at 1/median, None before its first run."""
        standard = self.bandwidths.standard
        return next((cell for cell in values if abs(cell.bandwidth / standard - 1) < 1e-9), None)

    def costs(self, summary: LiftSummary) -> dict[str, tuple[float, float]]:
        """Return median seconds over all bandwidths and error at 1/median of each method, fastest first."""
        cell = self.standard_cell(summary.errors)
        errors = {} if cell is None else summary.errors[cell]
        costs = {
            name: (float(np.median(np.concatenate(list(runs.values())))), float(np.median(errors[name])))
            for name, runs in seconds_of(summary.records).items()
            if name in errors
        }
        return dict(sorted(costs.items(), key=lambda pair: pair[1]))

    @property
    def answer(self) -> str:
        """Name the largest lift outside grey ranges, or compare seconds and errors."""
        if not self.has("first_records"):
            return ""
        summary = self.summary
        if self.is_timed:
            return self._say_costs(self.costs(summary))
        if not summary.lifts:
            return WAITING
        if (largest := largest_lift(summary, self.rivals)) is None:
            return (
                "The choice of landmarks matters little at every bandwidth here: uniform sampling "
                f"leaves less than {100 * SMALL_ERROR:.0f} % of K, or the best possible matrix hardly "
                "less than it."
            )
        value, best, cell = largest
        return (
            f"Largest lift: **{three_digits(value)}** for **{label_of(best)}**, at rank {cell.rank} and "
            f"1/σ² = {three_digits(cell.bandwidth)}, which is σ = {three_digits(cell.bandwidth**-0.5)}."
        )

    def _say_costs(self, costs: dict[str, tuple[float, float]]) -> str:
        if not costs:
            return WAITING
        best, fast = min(costs, key=lambda name: costs[name][1]), next(iter(costs))
        return (
            f"Smallest error where σ is the median distance: {three_digits(costs[best][1])} with "
            f"**{label_of(best)}** in {in_seconds(costs[best][0])}. Shortest time: "
            f"{in_seconds(costs[fast][0])} with **{label_of(fast)}**."
        )

    @property
    def numbers(self) -> NumberTable | None:
        """Lifts at 1/median or the last rank, largest first; or seconds and errors, fastest first."""
        if not self.has("first_records"):
            return None
        summary = self.summary
        if self.is_timed:
            costs = self.costs(summary).items()
            timed_rows: list[Row] = [
                (_label(name), in_seconds(time), three_digits(error)) for name, (time, error) in costs
            ]
            error = Label("error at σ = median distance", "error_at_median")
            return NumberTable(
                (Label("method", "method"), Label("median time", "seconds"), error), timed_rows
            )
        is_ranked = self.view == "rank" and summary.lifts
        cell = [*summary.lifts][-1] if is_ranked else self.standard_cell(summary.lifts)
        if cell is None:
            return NumberTable((), ())
        gains = {name: gain(runs) for name, runs in summary.lifts[cell].items() if name in self.schemes}
        rows: list[Row] = []
        for name in sorted(gains, key=lambda name: (name == BEST, -gains[name].mean)):
            low, high = gains[name].low, gains[name].high
            band = f"{three_digits(low)} – {three_digits(high)}" if high > low and name != BEST else ""
            rows.append((_label(name), three_digits(gains[name].mean), band))
        # No line ends within "k = 30" or "one sd".
        title = f"at σ = median distance, k\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{cell.rank}"
        heads = (
            Label(title, "at_cell"),
            Label("lift", "lift"),
            Label("one\N{NO-BREAK SPACE}sd", "lift_spread"),
        )
        return NumberTable(heads, rows)

    @property
    def notes(self) -> Sequence[str]:
        """Say what is not measured."""
        if self.n == self.data.n:
            return ()
        return (f"A random sample of {of_all(self.n, self.data.n, 'row')} is measured.",)

    def run_rows(self) -> list[dict[str, object]]:
        """Return every run so far, then each scheme's lift with its spread and its p at each cell."""

        def more(record: Record) -> dict[str, object]:
            # Several ranks may have the same number of landmarks, and a method several settings.
            return {"scheme": paper.scheme_of(record), "rank": int(record.values["rank"])}

        data, records = self.data, self.records
        rows = [row for row in of_records(records, data.name, more) if row["measure"] != "rank"]
        lifts = paper.lifts(records)
        for scheme in self.schemes:
            for cell, each in paper.gains(lifts, scheme).items():
                begin = {"data": data.name, "n": self.n, "d": data.d, "scheme": scheme}
                begin |= {"bandwidth": cell.bandwidth, "rank": cell.rank, "m": cell.landmarks}
                values = {"lift": each.mean, "lift_low": each.low, "lift_high": each.high, "lift_p": each.p}
                rows += measured(begin, values)
        return rows

    @property
    def subtitle(self) -> str:
        """Data, n, kernel, rank and m in one line."""
        landmarks, rank = f"m = {self.rule}", self.ranks[0]
        if self.view != "rank":
            landmarks = f"rank {rank}, m = {paper.landmark_count(rank, self.n, self.rule)}"
        return f"{inert(self.data.title)}, n = {grouped(self.n)}; Gaussian; {landmarks}"

    def _explain_lift(self) -> str:
        if self.is_timed:
            return (
                "Each point is a method at one bandwidth: its error against the seconds of one approximation "
                "on this server. Low and left is better."
            )
        text = (
            "Lift is the error of uniform sampling over that of the method, with as many landmarks: 2 halves "
            "the error, and below 1, the solid level, the method is worse than uniform sampling."
        )
        if self.view == "bandwidth":
            text += " To the left the kernel is wide, to the right it is narrow and K is near the identity."
        if self.summary.easy or self.summary.hopeless:
            text += (
                " In a grey range the choice matters little: at the left uniform sampling leaves less than "
            )
            text += f"{100 * SMALL_ERROR:.0f} % of K, at the right even the best matrix hardly less than it."
        return text

    @chart(
        "first_records",
        adds=("more_records",),
        caption=_explain_lift,
    )
    def lift(self) -> go.Figure:
        """Draw lift against bandwidth or rank, or error against seconds."""
        return self._draw_seconds(self.summary) if self.is_timed else self._draw_lift(self.summary)

    @chart(
        "first_records",
        adds=("more_records",),
        when=lambda study: study.is_finished and not study.is_timed,
        caption=(
            "The errors that the lift divides: each line is a method, and lower is better. Where uniform "
            "sampling has a small error already, a large lift gains little."
        ),
    )
    def errors(self) -> go.Figure:
        """Draw the errors behind the lift, with their range."""
        lines = self._lines(self.summary.errors, (REFERENCE, *self.schemes), extent)
        sheet = self.sheet("The errors behind the lift", "median and range")
        return lift_chart(lines, sheet, 460, **self._across(), y_title=ERROR)

    def _draw_lift(self, summary: LiftSummary) -> go.Figure:
        lines = self._lines(summary.lifts, self.schemes, _spread_of)
        zones, (low, high) = [], (self.values[0], self.values[-1])
        if summary.easy:
            end = self._halfway(summary.easy[-1], 1)
            zones.append((low, end, f"uniform error < {100 * SMALL_ERROR:.0f} %"))
        if summary.hopeless:
            zones.append((self._halfway(summary.hopeless[0], -1), high, "little to gain"))
        spread = f"geometric mean ± sd of {summary.repeats}"
        sheet = self.sheet("Lift over uniform sampling", f"{self.subtitle}; {spread}")
        return lift_chart(lines, sheet, 550, **self._across(), zones=zones)

    def _draw_seconds(self, summary: LiftSummary) -> go.Figure:
        seconds, lines = seconds_of(summary.records), []
        for line in self._lines(summary.errors, (REFERENCE, *self.schemes), extent):
            cells = [cell for cell, errors in summary.errors.items() if line.method in errors]
            times = np.array([np.median(seconds[line.method][cell]) for cell in cells])
            lines.append(replace(line, x=times, low=line.y, high=line.y))
        times = np.concatenate([line.x for line in lines]) if lines else np.array([1e-3, 1.0])
        ends = max(1e-5, float(times.min())), max(1e-4, float(times.max()))
        sheet = self.sheet("Error against seconds", f"{self.subtitle}; median of {summary.repeats}")
        figure = lift_chart(lines, sheet, 550, "seconds of one approximation on this server", ends, ERROR)
        # Points without lines: along the bandwidths only the error changes; the seconds vary by chance.
        return with_traces(figure, {"mode": "markers"})

    def _lines(self, values: Lifts, schemes: Sequence[str], spread: Spread) -> list[Line]:
        """Return a line a scheme over bandwidths or ranks."""

        def where(cell: Cell) -> str:
            return f"1/σ² = {three_digits(cell.bandwidth)}, k = {cell.rank}, m = {cell.landmarks}"

        def x(cell: Cell) -> float:
            return cell.rank if self.view == "rank" else cell.bandwidth

        return lines_of(values, {name: label_of(name) for name in schemes}, spread, x, where)

    def _across(self) -> dict[str, Any]:
        """Return the x axis of a chart over bandwidths or ranks."""
        if self.view == "rank":
            return {"x_title": "rank k", "x_range": (0.0, 1.03 * self.ranks[-1]), "x_log": False}
        mark, ends = (self.bandwidths.standard, "σ = median distance"), (self.values[0], self.values[-1])
        return {"x_title": "1/σ² (large: narrow kernel)", "x_range": ends, "mark": mark}

    def _halfway(self, cell: Cell, step: int) -> float:
        """Return the bandwidth halfway from a cell to its neighbour, in the logarithm."""
        values = self.values
        at = int(np.argmin(np.abs(np.log(np.array(values) / cell.bandwidth))))
        neighbour = values[min(max(at + step, 0), len(values) - 1)]
        # The product itself may underflow.
        return float(np.sqrt(values[at]) * np.sqrt(neighbour))


def _spread_of(lifts: FloatArray) -> tuple[float, float, float]:
    """Return the geometric mean of lifts, ± one standard deviation of the logarithm."""
    each = gain(lifts)
    return each.mean, each.low, each.high


def _label(scheme: str) -> Label:
    """Name a scheme, which the entry of its method explains."""
    return Label(label_of(scheme), SCHEMES[scheme].method)
