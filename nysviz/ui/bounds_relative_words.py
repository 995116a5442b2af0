"""The words and numbers of the second view of the page "Bounds"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.bounds.relative import arthur_bound, li_bound, oglic_bound
from nysviz.figures.look import three_digits
from nysviz.spectrum import best_errors
from nysviz.ui import page
from nysviz.ui.bounds_words import load_line
from nysviz.ui.scene import Scene

MATHS = r"""
Let $K_k$ be the best approximation of rank $k$. For $k$ kernel k-means++ landmarks, Oglic and Gärtner (2017),
theorem 4, state

$$\mathbb{E}\,\frac{\|K-\tilde K\|_F}{\|K-K_k\|_F} \le 8\,(\ln(k+1)+2)\,\big(\sqrt{n-k}+\Theta_k\big), \qquad
\Theta_k = \frac{\phi(C^* \mid U_k)}{\|K-K_k\|_F},$$

provided that the eigengap is large enough for the $k+1$ centroids of the best clustering $C^*$ in feature
space to span the top $k$ eigenvectors $U_k$ (theorem 1). Their corollary 5 assumes $\Theta_k \le \sqrt{n-k}$.
For $l \ge k$ landmarks drawn by a k-DPP, Li, Jegelka and Sra (2016) have
$\frac{l+1}{l+1-k}\sqrt{n-k}$ in place of the right side; here $l = k$. For the seeds of k-means++,
Arthur and Vassilvitskii (2007) have $\mathbb{E}\,\phi \le 8(\ln k + 2)\,\phi^*$.

$C^*$ cannot be computed. The best of five Lloyd runs stands for it: its $\phi$ is at least $\phi^*$, so the
ratio of potentials shown is at most the true one. The paper derives theorem 1 for points centred in feature
space and leaves its gap condition to an appendix; $K$ is taken here as it stands, as in the paper's
experiments, and the table shows the relative gap and how far the centroids are from the eigenvectors.
"""
SOURCE = (
    "Oglic and Gärtner, Nyström method with kernel k-means++ samples as landmarks, ICML 2017: theorems 1, 3 "
    "and 4, corollary 5, equation (5); Li, Jegelka and Sra 2016; Arthur and Vassilvitskii 2007."
)


@dataclass(frozen=True)
class Clusters:
    """What theorem 4 needs beside n and the rank, measured on the best clustering found.

    ``seeds`` is the mean potential of k-means++ seeds over that of the best clustering; ``outside`` the part
    of the centroids' squared length outside the top eigenvectors; ``gap`` is λ_k − λ_{k+1} over λ_k.
    """

    theta: float
    seeds: float
    outside: float
    gap: float


def numbers(scene: Scene, values: FloatArray, rank: int, clusters: Clusters) -> str:
    """Tell the parts of the guarantees as a table."""
    n = scene.data.n
    rows = [
        ("theorem 4, with Θ", three_digits(oglic_bound(rank, n, clusters.theta)), ""),
        ("Θ", three_digits(clusters.theta), f"√(n−K) = {three_digits(np.sqrt(n - rank))}"),
        ("k-DPP (Li et al.)", three_digits(li_bound(rank, rank, n)), ""),
        (
            "k-means++ seeds φ / best φ",
            three_digits(clusters.seeds),
            f"≤ {three_digits(arthur_bound(rank + 1))}",
        ),
        ("eigengap (λ_K − λ_K+1) / λ_K", three_digits(clusters.gap), ""),
        ("centroids outside U_K", f"{100 * clusters.outside:.3g} %", ""),
        ("best error of rank K", three_digits(best_errors(values, rank)[0]), ""),
    ]
    return page.number_table(("", "value", ""), rows)


def seen(scene: Scene, rank: int, clusters: Clusters) -> str:
    """Say what the numbers mean."""
    n = scene.data.n
    corollary = clusters.theta <= np.sqrt(n - rank)
    sentences = [
        f"Θ is {three_digits(clusters.theta)} on the best clustering found, "
        f"{'below' if corollary else 'above'} √(n − K) = {three_digits(np.sqrt(n - rank))}: the assumption "
        f"of corollary 5 {'holds' if corollary else 'fails'} for it.",
        f"Of the squared length of its {rank + 1} centroids {100 * clusters.outside:.3g} % lies outside the "
        f"top {rank} eigenvectors; theorem 1, on which theorem 4 rests, would make it 0 for centred data.",
        f"The seeds of k-means++ have {three_digits(clusters.seeds)} times the potential of the best "
        f"clustering, where {three_digits(arthur_bound(rank + 1))} times the optimum is guaranteed on "
        "average.",
    ]
    return " ".join(sentences)


def python(scene: Scene, rank: int) -> str:
    """The same numbers without the page."""
    return f"""import nysviz as nv
from nysviz.bounds.relative import li_bound, oglic_bound
from nysviz.spectrum import best_errors

{load_line(scene)}
kernel = nv.{scene.kernel!r}
best = best_errors(nv.spectrum(data.X, kernel), {rank})[0]
a = nv.approximate(data.X, kernel, method="kmeanspp", m={rank}, seed={scene.seed})
print(nv.errors(data.X, kernel, a).frobenius / best)
print(oglic_bound({rank}, data.n), li_bound({rank}, {rank}, data.n))"""
