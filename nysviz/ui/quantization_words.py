"""The words and numbers of the page "Quantization": the answer, the table, what is seen and why."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.experiments.zhang2008.correlation import Correlation, Interval
from nysviz.experiments.zhang2008.figure2 import Cloud
from nysviz.figures.look import three_digits
from nysviz.ui import page
from nysviz.ui.quantization import LABELS, Choice, labelled
from nysviz.ui.scene import Scene

MATHS = r"""
The quantization error of landmarks $z_1, \dots, z_m$ sums the squared distances of the points to the nearest,

$$e = \sum_{i=1}^n \min_j \|x_i - z_j\|^2 .$$

Zhang, Tsang and Kwok bound the approximation error by it (proposition 3). With $T$ the size of the largest
cluster and $C$ a constant of the kernel,

$$\|K - E W^{-1} E^{\top}\|_F \le 4 T \sqrt{m C e T} + m\,C\,e\,T\,\|W^{-1}\|_F ,$$

and take $e$ as what a good choice makes small, which is what k-means does. A bound does not say that of two
choices the one with the smaller $e$ is the better: that is what the points are for.

Pearson's correlation measures how near the points are to a line; Spearman's is Pearson's of their ranks, and
asks only that one error rises with the other. Intervals hold 95 % of 2 000 bootstrap samples, drawn within
each method. *Methods taken out* takes the mean of its method off both errors of each run: what is left is the
relation among runs of the same method.
"""
SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008, figure 2 "
    "(german, m = 100, 100 runs of k-means centres, uniform and column-norm sampling), proposition 3."
)


@dataclass(frozen=True)
class Findings:
    """All correlations of the runs on the screen."""

    overall: Correlation
    pooled: Correlation
    by_method: dict[str, Correlation]


def findings(points: Cloud) -> Findings:
    """Correlate both errors over all runs, with the methods taken out, and for each method alone."""
    present = [method for method in points.methods if len(points.of(method))]
    return Findings(
        points.overall(), points.pooled(), {method: points.of_method(method) for method in present}
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


def signed(value: float) -> str:
    """Write a correlation with two digits and a true minus."""
    return f"{value:.2f}".replace("-", "−")


def _range(interval: Interval) -> str:
    return "" if math.isnan(interval[0]) else f"{signed(interval[0])} … {signed(interval[1])}"


def _judged(found: Correlation) -> str:
    """Whether the runs tell a relation: "with", "against", or "open" where the interval holds 0."""
    low, high = found.spearman_interval
    if math.isnan(low) or low <= 0 <= high:
        return "open"
    return "with" if low > 0 else "against"


RELATIONS = {
    "with": "a smaller quantization error goes with a smaller approximation error",
    "against": "a smaller quantization error goes with a larger approximation error",
    "open": "the two errors show no relation that so few runs could tell from chance",
}


def answer(found: Findings) -> str:
    """Answer the page's question for the present settings in one line, with its number."""
    whole = found.overall
    if math.isnan(whole.spearman):
        return "Too few runs are there to tell whether a good encoding makes a good approximation."
    known = {name: c for name, c in found.by_method.items() if not math.isnan(c.spearman) and c.runs > 2}
    several = len(found.by_method) > 1
    text = (
        f"{'Across' if several else 'Over'} {whole.runs} runs {RELATIONS[_judged(whole)]}: rank correlation "
        f"**{signed(whole.spearman)}**"
    )
    if several and known:
        low = min(known, key=lambda name: known[name].spearman)
        high = max(known, key=lambda name: known[name].spearman)
        text += f"; within one method, {signed(known[low].spearman)} ({LABELS[low]})"
        if high != low:
            text += f" to {signed(known[high].spearman)} ({LABELS[high]})"
    return f"{text}."


def title(points: Cloud) -> str:
    """Say what the main picture shows: which method has the least of both errors."""
    best = _least(points, points.quantization), _least(points, points.relative)
    if len(points.methods) == 1:
        return f"{LABELS[points.methods[0]]}: each run encodes and approximates differently"
    if best[0] == best[1]:
        return f"{LABELS[best[0]]}: on average the least of both errors"
    return f"Least quantization error: {LABELS[best[0]]}; least approximation error: {LABELS[best[1]]}"


def _least(points: Cloud, values: FloatArray) -> str:
    """Method with the smallest mean of these values."""
    means = {name: float(values[rows].mean()) for name in points.methods if len(rows := points.of(name))}
    return min(means, key=means.__getitem__)


def deviation_title(found: Findings) -> str:
    """Say what is left within the methods."""
    if math.isnan(found.pooled.spearman):
        return "Within a method nothing varies"
    return f"With the methods taken out the rank correlation is {signed(found.pooled.spearman)}"


def close(scene: Scene, choice: Choice, points: Cloud, found: Findings) -> None:
    """End the page: what is seen and why, the maths, the same numbers in Python, the source."""
    page.closing(_seen(choice, points, found), MATHS, _python(scene, choice), SOURCE)


def _seen(choice: Choice, points: Cloud, found: Findings) -> str:
    sentences = []
    if len(found.by_method) > 1:
        e, error = _least(points, points.quantization), _least(points, points.relative)
        mean = three_digits(float(points.quantization[points.of(e)].mean()))
        sentences.append(
            f"On average {LABELS[e]} encodes the data best, with a quantization error of {mean}."
        )
        same = "It also has" if e == error else f"{LABELS[error]} has"
        size = three_digits(float(points.relative[points.of(error)].mean()))
        sentences.append(f"{same} the smallest mean approximation error, {size}.")
        sentences.append(
            f"Over all {found.overall.runs} runs {RELATIONS[_judged(found.overall)]}: the rank correlation "
            f"is {signed(found.overall.spearman)}."
        )
    varied = {name: c for name, c in found.by_method.items() if not math.isnan(c.spearman_interval[0])}
    for kind, words in (
        ("with", "the relation holds among the runs of the same method as well"),
        ("open", "the interval holds 0: among its own runs a better encoding tells little or nothing"),
        ("against", "it is the other way round"),
    ):
        names = [name for name, of_method in varied.items() if _judged(of_method) == kind]
        if names:
            every = len(names) == len(varied) > 2
            whose = f"each of the {len(names)} methods" if every else labelled(names)
            sentences.append(f"Within {whose} {words}.")
    alone = [name for name, of_method in found.by_method.items() if of_method.runs == 1]
    if alone and choice.repeats > 1:
        plural = "have" if len(alone) > 1 else "has"
        sentences.append(f"{labelled(alone)} {plural} no randomness, so there is one run.")
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def _python(scene: Scene, choice: Choice) -> str:
    data = scene.data
    own = "own_data" in st.session_state and st.session_state["own_data"] is data
    load = 'nv.parse(open("your_file.csv", "rb").read(), "your_file.csv")'
    if not own:
        settings = "".join(f", {name}={value!r}" for name, value in scene.settings)
        load = f'nv.load("{data.name}"{settings})'
    return f"""import nysviz as nv
from scipy.stats import spearmanr

data = {load}
kernel = nv.{scene.kernel!r}
e, error = [], []
for method in {choice.methods!r}:
    for seed in range({scene.seed}, {scene.seed + choice.repeats}):
        a = nv.approximate(data.X, kernel, method, m={choice.m}, seed=seed)
        e.append(nv.quantization_error(data.X, a.landmarks))
        error.append(nv.errors(data.X, kernel, a).relative_frobenius)
        if not nv.METHODS[method].random:
            break
print(spearmanr(e, error).statistic)"""
