"""Which method wins overall? Mean ranks of the recorded tournament of all methods."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from nysviz.engine.shared import shared
from nysviz.figures.tournament import predictor_chart, rank_chart, win_map
from nysviz.landmarks import METHODS
from nysviz.numerics.counts import checked_sequence
from nysviz.papers.labels import name_bandwidth
from nysviz.papers.records import Stamp, describe_origin, origins, recorded_of
from nysviz.papers.statistics import interval
from nysviz.papers.tournament.answers import by_set, correlations
from nysviz.papers.tournament.jobs import CONTESTANTS, EXPERIMENT, MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import (
    COST_OF,
    CRITERIA,
    Standing,
    TournamentBoard,
    Win,
    standing,
    wins,
)
from nysviz.refusal import Refusal
from nysviz.studies.choice import checked_choice
from nysviz.studies.html import Label, NumberTable, Row
from nysviz.studies.recorded import RecordedStudy
from nysviz.studies.rows import measured
from nysviz.studies.study import Ink, Part, chart, complete, derived, theme_of
from nysviz.text import capital, counted, grouped, three_digits

LABELS = {
    "error": "error",
    "trace": "trace of the residual",
    "quantization": "quantization error",
    "seconds": "seconds",
    "evaluations": "kernel evaluations",
    "error_at_equal_seconds": "error at equal seconds",
    "error_at_equal_evaluations": "error at equal kernel evaluations",
}
SHORT = {name: METHODS[name].brief for name in CONTESTANTS}
# Criteria by which a best method is named, each with what is given.
BEST_BY = {
    "error": "m",
    "error_at_equal_evaluations": "kernel evaluations",
    "error_at_equal_seconds": "time",
}


@dataclass(frozen=True)
class Ranking:
    """The mean ranks of the methods, and the winner at each bandwidth and m/n."""

    standing: Standing
    wins: Sequence[Win]


@shared()
def read_tournament(stamp: Stamp) -> TournamentBoard:
    """Read the recorded tournament."""
    return TournamentBoard(recorded_of(EXPERIMENT))


@shared()
def rank(
    stamp: Stamp,
    criterion: str,
    methods: tuple[str, ...],
    multiples: tuple[float, ...],
    percents: tuple[float, ...],
) -> Ranking:
    """Rank these methods at these bandwidths and m/n; the winners everywhere."""
    board = read_tournament(stamp)
    names = tuple(name for name in board.methods if name in methods)
    result = standing(board.values(criterion), names, multiples, percents)
    if result is None:
        make = "python -m nysviz record tournament"
        raise Refusal(f"Choose two or more contestants that are recorded together; {make} makes a record.")
    return Ranking(result, wins(board, criterion, names))


@shared()
def rank_by_cost(stamp: Stamp) -> dict[str, Standing]:
    """Rank all contestants over all bandwidths and m/n by error and by error at equal cost."""
    board = read_tournament(stamp)
    standings = {name: standing(board.values(name), board.methods) for name in BEST_BY}
    return {name: result for name, result in standings.items() if result is not None}


@shared()
def correlate(stamp: Stamp) -> dict[str, list[tuple[float, float, float]]]:
    """Return mean rank correlations with the error at each bandwidth, with intervals over the data sets."""
    board = read_tournament(stamp)
    return {
        LABELS[name]: [interval([*by_set(coefficients, multiple).values()]) for multiple in board.multiples]
        for name, coefficients in correlations(board).items()
    }


def find_leaders(result: Standing) -> tuple[str, list[str]]:
    """Return the first method and those not significantly behind it; with one data set all of them."""
    first, *other_methods = result.test.means
    return first, [name for name in other_methods if not result.test.differ(first, name)]


def tournament(
    criterion: str = "error",
    methods: Sequence[str] = CONTESTANTS,
    *,
    multiples: Sequence[float] = (),
    percents: Sequence[float] = (),
    theme: Ink = "light",
) -> "RecordedTournament":
    """Rank methods by their recorded runs on many data sets.

    Parameters
    ----------
    criterion : str
        ``error`` (relative Frobenius error), ``trace``, ``quantization``, ``seconds`` or ``evaluations`` at
        equal m; or ``error_at_equal_seconds``, ``error_at_equal_evaluations``: the error for what randomly
        pivoted Cholesky spends at that m, by which a method that cannot begin for it is last.
    methods : sequence of str
        Two or more of the contestants.
    multiples : sequence of float
        Multiples of the default width 2σ², of 1/16, 1/4, 1, 4 and 16; empty for all.
    percents : sequence of int
        m/n in per cent, of 1, 2, 5 and 10; empty for all.
    theme : {"light", "dark"}

    Returns
    -------
    RecordedTournament
        With ``answer``, ``table``, ``figures``; ``ranking.standing.test`` has Friedman's test.

    Raises
    ------
    ValueError
        An unknown criterion, method, bandwidth or m/n; fewer than two methods.

    References
    ----------
    Demšar 2006, section 3.2.2: mean ranks over data sets, Friedman's test, the critical difference.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.tournament(methods=["uniform", "kmeans", "greedy"])
    >>> sorted(result.figures)
    ['predictors', 'ranks', 'winners']
    """
    checked_choice("criterion", criterion, CRITERIA)
    names, widths, shares = (
        tuple(checked_sequence(name, values))
        for name, values in (("methods", methods), ("multiples", multiples), ("percents", percents))
    )
    for name, values, choices in (
        ("method", names, CONTESTANTS),
        ("multiple", widths, MULTIPLES),
        ("percent", shares, PERCENTS),
    ):
        for value in values:
            checked_choice(name, value, choices)
    study = RecordedTournament(
        criterion=criterion, methods=names, multiples=widths, percents=shares, theme=theme_of(theme)
    )
    return complete(study)


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedTournament(RecordedStudy):
    """Mean ranks of the recorded tournament, and the runs behind them."""

    criterion: str = "error"
    methods: tuple[str, ...] = CONTESTANTS
    multiples: tuple[float, ...] = ()
    percents: tuple[float, ...] = ()

    name = "tournament"
    question = "Which method wins overall?"

    ranking = Part(
        rank, "record criterion methods multiples percents", "Ranks of the recorded tournament", needed=True
    )
    by_cost = Part(rank_by_cost, "record", "Ranks at equal cost")
    predictions = Part(correlate, "record", "Rank correlations")

    @property
    def board(self) -> TournamentBoard:
        """The recorded runs."""
        return read_tournament(self.record)

    @property
    def by(self) -> str:
        """The criterion in words."""
        return LABELS[self.criterion]

    @derived
    def answer(self) -> str:
        """Name the method with the best mean rank, and how many are not significantly behind it."""
        if not self.has("ranking"):
            return ""
        result = self.ranking.standing
        (first, close_methods), sets = find_leaders(result), counted(len(result.sets), "data set")
        return (
            f"**{capital(NAMES[first])}** has the best mean rank by {self.by} over {sets}: "
            f"{three_digits(result.test.means[first])}; not significantly behind: "
            f"{counted(len(close_methods), 'method') if close_methods else 'none'}."
        )

    @derived
    def numbers(self) -> NumberTable | None:
        """The best method for each of ``BEST_BY`` over all bandwidths and m/n."""
        if not self.has("by_cost"):
            return None
        rows: list[Row] = []
        for name, result in self.by_cost.items():
            first, close_methods = find_leaders(result)
            names = "<br>".join(SHORT[method] for method in close_methods)
            close = f"<details><summary>{len(close_methods)}</summary>{names}</details>"
            mean, label = f"{result.test.means[first]:.2f}", Label(BEST_BY[name], f"given_{name}")
            rows.append((label, SHORT[first], mean, close if close_methods else "0"))
        heads = {
            "equal": "given",
            "best method": "best_method",
            "mean rank": "mean_rank",
            "not significantly worse": "not_worse",
        }
        return NumberTable([Label(text, term) for text, term in heads.items()], rows)

    @property
    def test_line(self) -> str:
        """Friedman's test in one line."""
        test = self.ranking.standing.test
        if not math.isfinite(test.difference):
            return "One data set: no test."
        return (
            f"Friedman χ² = {three_digits(test.chi2)}, Iman–Davenport F = {three_digits(test.f)}, "
            f"p {_p(test.p_f)}; critical difference {three_digits(test.difference)}; agreement of the sets "
            f"(Kendall's W) {three_digits(test.agreement)}."
        )

    @property
    def origin(self) -> str:
        """Say how the record was made, and on which rows."""
        sizes = ", ".join(f"{name} {grouped(n)}" for name, (n, _) in sorted(self.board.sizes.items()))
        text = f"{capital(describe_origin(origins()[EXPERIMENT]))} Methods have their default settings."
        return f"{text} Rows (a sample where a set has more): {sizes}."

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return mean ranks, the test, ranks on each data set, and the winner of each cell."""
        begin, result, rows = {"criterion": self.criterion}, self.ranking.standing, []
        test, sizes = result.test, self.board.sizes
        for name, mean in test.means.items():
            rows += measured({**begin, "method": name}, {"mean_rank": mean})
        values = {"friedman_chi2": test.chi2, "iman_davenport_f": test.f, "iman_davenport_p": test.p_f}
        rows += measured(begin, {**values, "critical_difference": test.difference})
        for data, places in zip(result.sets, result.places, strict=True):
            n, d = sizes[data]
            head = {**begin, "data": data, "n": n, "d": d}
            for name, value in zip(result.methods, places, strict=True):
                rows += measured({**head, "method": name}, {"rank": float(value)})
        for win in self.ranking.wins:
            head = {**begin, "width": f"{win.multiple:g}", "percent": win.percent, "method": win.first}
            values = {"winner_mean_rank": win.ranks[0], "second_over_winner": win.ratio, "winner_p": win.p}
            rows += measured(head, values)
        return rows

    def _explain_ranks(self) -> str:
        text = "Small marks: a method's rank on one data set, 1 for the best; the large one is its mean."
        if math.isfinite(self.ranking.standing.test.difference):
            text += " Methods with their mean in the grey band are not significantly behind the first."
        return f"{text} Ranks do not say by how much."

    @chart("ranking", caption=_explain_ranks)
    def ranks(self) -> go.Figure:
        """Draw the ranks of each method on each data set, their means and the critical difference."""
        sigmas = ", ".join(map(name_bandwidth, self.multiples)) or "all bandwidths"
        ratios = ", ".join(f"{percent:g}" for percent in self.percents) or "1–10"
        sheet = self.sheet(f"Mean rank by {self.by}", f"Gaussian, {sigmas}, m/n {ratios} %")
        return rank_chart(self.ranking.standing, sheet)

    @chart(
        "ranking",
        caption=(
            "Each cell is a bandwidth and a number of landmarks, with the method of the smallest mean "
            "rank there. In a pale cell it is not significantly ahead of the second."
        ),
    )
    def winners(self) -> go.Figure:
        """Draw the winner at each bandwidth and m/n."""
        sheet = self.sheet("The winner at each bandwidth and m / n", "pale: not significant")
        hovers = [self._hover(win) for win in self.ranking.wins]
        return win_map(self.ranking.wins, self._sigmas(), PERCENTS, hovers, sheet)

    @chart(
        "predictions",
        caption=(
            "How well the trace and the quantization error order the methods by their error: 1 is the "
            "same order, 0 says nothing. Bars are 95 % intervals over the data sets."
        ),
    )
    def predictors(self) -> go.Figure:
        """Draw how well trace and quantization error predict the error at each bandwidth."""
        sheet = self.sheet("What predicts the error of a method?", "mean over the data sets, 95 % intervals")
        return predictor_chart(list(self._sigmas().values()), self.predictions, sheet)

    def _sigmas(self) -> dict[float, str]:
        return {multiple: name_bandwidth(multiple) for multiple in self.board.multiples}

    def _hover(self, win: Win) -> str:
        """Return the hover text of a cell."""
        ratio = f"{NAMES[win.second]} is second"
        if math.isfinite(win.ratio):
            by = "error" if self.criterion in COST_OF else self.by
            ratio += f" with rank {three_digits(win.ranks[1])}, {three_digits(win.ratio)} times the {by}"
        chance = "" if math.isnan(win.p) else f"<br>p {_p(win.p)}, {'' if win.sure else 'not '}significant"
        return (
            f"<b>{NAMES[win.first]}</b> at {name_bandwidth(win.multiple)}, m/n {win.percent:g} %"
            f"<br>mean rank {three_digits(win.ranks[0])} in this cell, first on {win.best} of "
            f"{counted(win.sets, 'data set')}<br>{ratio}{chance}"
        )


def _p(p: float) -> str:
    return "< 10⁻¹⁰" if p < 1e-10 else f"= {p:.2g}" if p >= 1e-3 else f"= {three_digits(p)}"
