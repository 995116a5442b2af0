"""The table, the maths and the code of the page "Quantization"."""

from __future__ import annotations

import math
from functools import partial

from nysviz.papers.zhang2008.correlation import Correlation, Interval
from nysviz.papers.zhang2008.figure2 import Cloud
from nysviz.ui import page
from nysviz.ui.quantization import rows as quantization_rows
from nysviz.ui.quantization.parts import LABELS, Choice
from nysviz.ui.quantization.seen import Findings, seen, signed
from nysviz.ui.sidebar.scene import Scene

MATHS = r"""
The quantization error of landmarks $z_1, \dots, z_m$ sums the squared distances of the points to the nearest,

$$e = \sum_{i=1}^n \min_j \|x_i - z_j\|^2 .$$

Zhang, Tsang and Kwok bound the approximation error by it (proposition 3). With $T$ the size of the largest
cluster and $C$ a constant of the kernel,

$$\|K - E W^{-1} E^{\top}\|_F \le 4 T \sqrt{m C e T} + m\,C\,e\,T\,\|W^{-1}\|_F ,$$

and take $e$ as what a good choice makes small, which is what k-means does. A bound does not say that of two
choices the one with the smaller $e$ is the better: that is what the points are for.

Pearson's correlation measures how near the points are to a line; Spearman's is Pearson's of their ranks, and
asks only that one error rises with the other. Intervals hold 95 % of 2000 bootstrap samples, drawn within
each method. *Methods taken out* takes the mean of its method off both errors of each run: what is left is the
relation among runs of the same method.
"""
SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008, figure 2 "
    "(german, m = 100, 100 runs of k-means centres, uniform and column-norm sampling), proposition 3."
)


def numbers(found: Findings) -> str:
    """Tell all correlations as a table."""
    rows = []
    if len(found.by_method) > 1:
        rows = [_row("all runs", found.overall), _row("methods taken out", found.pooled)]
    rows += [_row(LABELS[method], of_method) for method, of_method in found.by_method.items()]
    return page.number_table(("correlation", "rank (Spearman)", "Pearson"), rows)


def _row(name: str, found: Correlation) -> tuple[str, str, str]:
    return (
        name,
        _cell(found.spearman, found.spearman_interval),
        _cell(found.pearson, found.pearson_interval),
    )


def _cell(value: float, interval: Interval) -> str:
    if math.isnan(value):
        return "–"
    return f"{signed(value)} <small>{_range(interval)}</small>"


def _range(interval: Interval) -> str:
    return "" if math.isnan(interval[0]) else f"{signed(interval[0])} … {signed(interval[1])}"


def close(scene: Scene, choice: Choice, points: Cloud, found: Findings) -> None:
    """End the page: what is seen and why, the maths, the same numbers in Python, the source."""
    python = quantization_rows.python(scene, choice)
    rows = partial(quantization_rows.rows, scene, choice, points, found)
    page.closing(seen(choice, points, found), MATHS, python, SOURCE, rows)
