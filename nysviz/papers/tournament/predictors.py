"""What tells more of the Frobenius error, the quantization error or the residual's trace (x3)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from nysviz.papers.records import Records
from nysviz.papers.statistics import interval, spearman, told, with_interval
from nysviz.papers.tournament.answers import Answer, compared, times_width
from nysviz.papers.tournament.board import Block, Board

# Fewer methods have no order to speak of.
FEWEST = 3


def predictors(records: Records) -> Answer:
    """x3: rank correlations of the quantization error and of the residual's trace with the error."""
    board = Board(records)
    across = correlations(board)
    sides = {
        "across methods": across,
        "within a method": {
            "quantization": _by_set(board.within["within_quantization"]),
            "trace": _by_set(board.within["within_trace"]),
        },
    }
    sentences, statistics, numbers = [], [], []
    for where, of in sides.items():
        names = [name for name in of["trace"] if name in of["quantization"]]
        if not names:
            continue
        trace, quantization = ([of[key][name] for name in names] for key in ("trace", "quantization"))
        gap = compared(np.subtract(trace, quantization))
        clear = gap.p < 0.05
        better = (
            "the residual's trace" if np.mean(trace) > np.mean(quantization) else "the quantization error"
        )
        end = f"(Wilcoxon over {len(names)} data sets, p = {told(gap.p, 2)})"
        told_ = f"mean rank correlation {told(float(np.mean(trace)))} for the trace and "
        told_ += f"{told(float(np.mean(quantization)))} for the quantization error {end}"
        place = f"{where[:1].upper()}{where[1:]}"
        if clear:
            sentences.append(f"{place} {better} is the better predictor of the Frobenius error.")
        else:
            sentences.append(f"{place} neither predictor is better than the other by more than chance.")
        statistics.append(f"{where}: {told_}")
        numbers += [
            (f"{where}, trace (mean, 95 % interval over sets)", with_interval(interval(trace))),
            (f"{where}, quantization error", with_interval(interval(quantization))),
        ]
    means: dict[str, float] = {}
    for multiple in board.multiples:
        one = correlations(board, multiple)
        if one["quantization"]:
            means[times_width(multiple)] = float(np.mean(list(one["quantization"].values())))
        values = [told(float(np.mean(list(one[key].values())))) for key in ("trace", "quantization")]
        numbers.append(
            (
                f"across methods at {times_width(multiple)} × default width",
                f"trace {values[0]}, quantization {values[1]}",
            )
        )
    if sentences and len(means) > 1:
        best, worst = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
        sentences.append(
            f"The quantization error tells most at {best} times the default width (rank correlation "
            f"{told(means[best])}) and least at {worst} times it ({told(means[worst])})."
        )
    if not sentences:
        return Answer("", "no data set has both predictors")
    return Answer(" ".join(sentences), "; ".join(statistics), board.sets, board.repeats, tuple(numbers))


def correlations(board: Board, multiple: float | None = None) -> dict[str, dict[str, float]]:
    """Mean rank correlation over the methods with the error: predictor → data set → mean over its blocks."""
    found: dict[str, dict[str, list[float]]] = {key: defaultdict(list) for key in ("quantization", "trace")}
    for block in board.blocks():
        if multiple in (None, block.multiple):
            for key, value in _in_block(board, block).items():
                found[key][block.data].append(value)
    return {key: {name: float(np.mean(of)) for name, of in sets.items()} for key, sets in found.items()}


def _in_block(board: Board, block: Block) -> dict[str, float]:
    measures = {"quantization": "quantization", "trace": "relative_trace"}
    error = {name: board.number(block, name, "relative_frobenius") for name in board.methods}
    result = {}
    for key, measure in measures.items():
        pairs = [(board.number(block, name, measure), error[name]) for name in board.methods]
        pairs = [pair for pair in pairs if not any(math.isnan(value) for value in pair)]
        if len(pairs) >= FEWEST:
            value = spearman(*zip(*pairs, strict=True))
            if not math.isnan(value):
                result[key] = value
    return result


def _by_set(within: Mapping[tuple[str, float, str], float]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for (name, _, _), value in within.items():
        found[name].append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}
