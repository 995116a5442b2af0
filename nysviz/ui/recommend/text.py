"""The sentences and the tables of the page "Recommend"."""

from __future__ import annotations

import math

from nysviz.advice.bandwidths import Width, chosen_width, task_of
from nysviz.advice.candidates import Candidate
from nysviz.advice.recommendation import Recommendation, sentence
from nysviz.landmarks import METHODS
from nysviz.text import capital, counted, in_bytes, in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.recommend.result import WIDTH_METHOD, better_width, present_width

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
constants $a_k \ge 0$ fitted to timed runs. The first candidates are then run on all rows with several seeds,
until the $m$ at which the 95 % quantile of the error meets the target is known to 4 %, or time is up; one
standard error is added.
"""
SOURCE = (
    "No paper: measurements on these data. Default width: Zhang, Tsang and Kwok, ICML 2008, section 4. "
    "Methods: see the page Compare."
)
EXPLANATION = (
    "The m of the table keeps to the target in 19 of 20 runs; that of the chart of bandwidths in the mean, "
    "with randomly pivoted Cholesky. The loss is that of ridge regression on Nyström features, by five-fold "
    "cross-validation; an error of approximation alone cannot choose a bandwidth, since a wider kernel is "
    "always easier to approximate. Peak memory is held while an approximation is made; the factor that "
    "remains, which the page Approximate tells, takes 8 nm bytes."
)


def answer(found: Recommendation) -> str:
    """Return bandwidth, method and m: from the labels once they are tried, and at the present bandwidth."""
    if not found.candidates:
        return "The first runs are on their way."
    text, best = sentence(found), found.best
    if best is not None:
        choice = f"**{best.label} with m = {counted(best.m, 'landmark')}**"
        text = text.replace(f"{best.label} with m = {best.m}", choice).rpartition(", ")[0]
        text += f", peak memory {in_bytes(best.bytes)}."
    chosen, better, present = chosen_width(found.widths), better_width(found), present_width(found)
    if present is None:
        return text
    own = f"σ = {three_digits(present.sigma)}"
    if chosen is None and best is not None:
        return f"{text} Keep **{own}**: without labels an error alone cannot choose a bandwidth."
    if chosen is present:
        return (
            f"{text} Keep **{own}**: its loss, {_loss(present)}, is within one standard error of the best of "
            f"{len(found.widths)} bandwidths."
        )
    if better is None or better is not chosen:
        return text
    return (
        f"For these labels take **σ = {three_digits(better.sigma)}, {METHODS[WIDTH_METHOD].label}, "
        f"m = {better.m}**: loss {_loss(better)}. The present {own} has {_loss(present)}. "
        f"At the present σ: {text}"
    )


def _loss(one: Width) -> str:
    """Write the loss with the landmarks of the target, or with as many of them as it was measured with."""
    return f"{three_digits(one.few_loss)} ± {three_digits(one.few_loss_se)} with m = {one.few}"


def loss_name(y: object, task: str | None) -> str:
    """Name the loss."""
    is_class = (task or task_of(y)) == "classification"
    return "share of wrong classes" if is_class else "squared error / variance"


def title(found: Recommendation) -> str:
    """Tell what the main chart shows."""
    best = found.best
    if best is None:
        return f"No method reaches {found.asked.target:g} so far"
    return f"{capital(best.label)}: {found.asked.target:g} with m = {best.m}"


def seconds_title(found: Recommendation) -> str:
    """Tell what the chart of seconds shows."""
    meeting = [one for one in found.candidates if one.meets]
    if not meeting:
        return f"No method reaches {found.asked.target:g}"
    quickest = min(meeting, key=lambda one: one.seconds)
    return f"Quickest to the target: {quickest.label}, in {in_seconds(quickest.seconds)}"


def width_title(found: Recommendation) -> str:
    """Tell how many landmarks the narrowest and the widest bandwidth need."""
    ends = [f"m = {one.m} at σ = {three_digits(one.sigma)}" for one in found.widths if one.m is not None]
    return f"Enough in the mean: {', '.join(ends[:: max(1, len(ends) - 1)])}"


def width_hover(one: Width) -> str:
    """Return what the hover says of a bandwidth."""
    m = f"more than {one.most}" if one.m is None else one.m
    text = f"σ = {three_digits(one.sigma)}, {three_digits(one.multiple)} times the present σ"
    text += f"<br>needed in the mean: m = {m}"
    if math.isnan(one.loss):
        return text
    many = f"{three_digits(one.loss)} ± {three_digits(one.loss_se)} with m = {one.landmarks}"
    return f"{text}<br>loss {many}<br>loss {_loss(one)}"


def table(found: Recommendation) -> str:
    """Return the candidates in order, those that meet target and budget first."""
    rows = []
    for one in found.candidates:
        # In parentheses: more is not allowed, or was not tried.
        name = f"<b>{one.label}</b>" if one is found.best else one.label
        count = str(one.m) if one.meets else f"({one.m})"
        rows.append((name, count, in_seconds(one.seconds)))
    return page.number_table(("method", f"m for {found.asked.target:g}", "time"), rows)


def reasons(found: Recommendation) -> list[dict[str, str]]:
    """Return all that is known of each candidate, for a table."""
    return [_cells(one, found.asked.n, found.asked.target) for one in found.candidates]


def _cells(one: Candidate, n: int, target: float) -> dict[str, str]:
    # What was only expected meets the target where its whole interval does.
    is_sure = one.verified is not None or one.error.high <= target * (1.0 + 1e-9)
    return {
        "method": one.label,
        "m": str(one.m),
        "error": three_digits(one.error.value),
        "90 % of runs": f"{three_digits(one.error.low)} to {three_digits(one.error.high)}",
        "why": one.reason,
        "time": in_seconds(one.seconds),
        "peak memory": in_bytes(one.bytes),
        "entries of K / n²": three_digits(one.kernel_evaluations / n**2),
        "meets": ("yes" if is_sure else "perhaps") if one.meets else "no",
        "on all rows": "measured" if one.verified is not None else "expected",
    }
