"""The words and numbers of the page "Spectrum"."""

from __future__ import annotations

from functools import partial

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.figures.look import grouped, three_digits
from nysviz.landmarks import METHODS
from nysviz.ui import page
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.spectrum import rows as spectrum_rows
from nysviz.ui.spectrum.computing import DRAWS, Distances, Reading, sufficient_sample, tightness
from nysviz.ui.spectrum.parts import Choice

LAWS = {"power": "power law", "exponential": "exponential"}
MATHS = r"""
$K = k(X, X)$ of $n$ rows ($N$ in the paper) has the eigenvalues $\lambda_1 \ge \dots \ge \lambda_n \ge 0$,
and $\lambda_i / n$ are those of the operator
$L_n = \frac1n \sum_i \varphi(x_i) \otimes \varphi(x_i)$. The gap after rank $r$ is
$(\lambda_r - \lambda_{r+1})/n$. The effective dimension counts the eigenvalues above $n\lambda$, softly:

$$d(\lambda) = \sum_i \frac{\lambda_i}{\lambda_i + n\lambda} = \operatorname{tr} K (K + n \lambda I)^{-1} .$$

The laws $\lambda_i \approx c\, i^{-p}$ and $\lambda_i \approx c\, q^{\,i}$ are straight lines in
$\ln \lambda_i$ against $\ln i$ and against $i$; each is fitted by least squares to all eigenvalues above
rounding, and $R^2$ is the part of the variance of $\ln \lambda_i$ that it explains.

For $k(x, x) \le 1$ and $m$ sampled points, theorem 5 of Yang et al. states with probability $1 - n^{-3}$

$$\|L_n - L_m\|_{HS} \le \frac{2 \ln(2n^3)}{m} + \sqrt{\frac{2 \ln(2n^3)}{m}},$$

and theorem 1 (an extra error of $O(1/m)$) asks that the gap be larger than three times that. The left side
needs no features, since
$\langle \varphi(x) \otimes \varphi(x), \varphi(y) \otimes \varphi(y)\rangle_{HS} = k(x, y)^2$:

$$\|L_n - L_m\|_{HS}^2 = \frac{\|K\|_F^2}{n^2} - \frac{2 \|E\|_F^2}{n m} + \frac{\|W\|_F^2}{m^2} .$$
"""
SOURCE = (
    "Yang, Li, Mahdavi, Jin and Zhou, Nyström method vs random Fourier features: a theoretical and empirical "
    "comparison, NIPS 2012: figures 1b and 3, theorems 1 and 5."
)


def answer(scene: Scene, reading: Reading) -> str:
    """Answer the page's question in one line."""
    first = reading.values[0]
    if not first > 0:
        return "All eigenvalues are 0."
    if len(reading.values) == 1:
        return "One row has one eigenvalue, and no gap."
    if reading.gap is None:
        return "All eigenvalues are equal up to rounding: there is no gap, and theorem 1 says nothing."
    of_sample = " of the sampled rows" if reading.rows < scene.data.n else ""
    below = int((reading.values >= 1e-3 * first).sum())
    fall = (
        f"the eigenvalues fall below λ₁/1000 after rank **{below}**"
        if below < reading.rows
        else f"all **{below}** eigenvalues{of_sample} stay above λ₁/1000"
    )
    return (
        f"The largest gap, **{three_digits(reading.gap.size)} n**, comes after rank **{reading.gap.r}**; "
        f"{fall}. {theorem(scene, reading)}"
    )


def theorem(scene: Scene, reading: Reading) -> str:
    """What theorem 1 asks for on these data, as a sentence."""
    if reading.asked is None:
        return "Without a gap theorem 1 says nothing."
    asked, n = grouped(reading.asked), grouped(scene.data.n)
    if reading.asked <= scene.data.n:
        return f"Theorem 1 asks for m ≥ {asked} of {n} rows."
    return f"Theorem 1 asks for m ≥ {asked}, more than the {n} rows: never on these data."


