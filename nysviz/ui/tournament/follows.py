"""What follows from the recorded tournament for somebody who has to choose a method."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.papers.labels import listed
from nysviz.papers.tournament.answers import times_width
from nysviz.papers.tournament.board import COST_OF, REFERENCE, Block, Board, Values
from nysviz.papers.tournament.jobs import levels_of
from nysviz.papers.tournament.setting import CONTESTANTS
from nysviz.papers.tournament.standings import Standing
from nysviz.ui.tournament.parts import Evidence, Question, Result, label, ranked


def follows(found: Evidence) -> str:
    """What follows for a practitioner, from all contestants, bandwidths and m/n of the record."""
    board = found.board
    asked = {
        name: ranked(board, Question(name, board.methods, (), ()))
        for name in ("error", "error_at_equal_evaluations", "error_at_equal_seconds")
    }
    most = max((n for n, _ in board.sizes.values()), default=0)
    starts = {
        "error": "Where m is given and the time to choose does not matter",
        "error_at_equal_evaluations": "Where entries of K are dear",
        "error_at_equal_seconds": f"Where seconds count, with up to {most} rows",
    }
    sentences = [
        _advice(starts[name], one.standing) for name, one in asked.items() if one.standing is not None
    ]
    sentences += _more_columns(board, asked)
    sentences += _too_dear(board.values("error_at_equal_evaluations"))
    sentences += _gains(found)
    standing = asked["error"].standing
    if standing is not None and "uniform" in standing.methods:
        means = standing.test.means
        worse = [name for name in means if means[name] > means["uniform"]]
        if worse:
            sentences.append(
                f"With as many landmarks, {listed([f'{label(n)} ({means[n]:.2f})' for n in worse])} "
                f"{'has' if len(worse) == 1 else 'have'} a worse mean rank by error than uniform sampling "
                f"({means['uniform']:.2f})."
            )
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _advice(start: str, found: Standing) -> str:
    first, *rest = found.test.means
    near = [name for name in rest if not found.test.differ(first, name)]
    text = (
        f"{start}, take **{label(first)}** (mean rank {found.test.means[first]:.2f} of {len(found.methods)})"
    )
    if not math.isfinite(found.test.difference) or not near:
        return f"{text}."
    return f"{text}; not significantly different: {listed([label(name) for name in near])}."


def _more_columns(board: Board, asked: Mapping[str, Result]) -> list[str]:
    """What a winner at equal cost has more of: landmarks."""
    found = []
    for name, cost in COST_OF.items():
        one = asked[name].standing
        first = next(iter(one.test.means)) if one is not None else REFERENCE
        if first != REFERENCE:
            counts = [
                landmarks_at(board, block, first, cost) / block.percent
                for block in board.blocks()
                if math.isfinite(board.number(block, REFERENCE, cost))
            ]
            found.append((first, cost.replace("_", " "), float(np.median(counts))))
    if not found:
        return []
    each = [f"{label(first)} {three_digits(ratio)} times at equal {cost}" for first, cost, ratio in found]
    return [
        "What wins at equal cost does so with other numbers of landmarks, as multiples of those of "
        f"{label(REFERENCE)} in the median: {listed(each)}. A factor with "
        "more columns costs more in all that follows."
    ]


def landmarks_at(board: Board, block: Block, method: str, cost: str) -> float:
    """Per cent of the rows that a method can have for what randomly pivoted Cholesky spends in a block."""
    budget = board.number(block, REFERENCE, cost)
    runs = [
        (board.number(Block(block.data, block.multiple, percent), method, cost), percent)
        for percent in levels_of(method)
    ]
    costs = np.array([spent for spent, _ in runs])
    known = np.isfinite(costs)
    percents = np.log([percent for _, percent in runs])[known]
    ordered = np.maximum.accumulate(np.log(costs[known]))
    return float(np.exp(np.interp(math.log(budget), ordered, percents)))


def _too_dear(values: Values) -> list[str]:
    there = {name for of in values.values() for name in of}
    dear = [
        name
        for name in CONTESTANTS
        if name in there and all(math.isinf(of[name]) for of in values.values() if name in of)
    ]
    if not dear:
        return []
    each = listed([label(name) for name in dear])
    return [
        f"For the entries that randomly pivoted Cholesky reads for m = 10 % of the rows, {each} cannot "
        "choose "
        "even 1 %."
    ]


def _gains(found: Evidence) -> list[str]:
    """How much a good choice is worth at each end of the bandwidths."""
    board = found.board
    if "uniform" not in board.methods or len(board.multiples) < 2:
        return []
    told_ = []
    for multiple in (board.multiples[0], board.multiples[-1]):
        best = ranked_at(found, multiple)
        logs: dict[str, list[float]] = {}
        for block, of in board.values("error").items():
            if block.multiple == multiple and best in of:
                logs.setdefault(block.data, []).append(math.log(of["uniform"] / of[best]))
        ratio = math.exp(float(np.mean([np.mean(values) for values in logs.values()])))
        told_.append((times_width(multiple), label(best), ratio))
    (low, first, small), (high, last, large) = told_
    return [
        f"How much the choice is worth depends on the bandwidth: at {low} of the default width uniform "
        f"sampling has {three_digits(small)} times the error of {first}, at {high} times it "
        f"{three_digits(large)} times that of {last} (geometric means)."
    ]


def ranked_at(found: Evidence, multiple: float) -> str:
    """The method with the best mean rank by error at one bandwidth."""
    one = ranked(found.board, Question("error", found.board.methods, (multiple,), ())).standing
    return next(iter(one.test.means)) if one is not None else found.board.methods[0]
