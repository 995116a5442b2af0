"""Answers to questions across the papers, from the rows of the tournament; the papers' champions (x1).

The unit of every test is the data set: what is measured on one set at several bandwidths and m/n is
summed up first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.papers.records import Records
from nysviz.papers.statistics import told
from nysviz.papers.tournament.board import Board
from nysviz.papers.tournament.setting import NAMES
from nysviz.papers.tournament.standings import standing
from nysviz.sweep.ranking import paired_p, significant

CHAMPIONS = ("greedy", "kmeanspp_lloyd", "kmeans")


@dataclass(frozen=True)
class Answer:
    """What the records say to a question.

    Attributes
    ----------
    sentence : str
        The answer in words, computed.
    statistic : str
        One line with the numbers behind it.
    data : tuple of str
    repeats : int
    numbers : tuple of (what, value)
        The test in detail.
    """

    sentence: str
    statistic: str
    data: tuple[str, ...] = ()
    repeats: int = 0
    numbers: tuple[tuple[str, str], ...] = ()


def name_of(method: str) -> str:
    """A method's name in the middle of a sentence."""
    return NAMES[method]


def listed(words: Sequence[str]) -> str:
    """Say "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def times_width(multiple: float) -> str:
    """A multiple of the default width: 1/16, 1/4, 1, 4."""
    return f"1/{1 / multiple:.3g}" if multiple < 1 else f"{multiple:.3g}"


@dataclass(frozen=True)
class Comparison:
    """Error of one method over that of another, over data sets.

    Attributes
    ----------
    ratio : float
        Error of the second over the first, the geometric mean over the data sets; above 1 the first is ahead.
    p : float
        Wilcoxon's signed-rank test over the data sets.
    sets : int
    """

    ratio: float
    p: float
    sets: int


def compared(logs: Sequence[float] | FloatArray) -> Comparison:
    """Sum up logarithms of ratios, one a data set."""
    values = np.asarray(logs, dtype=float)
    p = paired_p(values, np.zeros(len(values))) if len(values) > 1 else math.nan
    return Comparison(float(np.exp(values.mean())) if len(values) else math.nan, p, len(values))


def champions(records: Records) -> Answer:
    """x1: greedy, kernel k-means++ (refined) and k-means centres at each bandwidth."""
    board = Board(records)
    pairs = {
        (multiple, a, b): compared(_log_ratios(board, multiple, a, b))
        for multiple in board.multiples
        for i, a in enumerate(CHAMPIONS)
        for b in CHAMPIONS[i + 1 :]
    }
    sure = dict(zip(pairs, significant([pair.p for pair in pairs.values()]), strict=True))
    outcome: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    numbers = []
    values = board.values("error")
    for multiple in board.multiples:
        found = standing(values, CHAMPIONS, [multiple])
        if found is None:
            continue
        first, *rest = found.test.means
        beaten = tuple(name for name in rest if _sign(pairs, sure, multiple, first, name) > 0)
        outcome[first, beaten].append(times_width(multiple))
        ratios = ", ".join(
            f"{name_of(b)} {told(_ratio(pairs, multiple, first, b))} times the error of {name_of(first)}"
            for b in rest
        )
        ranks = ", ".join(f"{name_of(name)} {told(mean)}" for name, mean in found.test.means.items())
        numbers.append(
            (
                f"{times_width(multiple)} × default width",
                f"mean ranks {ranks} (Friedman, Iman–Davenport p = {told(found.test.p_f, 2)}); {ratios}",
            )
        )
    if not outcome:
        return Answer("", "the three methods have no common runs")
    sentences = [_won(first, beaten, where) for (first, beaten), where in outcome.items()]
    clear = sum(sure.values())
    statistic = (
        f"{clear} of {len(pairs)} pairs (method against method at one bandwidth) differ by more than chance "
        f"(Wilcoxon over {len(board.sets)} data sets, Holm)"
    )
    return Answer(" ".join(sentences), statistic, board.sets, board.repeats, tuple(numbers))


def _won(first: str, beaten: tuple[str, ...], where: Sequence[str]) -> str:
    place = f"At {listed(where)} times the default width"
    text = f"{place} the smallest mean rank is that of {name_of(first)}"
    if beaten:
        others = listed([name_of(b) for b in beaten])
        return f"{text}, with a smaller error than {others} by more than chance."
    return f"{text}, by no more than chance."


Pairs = Mapping[tuple[float, str, str], Comparison]


def _ratio(pairs: Pairs, multiple: float, first: str, second: str) -> float:
    straight = (multiple, first, second)
    return pairs[straight].ratio if straight in pairs else 1.0 / pairs[multiple, second, first].ratio


def _sign(pairs: Pairs, sure: Mapping[tuple[float, str, str], bool], multiple: float, a: str, b: str) -> int:
    key = (multiple, a, b) if (multiple, a, b) in pairs else (multiple, b, a)
    if not sure[key]:
        return 0
    return 1 if _ratio(pairs, multiple, a, b) > 1 else -1


def _log_ratios(board: Board, multiple: float, first: str, second: str) -> list[float]:
    """Mean logarithm of the second error over the first, over m/n, one a data set."""
    found: dict[str, list[float]] = defaultdict(list)
    for block, of in board.values("error").items():
        if block.multiple == multiple and first in of and second in of:
            found[block.data].append(math.log(of[second] / of[first]))
    return [float(np.mean(logs)) for logs in found.values()]
