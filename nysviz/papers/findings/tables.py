"""The tables of the findings as records, and as CSV."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence

from nysviz.papers.findings.decision import questions
from nysviz.papers.findings.numbers import Mean
from nysviz.papers.findings.summary import CHOICE_LABELS, DECAYS, Findings, explain_verdict, irreproducible

Record = dict[str, object]


def as_csv(numbers: Findings) -> dict[str, str]:
    """Return all tables as CSV, by name."""
    return {name: _csv(records(numbers)) for name, records in TABLES.items()}


def _csv(records: Sequence[Mapping[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(records[0])
    for record in records:
        writer.writerow(f"{cell:.5g}" if isinstance(cell, float) else cell for cell in record.values())
    return text.getvalue()


def _ends(mean: Mean, name: str = "") -> Record:
    """Return a mean and its interval; the interval has the name of the mean before it, if it has one."""
    begin = f"{name}_" if name else ""
    return {name or "ratio": mean.value, f"{begin}low": mean.low, f"{begin}high": mean.high}


def _gain(numbers: Findings) -> list[Record]:
    return [
        {
            "decay": DECAYS[each.decay],
            "percent": each.percent,
            "cells": each.cells,
            "sets": each.sets,
            "without_gain": each.without_gain,
            **{
                key: end for choice in CHOICE_LABELS for key, end in _ends(each.gains[choice], choice).items()
            },
        }
        for each in numbers.gains
    ]


def _ranks(numbers: Findings) -> list[Record]:
    return [
        {
            "method": name,
            **{each.criterion: each.standing.test.means[name] for each in numbers.rankings},
        }
        for name in numbers.board.methods
    ]


def _many_rows(numbers: Findings) -> list[Record]:
    return [
        {
            "method": each.method,
            "criterion": each.criterion,
            **_ends(each.ratio),
            "begun": each.begun,
            "cells": each.cells,
        }
        for each in numbers.many_rows
    ]


def _rows(numbers: Findings) -> list[Record]:
    return [
        {
            "times_default_width": each.multiple,
            "pair": each.pair,
            **_ends(each.ratio),
            "p": each.p,
            "sign": each.sign,
        }
        for each in numbers.rows
    ]


def _eigengap(numbers: Findings) -> list[Record]:
    return [
        {"eigengap": each.gap, "columns": each.columns, **_ends(each.ratio), "p": each.p, "sign": each.sign}
        for each in numbers.gaps
    ]


def _features(numbers: Findings) -> list[Record]:
    return [vars(each) for each in numbers.sets]


def _prediction(numbers: Findings) -> list[Record]:
    return [
        {
            "test_kernel": kernel,
            "data": each.data,
            "percent": each.percent,
            "method": each.method,
            "relative_error": each.error,
            "excess": each.excess.value,
            "low": each.excess.low,
            "high": each.excess.high,
            "pairs": each.pairs,
        }
        for kernel, results in numbers.predictions.items()
        for each in results
    ]


def _losses(numbers: Findings) -> list[Record]:
    return [
        {
            "group_by": size,
            "low": each.low,
            "high": each.high,
            "learner": each.learner,
            "cases": each.cases,
            "without_loss": each.without_loss,
            "sets": each.sets,
            **_ends(each.share, "share"),
        }
        for size, group in (
            ("relative_frobenius", numbers.shares_by_error),
            ("residual_over_ridge", numbers.shares_by_ridge),
        )
        for each in group
    ]


def _decision(numbers: Findings) -> list[Record]:
    return [
        {"decay": DECAYS[decay], "cost": cost, **vars(each)} for (decay, cost), each in numbers.advice.items()
    ]


def _questions(numbers: Findings) -> list[Record]:
    ten = questions(numbers.trials)
    return [
        {
            "data": task.data,
            "n": task.n,
            "d": task.d,
            "times_default_width": task.multiple,
            "decay": DECAYS[task.decay],
            "cost": task.cost,
            "error": task.target,
            "method": trial.method,
            "seconds": task.seconds[trial.method],
            "fastest": task.fastest,
            "ratio": trial.ratio,
            "drawn": trial in ten,
        }
        for trial in numbers.trials
        for task in [trial.task]
    ]


def _verdicts(numbers: Findings) -> list[Record]:
    return [
        {
            "claim": claim.id,
            "verdict": outcome.label,
            "printed": claim.statement,
            "place": claim.place,
            "measured": outcome.statistic,
            "why": explain_verdict(claim, outcome),
        }
        for claim, outcome in irreproducible(numbers.outcomes)
    ]


TABLES: dict[str, Callable[[Findings], list[Record]]] = {
    "gain": _gain,
    "ranks": _ranks,
    "many-rows": _many_rows,
    "rows": _rows,
    "eigengap": _eigengap,
    "features": _features,
    "losses": _losses,
    "prediction": _prediction,
    "decision": _decision,
    "questions": _questions,
    "verdicts": _verdicts,
}
