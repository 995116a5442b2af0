"""What the page "Tournament" shows and says of the record, or of a live run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nysviz.landmarks import METHODS
from nysviz.papers.records import Stamp, made, origins, recorded_of
from nysviz.papers.statistics import interval
from nysviz.papers.tournament.answers import correlations, times_width
from nysviz.papers.tournament.jobs import CONTESTANTS, EXPERIMENT, NAMES
from nysviz.papers.tournament.standings import COST_OF, Board, Standing, Win, standing, wins
from nysviz.text import capital, counted, listed, three_digits
from nysviz.ui import page
from nysviz.ui.asking import shared
from nysviz.ui.downloads import measured

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


@dataclass(frozen=True)
class Question:
    """By what, among whom and where methods are ranked: at these multiples of the default width, or all."""

    criterion: str
    methods: tuple[str, ...]
    multiples: tuple[float, ...] = ()
    percents: tuple[float, ...] = ()

    @property
    def by(self) -> str:
        """The criterion in words."""
        return LABELS[self.criterion]

    @property
    def where(self) -> str:
        """The bandwidths and m/n that are asked for, in a few words."""
        sigmas = ", ".join(times_width(math.sqrt(multiple)) for multiple in self.multiples)
        ratios = ", ".join(f"{percent:g}" for percent in self.percents)
        return f"{f'σ × {sigmas}' if sigmas else 'all bandwidths'}, m/n {ratios or '1–10'} %"


def in_sigma(multiple: float) -> str:
    """Name a bandwidth by the default σ: σ/4, σ, 2σ."""
    times = math.sqrt(multiple)
    return f"σ/{1 / times:.3g}" if times < 1 else "σ" if times == 1 else f"{times:.3g}σ"


FEWEST_METHODS = 2
# Criteria by which a best method is named, each with when it counts.
BEST_BY = {
    "error": "for a given m",
    "error_at_equal_evaluations": "for given kernel evaluations",
    "error_at_equal_seconds": "for a given time",
}


@dataclass(frozen=True, eq=False)
class Evidence:
    """The recorded tournament: its board, and how it was made."""

    board: Board
    origin: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Result:
    """What a board says to a question: ranks where it asks, and the winners everywhere."""

    standing: Standing | None
    wins: tuple[Win, ...]


@shared()
def evidence(stamp: Stamp) -> Evidence:
    """Read the recorded tournament."""
    return Evidence(Board(recorded_of(EXPERIMENT)), origins().get(EXPERIMENT, {}))


@shared()
def answered(stamp: Stamp, question: Question) -> Result:
    """Rank the recorded tournament."""
    return ranked(evidence(stamp).board, question)


def ranked(board: Board, question: Question) -> Result:
    """Rank a board as a question asks; nothing where it has fewer than two of the methods."""
    asked = tuple(name for name in board.methods if name in question.methods)
    if len(asked) < FEWEST_METHODS:
        return Result(None, ())
    found = standing(board.values(question.criterion), asked, question.multiples, question.percents)
    return Result(found, tuple(wins(board, question.criterion, asked)))


@shared()
def best_by(stamp: Stamp) -> dict[str, Standing]:
    """Rank all contestants over all bandwidths and m/n by error and by error at equal cost."""
    board = evidence(stamp).board
    found = {name: answered(stamp, Question(name, board.methods)).standing for name in BEST_BY}
    return {name: one for name, one in found.items() if one is not None}


Series = dict[str, list[tuple[float, float, float]]]


@shared()
def predictors(stamp: Stamp) -> Series:
    """Mean rank correlation with the error at each bandwidth, with its interval over the data sets."""
    board = evidence(stamp).board
    found = [correlations(board, multiple) for multiple in board.multiples]
    return {
        name: [interval([*of[key].values()]) for of in found]
        for name, key in (("trace of the residual", "trace"), ("quantization error", "quantization"))
    }


def rows(board: Board, question: Question, result: Result) -> list[dict[str, object]]:
    """Mean ranks, the test, ranks on each data set, and the winner of each cell."""
    one, begin = result.standing, {"criterion": question.criterion}
    if one is None:
        return []
    test, found = one.test, []
    for name, mean in test.means.items():
        found += measured({**begin, "method": name}, {"mean_rank": mean})
    values = {"friedman_chi2": test.chi2, "iman_davenport_f": test.f, "iman_davenport_p": test.p_f}
    found += measured(begin, {**values, "critical_difference": test.difference})
    for data, places in zip(one.sets, one.places, strict=True):
        n, d = board.sizes[data]
        for name, value in zip(one.methods, places, strict=True):
            head = {**begin, "data": data, "n": n, "d": d, "method": name}
            found += measured(head, {"rank": float(value)})
    for win in result.wins:
        head = {**begin, "width": f"{win.multiple:g}", "percent": win.percent, "method": win.first}
        values = {"winner_mean_rank": win.ranks[0], "second_over_winner": win.ratio, "winner_p": win.p}
        found += measured(head, values)
    return found


def python(question: Question, result: Result) -> str:
    """Write the script."""
    if result.standing is None:
        return "# No data set has runs of all the chosen contestants."
    return f"""from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.standings import Board, standing, wins

