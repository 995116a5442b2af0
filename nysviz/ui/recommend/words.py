"""The words and numbers of the page "Recommend"."""

from __future__ import annotations

import math

from nysviz.advice import (
    Recommendation,
    Width,
    best_loss,
    chosen_width,
    columns,
    is_enough,
    sentence,
    sigma_of,
    task_of,
)
from nysviz.advice.curve import curve_of
from nysviz.advice.question import SIZES
from nysviz.advice.screening import Tried
from nysviz.text import in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.store import store

# Spreads of columns that differ more than so many times: the widest alone decides the distances.
UNEVEN = 100.0
# The bandwidth that is offered, by the same words on its button and in the text.
WIDEST = "the widest as good for the labels"
NEAREST = "the widest of the nearest for the labels"
WAITING = "The first runs are on their way."

MATHS = r"""
For each method $e(m; n)$ is the relative error of $\tilde K$ from $m$ landmarks that were chosen among all
$n$ rows. Where the rows are many it is estimated from parts of $s$ rows. The residual $R = K - \tilde K$ is
looked at on the part itself, where landmarks suit the rows too well, and on rows that were not among the
candidates, where they suit them less than they would those of all $n$:

$$e_{\text{in}}(m; s) \;\le\; e(m; n) \;\le\; e_{\text{out}}(m; s) \quad\text{in the mean, for } n \ge s .$$

Both gaps shrink as $1/s$, as those of training and test error do, so

$$\hat e(m; n) = \frac{e_{\text{in}} + e_{\text{out}}}{2}
- \frac{s}{n}\,\frac{e_{\text{out}} - e_{\text{in}}}{2}
\;\pm\; \Big(1 - \frac sn\Big)\frac{e_{\text{out}} - e_{\text{in}}}{2},$$

times $e^{\pm 1.645\,\mathrm{sd}}$ for the 5 % and 95 % quantiles of
single runs. Landmarks that are rows have no residual: with
$p$ of them the trace is $(n-p)$ times the mean of $R_{ii}$ over the other rows, and the squared Frobenius
norm $(n-p)\,\overline{R_{ii}^2} + (n-p)(n-p-1)\,\overline{R_{ij}^2}$. Methods that always take the worst
row go for outliers, of which more rows have more: for these no claim is made before they are run on all rows.

Seconds are $a_0 + a_1 N + a_2 F$ with the method's kernel evaluations $N$ and multiplications $F$, and
constants $a_k \ge 0$ fitted to timed runs; some of these are first held out and predicted from the others,
and how far off that was is the interval. The first candidates are then run on all rows with several seeds,
until the $m$ at which the 95 % quantile of the error meets the target is known to 4 %, or time is up; one
standard error is
added.
"""

SOURCE = (
    "No paper: measurements on these data. Default width: Zhang, Tsang and Kwok, ICML 2008, section 4. "
    "Methods: see the page Compare."
)


def answer(found: Recommendation) -> str:
    """Return the recommendation in one line, the choice itself bold."""
    if not found.candidates:
        return WAITING
    text, best = sentence(found), found.best
    if best is not None:
        choice = f"{best.label} with m = {best.m} landmark{'' if best.m == 1 else 's'}"
        text = text.replace(f"{best.label} with m = {best.m}", f"**{choice}**")
    return text


def title(found: Recommendation) -> str:
    """Tell what the main chart shows."""
    best = found.best
    if not found.candidates:
        return "Error against landmarks"
    if best is None:
        return f"No method reaches {found.asked.target:g} within what was asked"
    return f"{_capital(best.label)}: {found.asked.target:g} with m = {best.m}"


def seconds_title(found: Recommendation) -> str:
    """Tell what the chart of seconds shows."""
    meeting = [one for one in found.candidates if one.meets]
    if not meeting:
        return f"No method reaches {found.asked.target:g}, whatever its seconds"
    quickest = min(meeting, key=lambda one: one.seconds.value)
    return f"Quickest to the target: {quickest.label}, in {in_seconds(quickest.seconds.value)}"


