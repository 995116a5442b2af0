"""What the view "Relative accuracy at rank d" says it shows, beside what the paper says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.papers.farahat2011.figure1 import SECONDS_REPEATS
from nysviz.papers.farahat2011.statements import ACCURACY, SECONDS, Verdict, verdicts
from nysviz.sweep import Record
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui.compare.rank_question import Question
from nysviz.ui.compare.rank_words import WAITING, answer, label, means_of, percent, truncations


def seen(question: Question, records: Sequence[Record], costs: Sequence[Record]) -> str:
    """Set what was measured beside what the paper says, and both truncations beside one another."""
    best = by_method(records, f"relative_accuracy_{question.d}")
    if not best:
        return answer(question, best, bool(records))
    sentences = _published(verdicts(best, ACCURACY), "more accurate than", "As the paper says")
    sentences += _first_of_kmeans(best)
    pairs = truncations(question, best, by_method(records, f"classical_accuracy_{question.d}"))
    if pairs:
        ahead = sum(first > second for _, first, second in pairs)
        m, first, second = pairs[-1]
        sentences.append(
            f"From the columns of {_named(question.shown)} the best rank d is ahead of the classical one "
            f"at {ahead} "
            f"of {len(pairs)} numbers of columns; at l = {m} it is {percent(first)} against "
            f"{percent(second)}."
        )
    seconds = by_method(costs, "seconds")
    sentences += _published(verdicts(seconds, SECONDS), "faster than", "Also as in the paper")
    sentences += _overhead(seconds)
    if seconds:
        given = (
            "K is given to every method"
            if question.at_hand
            else "every entry of K is computed when asked for"
        )
        sentences.append(
            f"Seconds are the median of {SECONDS_REPEATS} runs on this server, one at a time, where {given}; "
            "other visitors' work slows them."
        )
    return " ".join(sentences) or WAITING


def _published(found: Sequence[Verdict], relation: str, start: str) -> list[str]:
    """One sentence for all statements that hold at most numbers of columns, one for each that does not."""
    sentences, agreed = [], []
    for ahead in dict.fromkeys(verdict.statement.ahead for verdict in found):
        held = [v for v in found if v.statement.ahead == ahead and v.reproduced]
        if held:
            names = _listed([_named(v.statement.behind) for v in held])
            fewest = min(v.holds for v in held)
            where = "at every number of columns"
            if fewest < held[0].of:
                where = f"at {fewest} or more of {held[0].of} numbers of columns"
            agreed.append(f"{_named(ahead)} is {relation} {names} {where}")
    if agreed:
        sentences.append(f"{start}, {'; '.join(agreed)}.")
    for v in found:
        if not v.reproduced:
            said = v.statement
            tell = _close_percent if said.larger_is_ahead else _milliseconds
            where = f" {said.where}" if said.where else ""
            sentences.append(
                f"The paper has {_named(said.ahead)} {relation} {_named(said.behind)}{where}; here that "
                f"holds at {v.holds} of {v.of} numbers of columns, and at l = {v.at} it is "
                f"{tell(v.ahead)} against {tell(v.behind)}."
            )
    return sentences


def _first_of_kmeans(values: Values) -> list[str]:
    """The paper's remark on k-means: best on some sets, far behind on others."""
    ranks = []
    for methods in values.values():
        means = means_of(methods)
        if "kmeans" in means and len(means) > 1:
            ranks.append((sum(value > means["kmeans"] for value in means.values()) + 1, len(means)))
    if not ranks:
        return []
    low, high, of = min(r for r, _ in ranks), max(r for r, _ in ranks), max(n for _, n in ranks)
    place = f"{low} of {of}" if low == high else f"{low} to {high} of {of}"
    return [
        f"The paper finds k-means ahead on some sets and far behind on others; here its place is {place}."
    ]


def _overhead(seconds: Values) -> list[str]:
    both = [m for m, methods in seconds.items() if {"partition_greedy", "uniform"} <= set(methods)]
    if not both:
        return []
    a, b = (float(np.median(seconds[both[-1]][name])) for name in ("partition_greedy", "uniform"))
    return [
        f"The paper calls the overhead of {_named('partition_greedy')} over uniform sampling small: at "
        f"l = {both[-1]} it takes {_milliseconds(a)} against {_milliseconds(b)}, {three_digits(a / b)} "
        "times as long."
    ]


def _named(method: str) -> str:
    """Name a method within a list of names: without a comma of its own."""
    name, _, more = label(method).partition(", ")
    return f"{name} ({more})" if more else name


def _close_percent(part: float) -> str:
    """Methods near 100 % differ in the second decimal."""
    return f"{100 * part:.2f} %"


def _milliseconds(seconds: float) -> str:
    return f"{three_digits(1000 * seconds)} ms"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
