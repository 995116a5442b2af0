"""Theorem 1 of Oglic & Gärtner 2017 tried on points centred in feature space, as it is stated for.

It says that the k + 1 centroids of an optimal clustering span the top k singular vectors where the gap
between λ_k and λ_{k+1} is large enough. How large is defined in the theorem's proof, in the paper's appendix,
and not in its text. So the condition is tried by what would follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import svds

from nysviz.blocks import FloatArray, IntArray

# Lanczos pays while at most one singular vector in so many is wanted.
LANCZOS_RATIO = 10


@dataclass(frozen=True)
class Conclusion:
    """What theorem 1 would make of the points, and what they are.

    ``gap`` is (λ_k − λ_{k+1}) / λ_k of the centred points; ``outside`` the part of the centroids' squared
    length, weighted by the clusters' sizes, outside the top k singular vectors: 0 where the theorem's
    conclusion holds.
    """

    gap: float
    outside: float


def conclusion(features: FloatArray, labels: IntArray, rank: int) -> Conclusion:
    """Try theorem 1's conclusion on k + 1 clusters of points (n, r) in feature space, which are centred here.

    If the clustering is optimal and the conclusion fails, the gap is not sufficiently large. O(n r k) times a
    few for the singular vectors, O(n r min(n, r)) where k is a large part of them.
    """
    centred = features - features.mean(axis=0)
    lengths, vectors = _leading(centred, rank + 1)
    first, second = float(lengths[rank - 1] ** 2), float(lengths[rank] ** 2) if len(lengths) > rank else 0.0
    sums = np.zeros((int(labels.max()) + 1, centred.shape[1]))
    np.add.at(sums, labels, centred)
    sizes = np.bincount(labels, minlength=len(sums))
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    inside = sums @ vectors[:rank].T
    length = float((np.einsum("ij,ij->i", sums, sums) / sizes).sum())
    length_inside = float((np.einsum("ij,ij->i", inside, inside) / sizes).sum())
    return Conclusion(
        gap=(first - second) / first if first > 0 else 0.0,
        outside=max(0.0, 1.0 - length_inside / length) if length > 0 else 0.0,
    )


def _leading(points: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Leading singular values, descending, and right singular vectors as rows."""
    if LANCZOS_RATIO * count < min(points.shape):
        # A fixed start: the same call gives the same vectors.
        start = np.random.default_rng(0).standard_normal(min(points.shape))
        _, lengths, vectors = svds(points, k=count, v0=start, return_singular_vectors="vh", rng=0)
        order = np.argsort(lengths)[::-1]
        return lengths[order], vectors[order]
    _, lengths, vectors = np.linalg.svd(points, full_matrices=False)
    return lengths[:count], vectors[:count]
