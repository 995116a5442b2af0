"""The page "Tournament": its controls, ranks of the record, charts, sentences and script."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from nysviz.engine.shared import shared
from nysviz.figures.tournament import predictor_chart, rank_chart, win_map
from nysviz.landmarks import METHODS
from nysviz.papers.records import Stamp, made, origins, recorded_of, stamp
from nysviz.papers.statistics import interval
from nysviz.papers.tournament.answers import by_set, correlations
from nysviz.papers.tournament.jobs import CONTESTANTS, EXPERIMENT, MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import COST_OF, CRITERIA, Board, Standing, Win, standing, wins
from nysviz.refusal import Refusal
from nysviz.studies import html
from nysviz.studies.rows import measured
from nysviz.text import capital, counted, grouped, three_digits
from nysviz.ui import page
from nysviz.ui.asking import ask
from nysviz.ui.inputs import box, pills, segments, several

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


def in_sigma(multiple: float) -> str:
    """Name a bandwidth by the default σ: σ/4, σ, 2σ."""
    times = math.sqrt(multiple)
    return f"σ/{1 / times:.3g}" if times < 1 else "σ" if times == 1 else f"{times:.3g}σ"


# Criteria by which a best method is named, each with what is given.
BEST_BY = {
    "error": "m",
    "error_at_equal_evaluations": "kernel evaluations",
    "error_at_equal_seconds": "time",
}


@shared()
def recorded(stamp: Stamp) -> Board:
    """Read the recorded tournament."""
    return Board(recorded_of(EXPERIMENT))


@shared()
def answered(stamp: Stamp, question: Question) -> tuple[Standing, Sequence[Win]]:
    """Rank the recorded tournament where the question asks; the winners everywhere."""
    board = recorded(stamp)
    asked = tuple(name for name in board.methods if name in question.methods)
    found = standing(board.values(question.criterion), asked, question.multiples, question.percents)
    if found is None:
        make = "python -m nysviz record tournament"
        raise Refusal(f"Choose two or more contestants that are recorded together; {make} makes a record.")
    return found, wins(board, question.criterion, asked)


@shared()
def best_by(stamp: Stamp) -> dict[str, Standing]:
    """Rank all contestants over all bandwidths and m/n by error and by error at equal cost."""
    board = recorded(stamp)
    found = {name: standing(board.values(name), board.methods) for name in BEST_BY}
    return {name: one for name, one in found.items() if one is not None}


@shared()
def predictors(stamp: Stamp) -> dict[str, list[tuple[float, float, float]]]:
    """Mean rank correlation with the error at each bandwidth, with its interval over the data sets."""
    board = recorded(stamp)
    return {
        LABELS[name]: [interval([*by_set(of, multiple).values()]) for multiple in board.multiples]
        for name, of in correlations(board).items()
    }


def rows(board: Board, question: Question, one: Standing, won: Sequence[Win]) -> list[dict[str, object]]:
    """Mean ranks, the test, ranks on each data set, and the winner of each cell."""
    test, begin, found = one.test, {"criterion": question.criterion}, []
    for name, mean in test.means.items():
        found += measured({**begin, "method": name}, {"mean_rank": mean})
    values = {"friedman_chi2": test.chi2, "iman_davenport_f": test.f, "iman_davenport_p": test.p_f}
    found += measured(begin, {**values, "critical_difference": test.difference})
    for data, places in zip(one.sets, one.places, strict=True):
        n, d = board.sizes[data]
        head = {**begin, "data": data, "n": n, "d": d}
        for name, value in zip(one.methods, places, strict=True):
            found += measured({**head, "method": name}, {"rank": float(value)})
    for win in won:
        head = {**begin, "width": f"{win.multiple:g}", "percent": win.percent, "method": win.first}
        values = {"winner_mean_rank": win.ranks[0], "second_over_winner": win.ratio, "winner_p": win.p}
        found += measured(head, values)
    return found


def python(question: Question, methods: Sequence[str]) -> str:
    """Write the script."""
    return f"""from nysviz.papers.records import recorded_of
from nysviz.papers.tournament.standings import Board, standing, wins

board = Board(recorded_of("tournament"))  # made by: python -m nysviz record tournament
methods = {list(methods)!r}
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


def _near(found: Standing) -> tuple[str, list[str]]:
    """The first method and those that are not significantly behind it; with one data set all of them."""
    first, *rest = found.test.means
    return first, [name for name in rest if not found.test.differ(first, name)]