def width_title(found: Recommendation) -> str:
    """Tell what the bandwidth does: its m suffices in the mean, that of the table in 19 of 20 runs."""
    known = [one for one in found.widths if one.m is not None]
    if len(known) < 2:
        return "Landmarks that each bandwidth needs"
    low, high = known[0], known[-1]
    ends = f"m = {low.m} at σ = {three_digits(low.sigma)}, {high.m} at {three_digits(high.sigma)}"
    return f"Enough in the mean: {ends}"


def measured_on(found: Recommendation) -> str:
    """Say which rows the runs had."""
    asked = found.asked
    if asked.uses_all_rows:
        return "all rows"
    return f"parts of {found.candidates[0].curve.size if found.candidates else SIZES[-1]} rows"


def width_told(one: Width) -> str:
    """What the hover says of a bandwidth."""
    count = f"m = {one.m} is enough in the mean"
    if one.m is None:
        count = f"m = {one.most} leaves {three_digits(one.error)} in the mean"
    loss = ""
    if not math.isnan(one.loss):
        loss = f"<br>loss {three_digits(one.loss)} ± {three_digits(one.loss_se)} with m = {one.landmarks}"
        if one.few < one.landmarks:
            loss += (
                f"<br>loss {three_digits(one.few_loss)} ± {three_digits(one.few_loss_se)} with m = {one.few}"
            )
    return f"σ = {three_digits(one.sigma)}, {three_digits(one.multiple)} times the present σ<br>{count}{loss}"


def learned_best(found: Recommendation) -> Width | None:
    """The widest bandwidth that predicts as well as the best, also with the landmarks of the target."""
    return chosen_width(found.widths)


def is_as_good(found: Recommendation) -> bool:
    """Whether the present bandwidth is within one standard error of the best with many landmarks."""
    loss, error = best_loss(found.widths)
    return any(one.multiple == 1.0 and one.loss <= loss + error for one in found.widths)


def enough_for_labels(found: Recommendation, one: Width) -> bool:
    """Whether the landmarks that the target needs with this bandwidth predict as well as the best."""
    return is_enough(one, found.widths)


def loss_name(y: object, task: str | None) -> str:
    """Name of the axis of what is learned; empty without labels."""
    if y is None:
        return ""
    return (
        "share of wrong classes" if (task or task_of(y)) == "classification" else "squared error / variance"
    )


def table(found: Recommendation) -> str:
    """Return the candidates in order, those that meet target and budget first."""
    rows = []
    for one in found.candidates:
        # In parentheses: more is not allowed, or was not tried.
        name = f"<b>{one.label}</b>" if one is found.best else one.label
        count = str(one.m) if one.meets else f"({one.m})"
        rows.append((name, count, in_seconds(one.seconds.value)))
    return page.number_table(("method", f"m for {found.asked.target:g}", "time"), rows)


