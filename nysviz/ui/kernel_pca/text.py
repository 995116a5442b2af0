"""The sentences and the table of the page "Kernel PCA"."""

from __future__ import annotations

import numpy as np

from nysviz.landmarks import METHODS
from nysviz.learning.kernel_pca import Embedding
from nysviz.text import counted, in_seconds, three_digits
from nysviz.ui import page
from nysviz.ui.controls import Choice
from nysviz.ui.kernel_pca.result import Embedded
from nysviz.ui.sidebar.scene import Scene

EXPLANATION = (
    "The method's embedding is drawn after the linear transform that brings it nearest to the exact one; "
    "what is lost shows as points drawn towards the middle. The misalignment is √Σ sin²θ over the angles θ "
    "of all directions that are compared, also those that are not drawn. The eigenvectors of K̃ in the "
    "orthogonal form are orthonormal; those of the plain extension are not in general."
)
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


def answer(scene: Scene, choice: Choice, exact: Embedding, run: Embedded) -> str:
    """Answer the page's question in one sentence."""
    k = exact.vectors.shape[1]
    return (
        f"Misalignment **{three_digits(run.misalignment)}** of {counted(k, 'leading direction')} with "
        f"{METHODS[choice.method].in_words(choice.m)} for {counted(scene.data.n, 'point')}, from 0 (the same "
        f"picture) to {three_digits(np.sqrt(k))} (nothing left of it)."
    )


def numbers(exact: Embedding, run: Embedded) -> str:
    """Return the table: misalignment, angles and seconds."""
    k = exact.vectors.shape[1]
    rows = [("misalignment", three_digits(run.misalignment), f"of {three_digits(np.sqrt(k))}")]
    # A method whose K̃ has fewer directions loses the others altogether.
    angles = [*map(float, run.angles), *[90.0] * (k - len(run.angles))]
    for j, angle in enumerate(angles, 1):
        found = "of 90°" if j <= len(run.angles) else "not found"
        rows.append((f"angle θ<sub>{j}</sub>", f"{three_digits(angle)}°", found))
    times = f"{three_digits(exact.seconds / run.seconds)} ×" if run.seconds > 0 else ""
    rows.append(("time, this method", in_seconds(run.seconds), ""))
    rows.append(("time, exact directions", in_seconds(exact.seconds), times))
    return page.number_table(("", "", ""), rows)


def source(choice: Choice) -> str:
    """Name the paper, and the method's source."""
    return f"{SOURCE} Method: {METHODS[choice.method].source}."
