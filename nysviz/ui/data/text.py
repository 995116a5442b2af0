"""The sentences and tables of the page "Data"."""

from __future__ import annotations

import math

from nysviz.advice.data import Percentile
from nysviz.advice.question import MOST_LANDMARKS
from nysviz.advice.trial import TRIALS, WORTH
from nysviz.text import percent, three_digits
from nysviz.ui import page
from nysviz.ui.data.result import Candidate, Facts, Suggestion
from nysviz.ui.sidebar.scene import Scene

RULES = {
    "default width": "Zhang's default width",
    "median": "median distance",
    "far end": "99th percentile (Oglic)",
    "sidebar": "the sidebar's",
    "kernel": "the sidebar's kernel",
}
MATHS = r"""
Let $D = \|x - y\|^2$ over the pairs of rows. The papers call these bandwidths standard, all for
$k(x, y) = \exp(-\|x-y\|^2 / 2\sigma^2)$:

- Zhang, Tsang and Kwok: $2\sigma^2 = \frac1n \sum_i \|x_i - \bar x\|^2$, half of the mean of $D$;
- Oglic and Gärtner: $1/\sigma^2$ from the inverse 99th to the inverse 1st percentile of $D$, the upper end
  at least 1;
- the median of $D$, a common choice between these;
- Farahat, Ghodsi and Kamel: $\sigma = 10$ for pictures.

With landmarks of row numbers $S$ and $\tilde K = K_{:S} K_{SS}^{+} K_{S:}$, the residual $K - \tilde K$ is
positive semidefinite, so its trace bounds its spectral and its Frobenius norm, and

$$\frac{\operatorname{tr}(K - \tilde K)}{\operatorname{tr} K}
= \frac{\sum_i \big(k(x_i, x_i) - \|z(x_i)\|^2\big)}{\sum_i k(x_i, x_i)}$$

is a mean over rows: a random sample of them estimates it without bias. Landmarks come from randomly pivoted
Cholesky, where the features $z$ for $t$ landmarks are the first $t$ of those for more, so one run gives the
error for every $m$. A percentile $q_p$ of $D$ from $s$ sampled rows has the interval between the quantiles at
$p \pm 1.96 \cdot 2\,\operatorname{sd}(p_i) \sqrt{(1 - s/n)/s}$, where $p_i$ is the share of row $i$'s
distances below $q_p$ (Woodruff).
"""

SOURCE = (
    "Default width: Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML "
    "2008, section 4. Percentiles: Oglic and Gärtner, Nyström method with kernel k-means++ samples as "
    "landmarks, ICML 2017, section 5. σ = 10 for pictures: Farahat, Ghodsi and Kamel, Greedy Nyström "
    "approximation, 2011, section 4. Randomly pivoted Cholesky: Chen, Epperly, Tropp and Webber 2022."
)
SEEN = (
    "The bars are the distances of pairs of rows; the curve is the entry of K at each distance under the "
    "suggested kernel. A wide kernel needs few landmarks since it tells fewer rows apart. Which one predicts "
    "best is another question, which the page Learning asks."
)
REASON = (
    f"Suggested: the narrowest standard bandwidth that needs at most {percent(WORTH)} of the rows, or else "
    f"the one that needs fewest. m is the median of up to {TRIALS} draws (least–most)."
)


def answer(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> str:
    """Answer the page's question in one sentence."""
    n, best, left = scene.data.n, suggestion.best, f"at most {100 * target:g} % of the trace of K"
    if best is not None:
        share = three_digits(100.0 * (best.needed.m or 0) / n)
        count = f"**m = {best.needed.m}** ({share} % of the rows) leaves {left}."
        if best.sigma is None:
            return f"With the {scene.kernel.label} kernel, {count}"
        times = three_digits(math.sqrt(facts.multiple(best.sigma)))
        rule = f"{RULES[best.rule]}, {times} times the default"
        return f"With **σ = {three_digits(best.sigma)}** ({rule}), {count}"
    if not len(facts.distances.squares):
        m = suggestion.candidates[-1].needed.m
        return f"No two rows differ, so there is no distance to take a bandwidth from; m = {m} leaves {left}."
    return f"m = {most_tried(scene)} does not yet leave {left}: accept a larger error."


def most_tried(scene: Scene) -> int:
    """Return the landmarks that the trials go to."""
    return min(MOST_LANDMARKS, scene.data.n)


def suggestions(scene: Scene, suggestion: Suggestion, target: float) -> str:
    """Return the table of the landmarks that each bandwidth needs; the suggested one is bold."""
    rows = []
    for one in suggestion.candidates:
        sigma = "–" if one.sigma is None else three_digits(one.sigma)
        cells = (RULES[one.rule], sigma, _count(scene, one))
        if one is suggestion.best:
            cells = (f"<b>{cells[0]}</b>", f"<b>{cells[1]}</b>", f"<b>{cells[2]}</b>")
        rows.append(cells)
    return page.number_table(("bandwidth", "σ", f"m for {100 * target:g} %"), rows)


def _count(scene: Scene, one: Candidate) -> str:
    needed = one.needed
    if needed.m is None:
        return f"above {most_tried(scene)}" if needed.low is None else f"from {needed.low}"
    spread = "" if needed.low == needed.high else f" ({needed.low}–{needed.high})"
    return f"{needed.m}{spread}"


def facts_table(scene: Scene, facts: Facts) -> str:
    """Return the table of what is known of rows, columns and distances."""
    found, distances, n = facts.columns, facts.distances, scene.data.n
    low, high = found.spreads
    rows = [
        ("rows equal to an earlier one", str(facts.repeated), f"rank of K ≤ {n - facts.repeated}"),
        ("columns with one value", str(found.constant), f"of {scene.data.d}"),
        ("values", _signed(found.lowest), f"to {_signed(found.highest)}"),
        ("spread of a column, sd", three_digits(low), f"to {three_digits(high)}"),
    ]
    for name, one in (
        ("median distance", distances.median),
        ("1 % of the pairs below", distances.near),
        ("99 % of the pairs below", distances.far),
    ):
        rows.append((name, three_digits(math.sqrt(one.value)), _interval(one, facts)))
    return page.number_table(("the rows", "", ""), rows)


def _signed(value: float) -> str:
    return f"−{three_digits(-value)}" if value < 0 else three_digits(value)


def _interval(found: Percentile, facts: Facts) -> str:
    if facts.distances.rows == facts.distances.n:
        return "exact"
    return f"{three_digits(math.sqrt(found.low))} … {three_digits(math.sqrt(found.high))}"
