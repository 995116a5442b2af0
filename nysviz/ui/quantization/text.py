"""The sentences and the table of the page "Quantization"."""

from __future__ import annotations

import math

from nysviz.papers.zhang2008.figure2 import Correlation, Interval
from nysviz.ui import page
from nysviz.ui.quantization.controls import LABELS
from nysviz.ui.quantization.result import Findings

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


SEEN = (
    "Each point is a run: the further left, the better it encodes the data, and the lower, the better it "
    "approximates K. The table has the correlation within each method too, of runs that differ by their seed "
    "alone. An interval that holds 0 shows no relation."
)


def answer(found: Findings) -> str:
    """Answer the page's question in one sentence."""
    whole = found.overall
    if math.isnan(whole.spearman):
        return "There is no rank correlation to measure: it takes runs that differ in both errors."
    return (
        f"Over {whole.runs} runs the rank correlation of quantization and approximation error is "
        f"{_bold(whole)}; with the mean of each method taken out, {_bold(found.pooled)}."
    )


def _bold(found: Correlation) -> str:
    low, high = (signed(end) for end in found.spearman_interval)
    interval = "" if low == "–" else f" (95 % interval {low} to {high})"
    return f"**{signed(found.spearman)}**{interval}"


def signed(value: float) -> str:
    """Write a correlation with two digits and a true minus; a dash where there is none."""
    # Adding 0 takes the sign off a rounded −0.
    return "–" if math.isnan(value) else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def numbers(found: Findings) -> str:
    """Return the table of all correlations."""
    groups = {LABELS[method]: of_method for method, of_method in found.by_method.items()}
    if len(groups) > 1:
        groups = {"all runs": found.overall, "methods taken out": found.pooled, **groups}
    rows = [
        (name, _cell(one.spearman, one.spearman_interval), _cell(one.pearson, one.pearson_interval))
        for name, one in groups.items()
    ]
    return page.number_table(("correlation", "rank (Spearman)", "Pearson"), rows)


def _cell(value: float, interval: Interval) -> str:
    low, high = map(signed, interval)
    return signed(value) if low == "–" else f"{signed(value)} <small>{low} … {high}</small>"
