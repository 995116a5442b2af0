"""The tables of the findings as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence

from nysviz.papers.findings.numbers import Mean
from nysviz.papers.findings.summary import CHOICE_LABELS, DECAYS, Findings, explain_verdict, irreproducible


def tables(numbers: Findings) -> dict[str, str]:
    """Return the tables of the page as CSV, by name."""
    return {
        "gain": _csv(
            ["decay", "percent", "cells", "sets", "without_gain"]
            + [f"{choice}{end}" for choice in CHOICE_LABELS for end in ("", "_low", "_high")],
            (
                [DECAYS[each.decay], each.percent, each.cells, each.sets, each.without_gain]
                + [end for choice in CHOICE_LABELS for end in _mean_ends(each.gains[choice])]
                for each in numbers.gains
            ),
        ),
        "ranks": _csv(
            ["method", *(each.criterion for each in numbers.rankings)],
            (
                [name, *(each.standing.test.means[name] for each in numbers.rankings)]
                for name in numbers.board.methods
            ),
        ),
        "rows": _csv(
            ["times_default_width", "pair", "ratio", "low", "high", "p", "sign"],
            ([each.multiple, each.pair, *_mean_ends(each.ratio), each.p, each.sign] for each in numbers.rows),
        ),
        "eigengap": _csv(
            ["eigengap", "columns", "ratio", "low", "high", "p", "sign"],
            ([each.gap, each.columns, *_mean_ends(each.ratio), each.p, each.sign] for each in numbers.gaps),
        ),
        "features": _csv(
            ["data", "columns", "at_equal_columns", "at_equal_seconds"],
            (
                [each.data, each.columns, each.at_equal_columns, each.at_equal_seconds]
                for each in numbers.sets
            ),
        ),
        "prediction": _csv(
            ["test_kernel", "data", "percent", "method", "relative_error", "excess", "low", "high", "pairs"],
            (
                [
                    kernel,
                    each.data,
                    each.percent,
                    each.method,
                    each.error,
                    *_mean_ends(each.excess),
                    each.pairs,
                ]
                for kernel, results in numbers.predictions.items()
                for each in results
            ),
        ),
        "decision": _csv(
            ["decay", "criterion", "sets", "method", "mean_rank"],
            (
                [DECAYS[each.decay], each.criterion, each.sets, name, rank]
                for each in numbers.advice
                for name, rank in each.ranks.items()
            ),
        ),
        "verdicts": _csv(
            ["claim", "verdict", "printed", "place", "measured", "why"],
            (
                [
                    claim.id,
                    outcome.label,
                    claim.statement,
                    claim.place,
                    outcome.statistic,
                    explain_verdict(claim, outcome),
                ]
                for claim, outcome in irreproducible(numbers.outcomes)
            ),
        ),
    }


def _mean_ends(mean: Mean) -> list[float]:
    return [mean.value, mean.low, mean.high]


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow(f"{cell:.5g}" if isinstance(cell, float) else cell for cell in row)
    return text.getvalue()