def seen(scene: Scene, found: Recommendation, tried: list[Tried]) -> str:
    """Say what was seen, from the numbers."""
    if not found.candidates:
        return WAITING
    said = []
    first = found.candidates[0]
    said.append(f"{_capital(first.label)}: {_small(first.reason)}")
    if found.floor is not None and first.m:
        rank = found.floor.needed(found.asked.target)
        where = (
            ""
            if found.floor.rows == found.asked.n
            else f" (of {found.floor.rows} sampled rows, a lower bound)"
        )
        if rank is not None:
            said.append(
                f"The smallest rank that can meet the target is {rank}{where}; no choice of landmarks needs "
                "fewer."
            )
    said += _spread(found) + _check(found, tried)
    held = [one for one in found.candidates if one.cost.held_out]
    if held:
        off = sorted(one.cost.off for one in held)[len(held) // 2]
        said.append(
            f"Seconds that were held out were predicted within a factor of {three_digits(off)} "
            "(19 of 20, median over the methods)."
        )
    said += _about_widths(found, loss_name(scene.data.y, scene.data.task))
    low, high = store().get(("columns", scene.data.digest), lambda: columns(scene.data.X)).spreads
    # Pixels share their unit, and those at the rim hardly vary.
    if scene.data.image_shape is None and low > 0 and high > UNEVEN * low:
        said.append(
            f"The widest column's standard deviation is {three_digits(high / low)} times the narrowest's: "
            "wide columns decide the distances; think of scaling them first."
        )
    return " ".join(said)


def _spread(found: Recommendation) -> list[str]:
    """Say why one method may have two numbers of landmarks on this page."""
    if not any(one.m is not None for one in found.widths):
        return []
    return [
        "The m of the table keeps to the target in 19 of 20 runs, that of the chart of bandwidths in the "
        "mean: it leaves no room for the spread of runs."
    ]


def _check(found: Recommendation, tried: list[Tried]) -> list[str]:
    """Carry the smallest part's curves to the largest part's rows, and count how many errors lie inside."""
    asked = found.asked
    if asked.uses_all_rows:
        return []
    small, large = asked.sizes[0], asked.sizes[-1]
    inside = total = 0
    for one in found.candidates:
        of_small = [t for t in tried if t.method == one.method and t.size == small]
        if not of_small or not one.curve.carries:
            continue
        curve = curve_of(one.method, of_small, large, asked.most(small))
        for t in tried:
            if t.method == one.method and t.size == large and curve.ms[0] <= t.m <= small / 4:
                # On the part itself: what n = s rows would show.
                total += 1
                inside += curve.at(t.m).low <= t.inner <= curve.at(t.m).high
    if not total:
        return []
    return [
        f"As a check, the errors from {small} rows were carried to {large}: {inside} of the {total} errors "
        "measured there lie in their interval."
    ]


def _about_widths(found: Recommendation, loss: str) -> list[str]:
    if not found.widths or sigma_of(found.asked.kernel) is None:
        return []
    best = learned_best(found)
    if best is None:
        return [
            "The error alone cannot choose a bandwidth: a wider kernel is always easier to approximate, as "
            "it tells fewer rows apart. The 1 of the slider is the width of Zhang, Tsang and Kwok."
        ]
    loss_of_best, error = best_loss(found.widths)
    now, within = ("as well as", "within") if is_as_good(found) else ("worse than", "by more than")
    present = next((one for one in found.widths if one.multiple == 1.0), None)
    own = "" if present is None else f", its own is {three_digits(present.loss)}"
    said = [
        f"By five-fold cross-validation of ridge regression with {best.landmarks} landmarks the present "
        f"bandwidth predicts {now} the best one tried, {within} one standard error: the best loss is "
        f"{three_digits(loss_of_best)} ± {three_digits(error)}{own} ({loss})."
    ]
    its = "with the landmarks that the target needs in the mean (randomly pivoted Cholesky)"
    # A σ stays small where a sentence begins.
    name = "The present one" if best is present else f"σ = {three_digits(best.sigma)}"
    if is_enough(best, found.widths):
        said.append(f"{name} is {WIDEST} {its}: {_few(best)}.")
    else:
        said.append(
            f"No bandwidth is as good as the best {its}: for the labels take more, that is a smaller target. "
            f"{name} is {NEAREST}, up to one standard error: {_few(best)}."
        )
    if present is not None and best is not present and not is_enough(present, found.widths):
        said.append(f"With the present one {_few(present)}.")
    said.append("The m of the table are for the error alone.")
    return said


def _few(one: Width) -> str:
    """Say the loss with the landmarks of the target, or with as many of them as it was measured with."""
    need = f"m = {one.m}" if one.m is not None else f"more than {one.most} are needed"
    loss = f"a loss of {three_digits(one.few_loss)} ± {three_digits(one.few_loss_se)}"
    return f"{need}, with {loss}" if one.m == one.few else f"{need}, and {one.few} have {loss}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]
