"""The words and numbers of the second view of the page "Bounds"."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.bounds.eigengap import Conclusion
from nysviz.bounds.relative import arthur_bound, li_bound, oglic_bound
from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.spectrum import best_errors
from nysviz.ui import page
from nysviz.ui.sidebar.scene import Scene

MATHS = r"""
Let $K_k$ be the best approximation of rank $k$ (rank $K$ in the paper and in the choices above). For $k$
kernel k-means++ landmarks, Oglic and Gärtner (2017), theorem 4, state

$$\mathbb{E}\,\frac{\|K-\tilde K\|_F}{\|K-K_k\|_F} \le 8\,(\ln(k+1)+2)\,\big(\sqrt{n-k}+\Theta_k\big), \qquad
\Theta_k = \frac{\phi(C^* \mid U_k)}{\|K-K_k\|_F},$$

provided that the eigengap is large enough for the $k+1$ centroids of the best clustering $C^*$ in feature
space to span the top $k$ eigenvectors $U_k$ (theorem 1). Their corollary 5 assumes $\Theta_k \le \sqrt{n-k}$.
For $l \ge k$ landmarks drawn by a k-DPP, Li, Jegelka and Sra (2016) have
$\frac{l+1}{l+1-k}\sqrt{n-k}$ in place of the right side; $l$ is chosen beside the chart, and where it is
more than $k$ the errors are those of the best rank $k$ of $\tilde K$, as Oglic and Gärtner read it. For the
seeds of k-means++, Arthur and Vassilvitskii (2007) have $\mathbb{E}\,\phi \le 8(\ln k + 2)\,\phi^*$.

$C^*$ cannot be computed. The best of five Lloyd runs stands for it: its $\phi$ is at least $\phi^*$, so the
ratio of potentials shown is at most the true one. Theorem 1 is about points centred in feature
space, and how large its gap has to be is defined in its proof, in the paper's appendix, not in its text. The
condition is therefore tried by what it implies: the centroids of the centred points would span their top $k$
singular vectors. The bounds take $K$ as it stands, as in the paper's experiments; the table has the gap, and
the part of the centroids outside the eigenvectors, both ways.
"""
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SOURCE = (
    "Oglic and Gärtner, Nyström method with kernel k-means++ samples as landmarks, ICML 2017: theorems 1, 3 "
    "and 4, corollary 5, equation (5); Li, Jegelka and Sra 2016; Arthur and Vassilvitskii 2007."
)


@dataclass(frozen=True)
class Clusters:
    """What theorem 4 needs beside n and the rank, measured on the best clustering found.

    ``seeds`` is the mean potential of k-means++ seeds over that of the best clustering, NaN where that is 0
    as each point has a cluster of its own; ``outside`` the part of the centroids' squared length outside the
    top eigenvectors; ``gap`` is λ_k − λ_{k+1} over λ_k. ``centred`` has both for points centred in feature
    space, of which theorem 1 speaks.
    """

    theta: float
    seeds: float
    outside: float
    gap: float
    centred: Conclusion


def answer(
    rank: int,
    landmarks: int,
    means: dict[str, float],
    limits: dict[str, float | None],
    clusters: Clusters | None,
) -> str:
    """Answer in one line: mean errors over the best of the rank, and what is guaranteed."""
    parts = []
    for name, mean in means.items():
        limit = limits[name]
        if limit is None:
            told = "for which theorem 4 says nothing"
        elif name == "dpp":
            told = f"guaranteed at most {three_digits(limit)}"
        elif clusters is None:
            told = f"for which theorem 4 states {three_digits(limit)} or more"
        elif clusters.centred.holds:
            told = f"for which theorem 4 states at most {three_digits(limit)}"
        else:
            told = f"for which theorem 4 would state {three_digits(limit)}, but its condition fails here"
        parts.append(f"{METHODS[name].label} is **{three_digits(mean)}** times the best, {told}")
    of = "" if landmarks == rank else f" for rank {rank},"
    return f"With {landmarks} landmarks{of} {'; '.join(parts)}."


def headline(means: dict[str, float], limits: dict[str, float | None], clusters: Clusters | None) -> str:
    """What the chart shows."""
    fails = clusters is not None and not clusters.centred.holds
    for name, bound in (("kmeanspp", "Theorem 4"), ("dpp", "Li's bound")):
        limit = limits[name]
        if limit is not None and name in means:
            allows = "would allow" if name == "kmeanspp" and fails else "allows"
            return f"{bound} {allows} {three_digits(limit / means[name])} times what is measured"
    return "Runs begin"


def numbers(scene: Scene, values: FloatArray, rank: int, landmarks: int, clusters: Clusters) -> str:
    """Tell the parts of the guarantees as a table."""
    n = scene.data.n
    rows = [
        ("theorem 4, with Θ", three_digits(oglic_bound(rank, n, clusters.theta)), f"l = {rank}"),
        ("Θ", three_digits(clusters.theta), f"√(n−k) = {three_digits(np.sqrt(n - rank))}"),
        ("k-DPP (Li et al.)", three_digits(li_bound(landmarks, rank, n)), f"l = {landmarks}"),
        (
            "k-means++ seeds φ / best φ",
            three_digits(clusters.seeds) if math.isfinite(clusters.seeds) else "–",
            f"≤ {three_digits(arthur_bound(rank + 1))}",
        ),
        (
            "eigengap (λ<sub>k</sub> − λ<sub>k+1</sub>) / λ<sub>k</sub>",
            three_digits(clusters.gap),
            f"centred: {three_digits(clusters.centred.gap)}",
        ),
        (
            "centroids outside U<sub>k</sub>",
            f"{100 * clusters.outside:.3g} %",
            f"centred: {100 * clusters.centred.outside:.3g} %",
        ),
        ("best error of rank k", three_digits(best_errors(values, rank)[0]), ""),
    ]
    return page.number_table(("", "value", ""), rows)


def seen(scene: Scene, rank: int, clusters: Clusters) -> str:
    """Say what the numbers mean."""
    n = scene.data.n
    corollary = clusters.theta <= np.sqrt(n - rank)
    sentences = [
        f"Θ is {three_digits(clusters.theta)} on the best clustering found, "
        f"{'below' if corollary else 'above'} √(n − k) = {three_digits(np.sqrt(n - rank))}: the assumption "
        f"of corollary 5 {'holds' if corollary else 'fails'} for it.",
        _gap_condition(rank, clusters),
    ]
    if math.isfinite(clusters.seeds):
        sentences.append(
            f"The seeds of k-means++ have {three_digits(clusters.seeds)} times the potential of the best "
            f"clustering, where {three_digits(arthur_bound(rank + 1))} times the optimum is guaranteed on "
            "average."
        )
    return " ".join(sentences)


def _gap_condition(rank: int, clusters: Clusters) -> str:
    centred, leading = clusters.centred, f"λ{str(rank).translate(SUBSCRIPTS)}"
    asked = (
        f"Theorem 1, on which theorem 4 rests, needs a large enough gap after {leading} of the points "
        f"centred in feature space; here it is {three_digits(centred.gap)} of {leading}. It would put the "
        f"{rank + 1} centroids into the span of the top {rank} singular vectors"
    )
    if centred.holds:
        return f"{asked}, and there they are, up to rounding."
    return (
        f"{asked}, but {100 * centred.outside:.3g} % of their squared length lies outside: if no better "
        "clustering exists, the gap is not large enough."
    )
