"""The words and numbers of the page "Data": the answer, the tables, what is seen and why."""

from __future__ import annotations

import math
from contextlib import suppress
from functools import partial

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from nysviz.advice import MOST_LANDMARKS, TRIALS, WORTH, Landmarks, Percentile
from nysviz.figures.look import three_digits
from nysviz.ui import page
from nysviz.ui.controls import stop_for
from nysviz.ui.data import rows as data_rows
from nysviz.ui.data.parts import RULES, Candidate, Facts, Suggestion, multiple_of
from nysviz.ui.sidebar.scene import Scene

# Spreads of columns that differ more than so many times: the widest alone decides the distances.
UNEVEN = 100.0

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


def answer(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> str:
    """Answer the page's question in one line."""
    left = f"at most {100 * target:g} % of the trace of K"
    if suggestion.best is None:
        return _no_suggestion(scene, facts, suggestion, left)
    best, needed = suggestion.candidates[suggestion.best], suggestion.needed[suggestion.best]
    one = needed.m == 1
    count = f"**m = {needed.m}** {'landmark' if one else 'landmarks'} ({_share(needed, scene)} of the rows)"
    if best.sigma is None:
        return f"The {scene.kernel.label} kernel has no bandwidth; {count} leave{'s' if one else ''} {left}."
    times = three_digits(multiple_of(facts, best.sigma))
    rule = RULES[best.rule]
    of_width = "" if best.rule == "default width" else f", {times} times the default width 2σ²"
    return f"**σ = {three_digits(best.sigma)}** ({rule}{of_width}) and {count} leave {left}."


def _no_suggestion(scene: Scene, facts: Facts, suggestion: Suggestion, left: str) -> str:
    """Say why no bandwidth is suggested."""
    (last, needed), tried = (suggestion.candidates[-1], suggestion.needed[-1]), most_tried(scene)
    with_all = _counted(tried)
    if last.sigma is None:
        return (
            f"The {scene.kernel.label} kernel does not leave {left} with {with_all}: accept a larger error."
        )
    if not len(facts.distances.squares):
        enough = f"; {_counted(needed.m)} leave{'s' if needed.m == 1 else ''} {left}" if needed.m else ""
        return f"{_all_alike(scene, facts)}, so there is no distance to take a bandwidth from{enough}."
    return f"No standard bandwidth leaves {left} with {with_all}: take a wider one, or accept a larger error."


def _all_alike(scene: Scene, facts: Facts) -> str:
    if scene.data.n == 1:
        return "There is one row"
    if facts.repeated == scene.data.n - 1:
        return "All rows are equal"
    return "All rows are equal, or so near that their squared distances vanish"


def _counted(m: int) -> str:
    return "one landmark" if m == 1 else f"{m} landmarks"


def most_tried(scene: Scene) -> int:
    """Landmarks that the trials go to."""
    return min(MOST_LANDMARKS, scene.data.n)


def _share(needed: Landmarks, scene: Scene) -> str:
    return f"{three_digits(100.0 * (needed.m or 0) / scene.data.n)} %"


def suggestions(scene: Scene, suggestion: Suggestion, target: float) -> str:
    """The landmarks that each bandwidth needs, as a table; the suggested one is bold."""
    rows = []
    for index, (one, needed) in enumerate(zip(suggestion.candidates, suggestion.needed, strict=True)):
        cells = (
            RULES[one.rule],
            three_digits(one.sigma) if one.sigma is not None else "–",
            _count(scene, needed),
        )
        bold = tuple(f"<b>{cell}</b>" for cell in cells)
        rows.append((bold if index == suggestion.best else cells)[:3])
    return page.number_table(("bandwidth", "σ", f"m for {100 * target:g} %"), [(a, b, c) for a, b, c in rows])


def _count(scene: Scene, needed: Landmarks) -> str:
    if needed.m is None:
        return f"above {most_tried(scene)}" if needed.low is None else f"from {needed.low}"
    spread = "" if needed.low == needed.high else f" ({needed.low}–{needed.high})"
    return f"{needed.m}{spread}"


def facts_table(scene: Scene, facts: Facts) -> str:
    """What is known of rows, columns and distances, as a table."""
    found, distances = facts.columns, facts.distances
    low, high = found.spreads
    rows = [
        ("rows equal to an earlier one", str(facts.repeated), f"{100 * facts.repeated / scene.data.n:.3g} %"),
        ("columns with one value", str(found.constant), f"of {scene.data.d}"),
        ("values", _signed(found.lowest), f"to {_signed(found.highest)}"),
        ("spread of a column, sd", three_digits(low), f"to {three_digits(high)}"),
        (
            "median distance",
            three_digits(math.sqrt(distances.median.value)),
            _interval(distances.median, facts),
        ),
        (
            "1 % of the pairs below",
            three_digits(math.sqrt(distances.near.value)),
            _interval(distances.near, facts),
        ),
        (
            "99 % of the pairs below",
            three_digits(math.sqrt(distances.far.value)),
            _interval(distances.far, facts),
        ),
    ]
    return page.number_table(("the rows", "", ""), rows)


def _signed(value: float) -> str:
    return f"−{three_digits(-value)}" if value < 0 else three_digits(value)


def _interval(found: Percentile, facts: Facts) -> str:
    if facts.distances.rows == facts.distances.n:
        return "exact"
    return f"{three_digits(math.sqrt(found.low))} … {three_digits(math.sqrt(found.high))}"


def reason(scene: Scene, suggestion: Suggestion) -> str:
    """Say why this bandwidth is suggested, and how sure its m is."""
    if suggestion.best is None:
        return ""
    best, needed = suggestion.candidates[suggestion.best], suggestion.needed[suggestion.best]
    found = best.found.result()
    rows = "" if found.rows == found.n else f", each from {found.rows} rows of {found.n}"
    spread = (
        f"m from {needed.low} to {needed.high}" if needed.low != needed.high else f"m = {needed.m} in all"
    )
    sure = f"{TRIALS} draws{rows}: {spread}."
    if best.sigma is None:
        return sure
    share = f"{100 * WORTH:g} % of the rows"
    if (needed.m or 0) <= WORTH * scene.data.n:
        return f"The narrowest standard bandwidth that needs at most {share}. {sure}"
    return f"All standard bandwidths need more than {share}; this one needs fewest. {sure}"


def offer_link(scene: Scene, facts: Facts, suggestion: Suggestion) -> None:
    """Offer to take over the suggested settings, and to go to the page Approximate with them."""
    if suggestion.best is None:
        return
    best, m = suggestion.candidates[suggestion.best], suggestion.needed[suggestion.best].m or 1
    settings: dict[str, object] = {"ratio": stop_for(scene.data.n, m)[0], "method": "rpcholesky"}
    if best.sigma is not None:
        settings["bandwidth"] = multiple_of(facts, best.sigma)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        # A link alone does not do: controls that have a value keep it, whatever a link says.
        st.button(
            f"Take these, m = {m}",
            key="data_take",
            icon=":material/check:",
            on_click=_take,
            args=(settings,),
        )
        # A page that runs alone has no other page to go to.
        with suppress(StreamlitPageNotFoundError):
            st.page_link("pages/approximate.py", label="Open Approximate", icon=":material/grid_on:")
            st.page_link("pages/recommend.py", label="Which method? Recommend", icon=":material/recommend:")


def _take(settings: dict[str, object]) -> None:
    for name, value in settings.items():
        st.session_state[name] = value


def close(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> None:
    """End the part about one set: what is seen and why, the maths, Python, the source."""
    words = " ".join(_seen(scene, facts, suggestion, target))
    python = data_rows.python(scene, suggestion, target)
    page.closing(words, MATHS, python, SOURCE, partial(data_rows.rows, scene, facts, suggestion, target))


def _seen(scene: Scene, facts: Facts, suggestion: Suggestion, target: float) -> list[str]:
    distances, found = facts.distances, facts.columns
    median, mean = distances.median.value, 2.0 * facts.width
    said = [
        f"1 % of the pairs are nearer than "
        f"{three_digits(math.sqrt(distances.near.value))}, 99 % nearer than "
        f"{three_digits(math.sqrt(distances.far.value))}, a factor of "
        f"{three_digits(math.sqrt(distances.far.value / distances.near.value))}."
        if distances.near.value > 0
        else f"{_all_alike(scene, facts)}, so there is nothing to tell apart."
    ]
    if 0 < median < mean / 2:
        said.append(
            f"The mean squared distance is {three_digits(mean / median)} times the median: few rows far away "
            "carry the default width."
        )
    said += _compared(suggestion.candidates, suggestion.needed, target)
    if facts.repeated:
        said.append(
            f"Rows that repeat an earlier one: {facts.repeated}, so the rank of K is at most "
            f"{scene.data.n - facts.repeated}."
        )
    if found.spreads[0] > 0 and found.spreads[1] > UNEVEN * found.spreads[0]:
        said.append(
            "The widest column has "
            f"{three_digits(found.spreads[1] / found.spreads[0])} times the standard deviation of the "
            "narrowest: wide columns decide the distances."
        )
    return said


def _compared(candidates: tuple[Candidate, ...], needed: tuple[Landmarks, ...], target: float) -> list[str]:
    """Say what another bandwidth costs, where both are known."""
    pairs = zip(candidates, needed, strict=True)
    known = sorted((one.sigma, count.m) for one, count in pairs if count.m and one.sigma)
    if len(known) < 2 or known[0][1] <= known[-1][1]:
        return []
    (narrow, most), (wide, least) = known[0], known[-1]
    return [
        f"To leave {100 * target:g} % of the trace, σ = {three_digits(narrow)} needs {most} landmarks and "
        f"σ = {three_digits(wide)} needs {least}: a wide kernel is cheap since it tells fewer rows apart. "
        "Which one predicts best is another question, which the page Learning asks."
    ]
