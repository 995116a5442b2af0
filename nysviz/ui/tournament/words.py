"""The words and tables of the page "Tournament", from the record or from a live run."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Sequence

from nysviz.figures.look import inert, three_digits
from nysviz.figures.tournament import Title
from nysviz.landmarks import METHODS
from nysviz.papers.labels import listed
from nysviz.papers.tournament.answers import times_width
from nysviz.papers.tournament.board import COST_OF
from nysviz.papers.tournament.standings import Standing, Win
from nysviz.ui.tournament.parts import Evidence, Question, Result, label


def answer(result: Result, question: Question) -> str:
    """Answer the page's question in one line."""
    found = result.standing
    if found is None:
        return (
            "No tournament of these contestants is recorded here: `python -m nysviz record tournament` makes "
            "one. It can be run below."
        )
    first, *rest = found.test.means
    mean = found.test.means[first]
    text = (
        f"By {question.by} **{label(first)}** stands first: mean rank {three_digits(mean)} of "
        f"{len(found.methods)} over {sets_told(len(found.sets))}"
    )
    if not math.isfinite(found.test.difference):
        return f"{text}; one data set alone tests nothing."
    near = [label(name) for name in rest if not found.test.differ(first, name)]
    if not near:
        return f"{text}, significantly ahead of all others."
    behind = len(rest) - len(near)
    return f"{text}; {listed(near)} {'is' if len(near) == 1 else 'are'} not significantly behind" + (
        f", the other {behind} {'is' if behind == 1 else 'are'}." if behind else "."
    )


def alt(result: Result, question: Question) -> str:
    """The main picture in words, without marks."""
    return answer(result, question).replace("**", "")


def origin(found: Evidence) -> str:
    """How the record was made, and on which rows."""
    told = found.origin
    sizes = ", ".join(f"{name} {n}" for name, (n, _) in sorted(found.board.sizes.items()))
    if not told:
        return f"Rows: {sizes}."
    return (
        f"Recorded {told['date']} with nysviz {told['nysviz']} ({told['commit'] or 'no commit'}), seed "
        f"{told['seed']}, {found.board.repeats} repeats, {told['seconds']} s on {told['machine']}. Rows "
        "(a random "
        f"sample where a set has more): {sizes}."
    )


def sets_told(count: int) -> str:
    """Say "1 data set" or "18 data sets"."""
    return "1 data set" if count == 1 else f"{count} data sets"


def numbers(result: Result, wins: Sequence[Win]) -> str:
    """Mean ranks and cells won, as an HTML table."""
    found = result.standing
    if found is None:
        return ""
    won = Counter(win.first for win in wins)
    sure = Counter(win.first for win in wins if win.sure)
    rows = "".join(
        f"<tr><td>{html.escape(label(name))}</td><td>{mean:.2f}</td><td>{won[name]}</td>"
        f"<td>{sure[name]}</td></tr>"
        for name, mean in found.test.means.items()
    )
    heads = ("", "mean rank", f"cells won of {len(wins)}", "clearly")
    head = "".join(f"<th>{text}</th>" for text in heads)
    return f'<table class="nysviz-numbers"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def test_line(found: Standing) -> str:
    """Friedman's test in one line."""
    test = found.test
    if not math.isfinite(test.difference):
        return "One data set: no test."
    return (
        f"Friedman χ² = {three_digits(test.chi2)}, Iman–Davenport F = {three_digits(test.f)}, "
        f"p {p_told(test.p_f)}; critical difference {three_digits(test.difference)}; agreement of the sets "
        f"(Kendall's W) {three_digits(test.agreement)}."
    )


def p_told(p: float) -> str:
    """Say "= 0.012", or that it is tiny."""
    return "< 10⁻¹⁰" if p < 1e-10 else f"= {p:.2g}" if p >= 1e-3 else f"= {three_digits(p)}"


def times(repeats: int) -> str:
    """Say "1 repeat" or "5 repeats"."""
    return "1 repeat" if repeats == 1 else f"{repeats} repeats"


def settings() -> str:
    """Return the methods' own settings."""
    return (
        f"Methods have their default settings: {label('kmeans')} {_default('kmeans', 'iterations')} "
        f"iterations, {label('partition_greedy')} {_default('partition_greedy', 'groups')} groups, "
        f"{label('dpp')} {_default('dpp', 'steps')} steps from a {_default('dpp', 'start')} start, "
        f"{label('leverage')} are drawn without replacement, as the rows of {label('uniform')} are."
    )


def _default(method: str, name: str) -> object:
    return next(option.default for option in METHODS[method].options if option.name == name)


def where(question: Question) -> str:
    """The bandwidths and m/n that are asked for, in a few words."""
    widths = (
        "all bandwidths"
        if not question.multiples
        else f"width × {', '.join(times_width(multiple) for multiple in question.multiples)}"
    )
    ratios = (
        "m/n 1–10 %"
        if not question.percents
        else f"m/n {', '.join(f'{percent:g}' for percent in question.percents)} %"
    )
    return f"{widths}, {ratios}"


def rank_title(found: Standing, question: Question) -> Title:
    """What the main picture shows."""
    first = next(iter(found.test.means))
    size = sets_told(len(found.sets))
    bars = "; bars join what is not significantly different" if found.test.cliques() else ""
    return Title(
        inert(f"By {question.by}, {label(first)} has the best mean rank"),
        inert(f"{size}, Gaussian kernel, {where(question)}{bars}"),
    )


def map_title(wins: Sequence[Win], question: Question, sets: int) -> Title:
    """What the map shows."""
    won = Counter(win.first for win in wins)
    sure = sum(win.sure for win in wins)
    first, count = won.most_common(1)[0]
    note = f"faint: not significant ({len(wins) - sure})" if sets > 1 else "nothing tested"
    return Title(
        inert(f"{capital(label(first))} wins {count} of {len(wins)} cells"),
        inert(f"by {question.by}, {sets_told(sets)}; {note}"),
    )


def told(win: Win, by: str) -> str:
    """What the hover of a cell says."""
    ratio = (
        f"{label(win.second)}, second with rank {three_digits(win.ranks[1])}, has "
        f"{three_digits(win.ratio)} times its {by}"
        if math.isfinite(win.ratio)
        else f"{label(win.second)} is second"
    )
    chance = "" if math.isnan(win.p) else f"<br>p {p_told(win.p)}, {'' if win.sure else 'not '}significant"
    return (
        f"<b>{label(win.first)}</b> at width × {times_width(win.multiple)}, m/n {win.percent:g} %"
        f"<br>mean rank {three_digits(win.ranks[0])}, smallest on {win.best} of {sets_told(win.sets)}"
        f"<br>{ratio}{chance}"
    )


def capital(text: str) -> str:
    """Begin a title with a capital."""
    return text[:1].upper() + text[1:]


def value_name(question: Question) -> str:
    """The quantity of a criterion: where cost is held equal, the error."""
    return "error" if question.criterion in COST_OF else question.by