def answer(found: Standing, question: Question) -> str:
    """Answer the page's question in one sentence."""
    (first, near), sets = _near(found), counted(len(found.sets), "data set")
    return (
        f"**{capital(NAMES[first])}** has the best mean rank by {question.by} over {sets}: "
        f"{three_digits(found.test.means[first])}; not significantly behind: "
        f"{counted(len(near), 'method') if near else 'none'}."
    )


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
    """Return the table of the best method for each of ``BEST_BY`` over all bandwidths and m/n."""
    rows = []
    for name, one in found.items():
        first, near = _near(one)
        others = "<br>".join(SHORT[other] for other in near)
        close = f"<details><summary>{len(near)}</summary>{others}</details>" if near else "0"
        rows.append((BEST_BY[name], SHORT[first], f"{one.test.means[first]:.2f}", close))
    return html.number_table(("given", "best method", "mean rank", "not significantly worse"), rows)


def origin(board: Board) -> str:
    """Say how the record was made, and on which rows."""
    sizes = ", ".join(f"{name} {grouped(n)}" for name, (n, _) in sorted(board.sizes.items()))
    text = f"{capital(made(origins()[EXPERIMENT]))} Methods have their default settings."
    return f"{text} Rows (a sample where a set has more): {sizes}."


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
        f"{counted(win.sets, 'data set')}<br>{ratio}{chance}"
    )


LOWER = {"map": "who wins where", "predictors": "what predicts the error"}


def choose() -> Question:
    """Draw the controls of the page."""
    note = (
        "Error is the relative Frobenius error at the same m. Where cost is held equal: the error that a "
        "method has for what randomly pivoted Cholesky spends at that m; who cannot begin for it is last."
    )
    criterion = box("Ranked by", CRITERIA, "tournament_by", names=LABELS, help=note)
    note = "None chosen: all of them."
    with st.popover("Contestants, bandwidth, m / n", width="stretch"):
        methods = several("Contestants", CONTESTANTS, "tournament_methods", CONTESTANTS, NAMES)
        multiples = pills("Bandwidth (σ: the default)", MULTIPLES, "tournament_widths", in_sigma, help=note)
        percents = pills("m / n", PERCENTS, "tournament_percents", "{} %".format, help=note)
    return Question(criterion, methods, multiples, percents)


def draw_lower(files: Stamp, board: Board, question: Question, won: Sequence[Win]) -> None:
    """Choose and draw the second picture: who wins where, or what predicts the error."""
    shown = segments("Second picture", LOWER, "tournament_third", names=LOWER, label_visibility="collapsed")
    sigmas = {multiple: in_sigma(multiple) for multiple in board.multiples}
    if shown == "map":
        sheet = page.sheet("The winner at each bandwidth and m / n", "faint: not significant")
        hovers = [hover(win, question) for win in won]
        page.show(win_map(won, sigmas, PERCENTS, hovers, sheet), "tournament_map")
    elif series := ask(predictors, files, what="Rank correlations"):
        about = "mean over the data sets, 95 % intervals"
        sheet = page.sheet("What predicts the error of a method?", about)
        page.show(predictor_chart(list(sigmas.values()), series, sheet), "tournament_lower")


@st.fragment
def live() -> None:
    """Controls and what to take at the right, the ranks at the left, one more picture below."""
    place, left, right = page.places(0.62)
    with right:
        question = choose()
    files = stamp()
    with left:
        answers = ask(answered, files, question, what="Ranks of the recorded tournament")
        if answers is None:
            return
        found, won = answers
        sigmas = ", ".join(map(in_sigma, question.multiples)) or "all bandwidths"
        ratios = ", ".join(f"{percent:g}" for percent in question.percents) or "1–10"
        sheet = page.sheet(f"Mean rank by {question.by}", f"Gaussian, {sigmas}, m/n {ratios} %")
        page.show(rank_chart(found, sheet), "tournament")
    record = recorded(files)
    place.markdown(page.unbroken(answer(found, question)))
    with right:
        if best := ask(best_by, files, what="Ranks at equal cost"):
            st.html(advice(best))
        st.caption("Test, record", help=f"{test_line(found)}\n\n{origin(record)}")
    draw_lower(files, record, question, won)
    page.closing("tournament", python(question, found.methods), partial(rows, record, question, found, won))
