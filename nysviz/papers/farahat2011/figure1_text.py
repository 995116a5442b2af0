"""The table of the experiment: relative accuracy and seconds, and what the paper says of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from nysviz.landmarks import METHODS
from nysviz.papers.farahat2011.statements import ACCURACY, SECONDS, Statement, Values, Verdict, verdicts
from nysviz.papers.row import Row


def table(rows: Sequence[Row]) -> str:
    """Set relative accuracy and seconds of every method side by side, then the paper's statements.

    The paper prints curves without numbers, so what can be held against it is the order of the methods.
    """
    lines: list[str] = []
    for data in dict.fromkeys(row.data for row in rows):
        of_data = [row for row in rows if row.data == data]
        lines += [f"{data}: n = {of_data[0].n}, d = {of_data[0].d} features; rank 20", ""]
        accuracy, seconds = values_of(of_data, "relative_accuracy"), values_of(of_data, "seconds")
        lines += _block("relative accuracy, %, best rank d of K̃", accuracy, 100.0)
        lines += _block("the same, classical rank d", values_of(of_data, "classical_accuracy"), 100.0)
        lines += _block("seconds, median, K at hand", seconds, 1.0)
        found = verdicts(accuracy, ACCURACY) + verdicts(seconds, SECONDS)
        lines += ["the paper says", *(_line(verdict) for verdict in found), ""]
    lines.append("The paper prints curves, no numbers: what can be compared is the order of the methods.")
    return "\n".join(lines)


def values_of(rows: Sequence[Row], measure: str) -> Values:
    """Values of a measure: l → method → runs."""
    found: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.measure == measure:
            found[row.m][row.method].append(row.value)
    return {
        m: {method: np.array(runs) for method, runs in methods.items()}
        for m, methods in sorted(found.items())
    }


def _block(title: str, values: Values, scale: float) -> list[str]:
    if not values:
        return []
    there = {method for at in values.values() for method in at}
    methods = [method for method in METHODS if method in there]
    lines = [title, f"{'l':>6} " + " ".join(f"{method:>17}" for method in methods)]
    for m, at in values.items():
        lines.append(f"{m:6d} " + " ".join(f"{_cell(at.get(method), scale):>17}" for method in methods))
    return [*lines, ""]


def _cell(runs: np.ndarray[tuple[int], np.dtype[np.float64]] | None, scale: float) -> str:
    if runs is None:
        return "–"
    if scale == 1.0:
        return f"{np.median(runs):.3g}"
    spread = f" ± {scale * runs.std(ddof=1):.1f}" if len(runs) > 1 else ""
    return f"{scale * runs.mean():.1f}{spread}"


def _told(said: Statement, value: float) -> str:
    return f"{100 * value:.2f} %" if said.larger_is_ahead else f"{value:.3g} s"


def _line(verdict: Verdict) -> str:
    said = verdict.statement
    word = "more accurate" if said.larger_is_ahead else "faster"
    return (
        f"  {said.ahead} {word} than {said.behind}: at {verdict.holds} of {verdict.of} l; at l = "
        f"{verdict.at} {_told(said, verdict.ahead)} against {_told(said, verdict.behind)}"
    )
