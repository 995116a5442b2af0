"""The sentences and the table of the page "Spectrum"."""

from __future__ import annotations

from nysviz.figures.spectra import LAW_NAMES
from nysviz.text import grouped, three_digits
from nysviz.ui import page
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.spectrum.controls import Question
from nysviz.ui.spectrum.result import DRAWS, Distances, Reading, sufficient_sample, tightness

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


def answer(reading: Reading) -> str:
    """Answer the page's question in one sentence."""
    if reading.gap is None:
        return "All eigenvalues are equal up to rounding: there is no gap."
    above = int((reading.values >= 1e-3 * reading.values[0]).sum())
    return (
        f"**{grouped(above)}** of {grouped(reading.rows)} eigenvalues are at least λ₁/1000; the largest gap, "
        f"**{three_digits(reading.gap.size)} n**, comes after rank **{reading.gap.r}**."
    )


def numbers(scene: Scene, question: Question, reading: Reading, distances: Distances | None) -> str:
    """Return the table beside the picture."""
    gap, n, rows = reading.gap, scene.data.n, []
    if gap is not None:
        ratio = f"λ<sub>r</sub>/λ<sub>r+1</sub> = {three_digits(gap.ratio)}"
        rows += [("largest gap after rank r", str(gap.r), ratio), ("gap / n", three_digits(gap.size), "")]
    dimension = three_digits(reading.dimension)
    rows.append((f"d(λ), λ = {question.ridge:.2g}", dimension, f"of {grouped(reading.rows)}"))
    for law in reading.laws or ():
        form = f"i<sup>−{law.rate:.2f}</sup>" if law.kind == "power" else f"{law.factor:.4f}<sup>i</sup>"
        rows.append((f"{LAW_NAMES[law.kind]}, R²", f"{law.explained:.3f}", form))
    asked = "–" if reading.asked is None else grouped(reading.asked)
    never = reading.asked is None or reading.asked > n
    rows.append(("theorem 1 asks for m ≥", asked, "never here" if never else f"of {grouped(n)}"))
    if distances is not None:
        enough = sufficient_sample(reading, distances)
        measured = f"> {distances.sizes[-1]}" if enough is None else grouped(enough)
        rows.append(("gap > 3 ‖L<sub>n</sub> − L<sub>m</sub>‖ from m", measured, f"{DRAWS} draws"))
        rows.append(("bound / largest distance", three_digits(tightness(distances)), "theorem 5"))
    return page.number_table(("", "value", ""), rows)


def explanation(scene: Scene, question: Question, reading: Reading) -> str:
    """Say what part of K the first eigenvalues hold, and what the theorems divide by."""
    text = ""
    if reading.rows < scene.data.n:
        text = (
            f"The line of K comes from {grouped(reading.rows)} sampled rows of {grouped(scene.data.n)}: it "
            "estimates the leading eigenvalues well and the last ones not at all. "
        )
    held = 100 * reading.values[: question.m].sum() / (reading.values.sum() or 1.0)
    return text + (
        f"Up to rank m = {question.m} the eigenvalues hold {held:.3g} % of the trace of K. The theorems need "
        f"k(x, x) ≤ 1: gap and distances are divided by its largest value, {three_digits(reading.top)} here, "
        "and λ is multiplied by it."
    )