board = Board(recorded_of("tournament"))  # made by: python -m nysviz record tournament
methods = {list(result.standing.methods)!r}
found = standing(board.values({question.criterion!r}), methods, {question.multiples!r}, {question.percents!r})
for method, mean in found.test.means.items():
    print(f"method={{method}} mean_rank", mean)
print("friedman_chi2", found.test.chi2)
print("iman_davenport_f", found.test.f)
print("iman_davenport_p", found.test.p_f)
print("critical_difference", found.test.difference)
for data, places in zip(found.sets, found.places):
    for method, rank in zip(found.methods, places):
        print(f"data={{data}} method={{method}} rank", rank)
for win in wins(board, {question.criterion!r}, methods):
    cell = f"width={{win.multiple:g}} percent={{win.percent}} method={{win.first}}"
    print(cell, "winner_mean_rank", win.ranks[0])
    print(cell, "second_over_winner", win.ratio)
    print(cell, "winner_p", win.p)"""


def in_sets(count: int) -> str:
    """Say "1 data set" or "18 data sets"."""
    return counted(count, "data set")


def _near(found: Standing) -> tuple[str, list[str]]:
    """The first method and those that are not significantly behind it; with one data set all of them."""
    first, *rest = found.test.means
    return first, [name for name in rest if not found.test.differ(first, name)]


def answer(result: Result, question: Question) -> str:
    """Answer the page's question in one sentence."""
    found = result.standing
    if found is None:
        return (
            "No tournament of these contestants is recorded here: `python -m nysviz record tournament` makes "
            "one. It can be run below."
        )
    first, near = _near(found)
    others = listed([NAMES[name] for name in near]) or "none"
    return (
        f"By {question.by} **{NAMES[first]}** has the best mean rank over {in_sets(len(found.sets))}, "
        f"{three_digits(found.test.means[first])}. Not significantly behind: {others}."
    )


def numbers(result: Result) -> str:
    """Mean ranks and cells won, as an HTML table."""
    found = result.standing
    if found is None:
        return ""
    won = Counter(win.first for win in result.wins)
    sure = Counter(win.first for win in result.wins if win.sure)
    rows = [
        (SHORT[name], f"{mean:.2f}", f"{won[name]} ({sure[name]} clear)")
        for name, mean in found.test.means.items()
    ]
    return page.number_table(("", "mean rank", f"cells won of {len(result.wins)}"), rows)


def test_line(found: Standing) -> str:
    """Friedman's test in one line."""
    test = found.test
    if not math.isfinite(test.difference):
        return "One data set: no test."
    return (
        f"Friedman χ² = {three_digits(test.chi2)}, Iman–Davenport F = {three_digits(test.f)}, "
        f"p {_p(test.p_f)}; critical difference {three_digits(test.difference)}; agreement of the sets "
        f"(Kendall's W) {three_digits(test.agreement)}."
    )


def _p(p: float) -> str:
    return "< 10⁻¹⁰" if p < 1e-10 else f"= {p:.2g}" if p >= 1e-3 else f"= {three_digits(p)}"


def advice(found: Mapping[str, Standing]) -> str:
    """The best methods by error and by error at equal cost, over all bandwidths and m/n, as a table."""
    rows = []
    for name, one in found.items():
        first, near = _near(one)
        best = f"{NAMES[first]} ({one.test.means[first]:.2f})"
        rows.append((BEST_BY[name], best, ", ".join(NAMES[other] for other in near) or "–"))
    return page.number_table(("smallest error", "take", "not significantly worse"), rows)


def origin(found: Evidence) -> str:
    """How the record was made, and on which rows."""
    sizes = ", ".join(f"{name} {n}" for name, (n, _) in sorted(found.board.sizes.items()))
    return (
        f"{capital(made(found.origin))} Methods have their default settings. Rows (a sample where a set has "
        f"more): {sizes}."
    )


def hover(win: Win, question: Question) -> str:
    """What the hover of a cell says."""
    ratio = f"{NAMES[win.second]} is second"
    if math.isfinite(win.ratio):
        by = "error" if question.criterion in COST_OF else question.by
        ratio += f" with rank {three_digits(win.ranks[1])}, {three_digits(win.ratio)} times the {by}"
    chance = "" if math.isnan(win.p) else f"<br>p {_p(win.p)}, {'' if win.sure else 'not '}significant"
    return (
        f"<b>{NAMES[win.first]}</b> at {in_sigma(win.multiple)}, m/n {win.percent:g} %"
        f"<br>mean rank {three_digits(win.ranks[0])} in this cell, first on {win.best} of "
        f"{in_sets(win.sets)}<br>{ratio}{chance}"
    )