def numbers(scene: Scene, choice: Choice, reading: Reading, distances: Distances | None) -> str:
    """The numbers beside the picture."""
    gap, laws = reading.gap, reading.laws
    rows = []
    if gap is not None:
        ratio = three_digits(gap.ratio) if np.isfinite(gap.ratio) else "∞"
        rows += [
            ("largest gap after rank r", str(gap.r), f"λ<sub>r</sub>/λ<sub>r+1</sub> = {ratio}"),
            ("gap / n", three_digits(gap.size), ""),
        ]
    rows.append(
        (f"d(λ), λ = {choice.ridge:.2g}", three_digits(reading.dimension), f"of {grouped(reading.rows)}")
    )
    if laws is not None:
        for law in laws:
            form = f"i<sup>−{law.rate:.2f}</sup>" if law.kind == "power" else f"{law.factor:.4f}<sup>i</sup>"
            rows.append((f"{LAWS[law.kind]}, R²", f"{law.explained:.3f}", form))
    asked = "–" if reading.asked is None else grouped(reading.asked)
    never = reading.asked is None or reading.asked > scene.data.n
    rows.append(("theorem 1 asks for m ≥", asked, "never here" if never else f"of {grouped(scene.data.n)}"))
    if distances is not None:
        enough = sufficient_sample(reading, distances)
        shown = f"> {distances.sizes[-1]}" if enough is None else grouped(enough)
        rows.append(("gap > 3 ‖L<sub>n</sub> − L<sub>m</sub>‖ seen from m", shown, f"{DRAWS} draws"))
    return page.number_table(("", "value", ""), rows)


def close(
    scene: Scene,
    choice: Choice,
    reading: Reading,
    curves: dict[str, FloatArray],
    distances: Distances | None,
) -> None:
    """End the page."""
    page.closing(
        _seen(scene, choice, reading, curves, distances),
        MATHS,
        spectrum_rows.python(scene, choice, tuple(curves)),
        SOURCE,
        partial(spectrum_rows.rows, scene, choice, reading, curves, distances),
    )


def _seen(
    scene: Scene,
    choice: Choice,
    reading: Reading,
    curves: dict[str, FloatArray],
    distances: Distances | None,
) -> str:
    sentences = []
    if reading.rows < scene.data.n:
        sentences.append(
            f"K has {grouped(scene.data.n)} rows; the exact curve is that of {grouped(reading.rows)} sampled "
            "ones, whose λ/n estimate the leading eigenvalues well and the last ones not at all."
        )
    total = float(reading.values.sum())
    if total > 0:
        held = 100 * float(reading.values[: choice.m].sum()) / total
        part = f"{held:.3g}" if held < 99.95 else "more than 99.9"
        first = f"first m = {choice.m} eigenvalues hold" if choice.m > 1 else "largest eigenvalue holds"
        sentences.append(f"The {first} {part} % of the trace.")
    sentences += _followed(curves, reading)
    laws = reading.laws
    if laws is not None and laws[0].explained > laws[1].explained:
        sentences.append(
            f"Over the eigenvalues above rounding the {LAWS[laws[0].kind]} explains "
            f"{100 * laws[0].explained:.1f} % of the variance of ln λ, the {LAWS[laws[1].kind]} "
            f"{100 * laws[1].explained:.1f} %."
        )
    if reading.top != 1.0:
        sentences.append(
            f"The theorems need k(x, x) ≤ 1; here it reaches {three_digits(reading.top)}, so gap and "
            "distance are divided by it in the two pictures about them, and λ is multiplied by it."
        )
    if distances is not None and np.isfinite(tightness(distances)).all():
        ratios = tightness(distances)
        verdict = "holds in every draw" if ratios.min() >= 1 else "is exceeded in some draw"
        sentences.append(
            f"Theorem 5's bound {verdict}; it is {three_digits(float(ratios.min()))} to "
            f"{three_digits(float(ratios.max()))} times the largest of {DRAWS} measured distances."
        )
    return " ".join(sentence for sentence in sentences if sentence)


def _followed(curves: dict[str, FloatArray], reading: Reading) -> list[str]:
    """How far each method's eigenvalues stay within 10 % of those of K."""
    ranks = {METHODS[method].label: _within(values, reading) for method, values in curves.items()}
    kept = [f"{rank} with {label}" for label, rank in ranks.items() if rank]
    lost = [label for label, rank in ranks.items() if not rank]
    sentences = []
    if kept:
        sentences.append(f"The eigenvalues stay within 10 % of those of K up to rank {_joined(kept)}.")
    if lost:
        sentences.append(f"With {_joined(lost)} already λ₁ is more than 10 % off.")
    return sentences


def _within(values: FloatArray, reading: Reading) -> int:
    count = min(len(values), reading.rows)
    exact = reading.values[:count]
    off = np.abs(values[:count] - exact) > 0.1 * exact
    return int(off.argmax()) if off.any() else count


def _joined(parts: list[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
