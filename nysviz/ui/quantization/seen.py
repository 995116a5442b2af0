"""What the runs on the page "Quantization" say: correlations, the best methods, and that in sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.figures.look import three_digits
from nysviz.kernels import default_width
from nysviz.landmarks import METHODS
from nysviz.papers.zhang2008.correlation import ROUNDING, Correlation
from nysviz.papers.zhang2008.figure2 import Cloud
from nysviz.ui.quantization.parts import LABELS, Choice, labelled
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.store import store


@dataclass(frozen=True)
class Findings:
    """All correlations of the runs on the screen."""

    overall: Correlation
    pooled: Correlation
    by_method: dict[str, Correlation]


def settled(scene: Scene, points: Cloud) -> Cloud:
    """Return the runs with 0 for errors that are rounding alone, beside ‖K‖ and the scatter of the data."""
    data = scene.data
    width = store().get(("default width", data.digest), lambda: default_width(data.X))
    return points.settled(data.n * width)


def findings(points: Cloud) -> Findings:
    """Correlate both errors over all runs, with the methods taken out, and for each method alone.

    Kept by the runs themselves: nothing is computed again while none comes in, nor by others who watch.
    """
    held = (points.groups, points.quantization, points.relative)
    key = ("correlations", points.methods, *(values.tobytes() for values in held))
    return store().get(key, lambda: _correlated(points))


def _correlated(points: Cloud) -> Findings:
    present = [method for method in points.methods if len(points.of(method))]
    return Findings(
        points.overall(), points.pooled(), {method: points.of_method(method) for method in present}
    )


def signed(value: float) -> str:
    """Write a correlation with two digits and a true minus."""
    # Adding 0 takes the sign off a rounded −0.
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _judged(found: Correlation) -> str:
    """Whether the runs tell a relation: "with", "against", or "open" where the interval holds 0."""
    low, high = found.spearman_interval
    if math.isnan(low) or low <= 0 <= high:
        return "open"
    return "with" if low > 0 else "against"


RELATIONS = {
    "with": "a smaller quantization error goes with a smaller approximation error",
    "against": "a smaller quantization error goes with a larger approximation error",
    "open": "the two errors show no relation that these runs could tell from chance",
}


def answer(points: Cloud, found: Findings) -> str:
    """Answer the page's question for the present settings in one line, with its number."""
    whole = found.overall
    if math.isnan(whole.spearman):
        return _unanswered(points)
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


def _unanswered(points: Cloud) -> str:
    """Why there is no correlation."""
    if not points.relative.any():
        return "Every approximation is exact here: no error is left that the encoding could explain."
    if len(points) < 2:
        return "Too few runs are there to tell whether a good encoding makes a good approximation."
    return "One of the two errors is the same in all runs, so there is no relation to see."


def title(points: Cloud) -> str:
    """Say what the main picture shows: which methods have the least of both errors."""
    if len(points.methods) == 1:
        label = LABELS[points.methods[0]]
        if len(points) == 1:
            return f"{label} has one run"
        differ = np.ptp(points.quantization) > 0 and np.ptp(points.relative) > 0
        return f"{label}: runs differ in both errors" if differ else f"{label}: runs share one of the errors"
    encoders, best = _least(points, points.quantization), _least(points, points.relative)
    if not points.relative.any():
        return "Every approximation is exact up to rounding"
    if encoders == best:
        who = _who(points, best)
        return f"{who[:1].upper()}{who[1:]}: on average the least of both errors"
    return (
        f"Least quantization error: {_who(points, encoders)}; least approximation error: {_who(points, best)}"
    )


def _who(points: Cloud, names: list[str]) -> str:
    """Name methods that share a place; more than two are counted."""
    if len(names) <= 2:
        return labelled(names)
    return "all methods" if len(names) == len(points.methods) else f"{len(names)} methods"


def _least(points: Cloud, values: FloatArray) -> list[str]:
    """Methods with the smallest mean of these values; more than one where rounding alone parts them."""
    means = {name: float(values[rows].mean()) for name in points.methods if len(rows := points.of(name))}
    limit = min(means.values()) + ROUNDING * max(means.values())
    return [name for name, mean in means.items() if mean <= limit]


def deviation_title(found: Findings) -> str:
    """Say what is left within the methods."""
    if math.isnan(found.pooled.spearman):
        return "Within a method there is no relation to see"
    return f"With the methods taken out the rank correlation is {signed(found.pooled.spearman)}"


def _best(points: Cloud) -> list[str]:
    """Which methods encode best, and which approximate best."""
    encoders, best = _least(points, points.quantization), _least(points, points.relative)
    mean = three_digits(float(points.quantization[points.of(encoders[0])].mean()))
    many = len(encoders) > 1
    how = "encode the data best" if many else "encodes the data best"
    if len(encoders) == len(points.methods):
        how = "encode the data equally well"
    sentences = [f"On average {_who(points, encoders)} {how}, with a quantization error of {mean}."]
    size = three_digits(float(points.relative[points.of(best[0])].mean()))
    if not points.relative.any():
        return [*sentences, "Every approximation is exact up to rounding."]
    if len(best) == len(points.methods):
        return [*sentences, f"All have the same mean approximation error, {size}."]
    who = ("They also have" if many else "It also has") if encoders == best else ""
    who = who or f"{_who(points, best)} {'have' if len(best) > 1 else 'has'}"
    return [*sentences, f"{who} the smallest mean approximation error, {size}."]


def seen(choice: Choice, points: Cloud, found: Findings) -> str:
    """Say what the pictures show, from their numbers."""
    sentences = []
    if len(found.by_method) > 1:
        sentences += _best(points)
        if not math.isnan(rho := found.overall.spearman):
            runs = found.overall.runs
            sentences.append(
                f"Over all {runs} runs {RELATIONS[_judged(found.overall)]}: rank correlation {signed(rho)}."
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
    alone = [name for name in found.by_method if not METHODS[name].random]
    if alone and choice.repeats > 1:
        plural = "have" if len(alone) > 1 else "has"
        sentences.append(f"{labelled(alone)} {plural} no randomness, so there is one run.")
    sentences = sentences or [answer(points, found)]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)
