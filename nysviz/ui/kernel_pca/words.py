"""The words and numbers of the page "Kernel PCA"."""

from __future__ import annotations

import numpy as np

from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.learning.kernel_pca import Embedding, Forms, departure
from nysviz.ui import computing, page
from nysviz.ui.controls import Choice
from nysviz.ui.downloads import Rows
from nysviz.ui.kernel_pca.computing import Run
from nysviz.ui.kernel_pca.curve import ROUNDING
from nysviz.ui.kernel_pca.parts import degrees
from nysviz.ui.sidebar.scene import Scene

MATHS = r"""
Kernel PCA puts the points where the leading eigenvectors of the centred kernel matrix put them,

$$H K H\,u_j = \lambda_j u_j, \qquad H = I - \tfrac1n \mathbf 1\mathbf 1^{\top}.$$

From $\tilde K = G G^{\top}$ the approximate ones are the left singular vectors of $G_c = H G$, the factor
with the mean of its rows taken off, for $H\tilde K H = G_c G_c^{\top}$: $O(n m^2)$, and no $n \times n$
matrix. With $S = G_c^{\top} G_c = V \Lambda V^{\top}$ they are $\tilde U = G_c V \Lambda^{-1/2}$
(proposition 4).

Eigenvectors are known up to a turn when eigenvalues are close, so the embeddings are compared after the
linear transform that brings one nearest to the other,

$$\min_{A \in \mathbb R^{3\times 3}} \|U - \tilde U A\|_F
= \Big(3 - \|\tilde U^{\top} U\|_F^2\Big)^{1/2} = \Big(\sum_j \sin^2\theta_j\Big)^{1/2},$$

with the principal angles $\theta_j$ between the two spans: 0 for the same span, $\sqrt 3$ where nothing is
left.

The plain extension (equation 4) extends the eigenvectors $\Phi_Z$ of the small matrix $W = k(Z, Z)$ to all
points,

$$\Phi \approx \sqrt{m/n}\; E\,\Phi_Z \Lambda_Z^{-1}, \qquad \Lambda \approx \tfrac nm \Lambda_Z .$$

Its columns are not orthogonal in general; those of proposition 4 are the eigenvectors of $\tilde K$ itself.
The third picture is about $K$ and $\tilde K$ as they are, not centred.
"""
SOURCE = (
    "Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008: section "
    "4.2 and table 3 (misalignment, seconds), equation 4 and proposition 4 (the two forms). Table 3 is "
    "reproduced with m = 0.05 n rounded down; the curve rounds m to the nearest whole number. The paper does "
    "not say what becomes of an empty cluster of k-means: the curve has both ways."
)


def numbers(scene: Scene, exact: Embedding, run: Run) -> str:
    """Tell misalignment, angle and seconds as a table."""
    most = np.sqrt(exact.vectors.shape[1])
    every = computing.decomposition_seconds(scene.data.n, vectors=True)
    found, k = len(run.angles), exact.vectors.shape[1]
    among = "of 90°" if found == k else f"{found} of {k} found"
    rows = [
        ("misalignment", three_digits(run.misalignment), f"of {three_digits(most)}"),
        ("largest angle", f"{three_digits(float(run.angles[-1]))}°" if len(run.angles) else "–", among),
        ("time, this method", seconds_in_words(run.seconds), ""),
        ("time, exact directions", seconds_in_words(exact.seconds), _times(exact.seconds, run.seconds)),
        ("time, all eigenvectors", f"≈ {seconds_in_words(every)}", _times(every, run.seconds)),
    ]
    return page.number_table(("", "", ""), rows)


def _times(slow: float, fast: float) -> str:
    return f"{three_digits(slow / fast)} ×" if fast > 0 else ""


def seconds_in_words(seconds: float) -> str:
    """Write a time in ms or s."""
    return f"{three_digits(1000 * seconds)} ms" if seconds < 1 else f"{three_digits(seconds)} s"


def answer(scene: Scene, choice: Choice, exact: Embedding, run: Run) -> str:
    """Answer the page's question for the present settings in one line, with its number."""
    k = exact.vectors.shape[1]
    what = METHODS[choice.method].in_words(choice.m)
    text = (
        f"Misalignment **{three_digits(run.misalignment)}** with {what} for {scene.data.n} points, on a "
        f"scale from 0 (the same picture) to {three_digits(np.sqrt(k))} (nothing left of it)"
    )
    if run.misalignment < ROUNDING:
        text += "; that is rounding"
    elif len(run.angles) < k:
        text += f"; the method finds {len(run.angles)} of {k} direction{'s' if k > 1 else ''}"
    else:
        text += f"; the largest angle between the two is {three_digits(float(run.angles[-1]))}°"
    return text + "."


def seen(exact: Embedding, run: Run, forms: Forms | None) -> str:
    """Say what the pictures show, from their numbers."""
    k = exact.vectors.shape[1]
    sentences = [
        "Exact kernel PCA is drawn beside what the method gives after the linear transform that fits best; "
        "every point keeps its colour."
    ]
    if run.misalignment < ROUNDING:
        sentences.append("The two spans are the same up to rounding.")
    elif len(run.angles) == k:
        sentences.append(
            f"The two spans meet at {'an angle' if k == 1 else 'angles'} of {degrees(run.angles)}; the "
            "misalignment is the root of the sum of their squared sines."
        )
    elif len(run.angles) < k:
        sentences.append(_fewer(len(run.angles), k))
    kept = 1.0 - run.misalignment**2 / k
    if kept < 0.995:
        sentences.append(
            f"Least squares can only shrink: the method's picture keeps {100 * max(kept, 0.0):.3g} % of the "
            "exact one's squared length, and what is lost shows as points drawn towards the middle."
        )
    ratio = exact.seconds / run.seconds if run.seconds > 0 else np.inf
    comparison = (
        f"{three_digits(ratio)} times as long as the method"
        if ratio > 1
        else "no longer than the method itself"
    )
    sentences.append(f"The exact directions alone took {seconds_in_words(exact.seconds)}, {comparison}.")
    if forms is not None and len(forms.extension_angles) and len(forms.orthogonal_angles):
        sentences.append(
            "Without centring, the plain extension's leading vectors are "
            f"{three_digits(departure(forms.extension))} away from orthonormal, and their span is up to "
            f"{degrees(forms.extension_angles[-1:])} from the exact one's; for the orthogonal form it is "
            f"{three_digits(departure(forms.orthogonal))} and {degrees(forms.orthogonal_angles[-1:])}."
        )
    return " ".join(sentences)


def _fewer(found: int, k: int) -> str:
    """What a method shows whose K̃ has fewer directions than the exact picture."""
    if not found:
        return "The method finds no direction at all here: its points fall together."
    place = "on a line" if found == 1 else "in a plane"
    return f"The method finds {found} of {k} directions, so its points lie {place}."


def close(words: str, choice: Choice, python: str, rows: Rows) -> None:
    """End the page."""
    page.closing(words, MATHS, python, f"{SOURCE} Method: {_source(choice)}.", rows)


def _source(choice: Choice) -> str:
    return METHODS[choice.method].source
