"""Guarantees relative to the best: Oglic & Gärtner 2017, Li, Jegelka & Sra 2016, Arthur & Vassilvitskii 2007.

All three bound an expectation over the random choice of landmarks. Oglic's contains the optimal clustering in
feature space, which nobody can compute; the best of several Lloyd runs takes its place, and the consequences
are stated where it is used.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from nysviz.landmarks.lloyd import lloyd
from nysviz.landmarks.nearest import nearest
from nysviz.landmarks.selection import draw
from nysviz.numerics.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.refusal import Refusal

# Eigenvalues of K below this part of the largest one give no feature.
FEATURE_TOLERANCE = 1e-12
LLOYD_ITERATIONS = 30
# Lanczos pays while at most n / LANCZOS_RATIO singular vectors are wanted.
LANCZOS_RATIO = 10
# Lloyd's steps see the leading features with this part of the trace; potentials are those of all features.
SEEN_BY_LLOYD = 0.99


def oglic_bound(rank: int, n: int, theta: float = 0.0) -> float:
    """Bound E ‖K − K̃‖_F / ‖K − K_k‖_F for kernel k-means++ landmarks (Oglic & Gärtner 2017, theorem 4).

    8 (ln(k + 1) + 2) (√(n − k) + Θ) for rank k, where the conditions of their theorem 1 hold; Θ = 0 gives the
    smallest possible bound, and Θ ≤ √(n − k) their corollary 5.
    """
    _check(rank, n)
    return 8.0 * (math.log(rank + 1) + 2.0) * (math.sqrt(n - rank) + theta)


def li_bound(landmarks: int, rank: int, n: int) -> float:
    """Bound E ‖K − K̃‖_F / ‖K − K_k‖_F for a k-DPP of l landmarks: (l + 1)/(l + 1 − k) √(n − k).

    Li, Jegelka & Sra 2016, for l ≥ k landmarks, as Oglic & Gärtner 2017 quote it (equation 5).
    """
    _check(rank, n)
    if landmarks < rank:
        raise Refusal(f"{landmarks} landmarks for rank {rank}; at least {rank} are needed.")
    return (landmarks + 1.0) / (landmarks + 1.0 - rank) * math.sqrt(n - rank)


def arthur_bound(clusters: int) -> float:
    """Bound E φ(seeds) / φ(optimum) of k-means++: 8 (ln k + 2) (Arthur & Vassilvitskii 2007)."""
    if clusters < 1:
        raise Refusal(f"{clusters} clusters; at least 1 is needed.")
    return 8.0 * (math.log(clusters) + 2.0)


def _check(rank: int, n: int) -> None:
    if not 1 <= rank < n:
        raise Refusal(f"rank = {rank} of n = {n} rows; a whole number from 1 to {n - 1} is needed.")


@dataclass(frozen=True)
class Clustering:
    """The best of several k-means runs in feature space, and the potentials of their seeds.

    ``potential`` is φ of these clusters with their means as centres: an upper limit to the optimum;
    ``seed_potentials`` (runs,) are φ of the k-means++ seeds before any Lloyd step.
    """

    labels: IntArray
    potential: float
    seed_potentials: FloatArray


def feature_rows(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """Return points in feature space, (n, r), whose inner products are K, from its eigenpairs, descending."""
    is_feature = values > FEATURE_TOLERANCE * max(float(values[0]), 0.0)
    rows = np.empty((len(vectors), np.count_nonzero(is_feature)))
    return np.multiply(vectors[:, : rows.shape[1]], np.sqrt(values[: rows.shape[1]]), out=rows)


def best_clustering(features: FloatArray, clusters: int, runs: int, seed: int = 0) -> Clustering:
    """Cluster points (n, r) by k-means from several k-means++ starts and keep the best.

    O(runs · n r k) for each of at most ``LLOYD_ITERATIONS`` steps.
    """
    rng = np.random.default_rng(seed)
    lengths = np.cumsum(np.einsum("ij,ij->j", features, features))
    leading = features[:, : 1 + int(np.searchsorted(lengths, SEEN_BY_LLOYD * lengths[-1]))]
    clusterings: list[tuple[float, IntArray]] = []
    before = []
    with one_blas_thread():
        for _ in range(runs):
            seeds, potential = _seeds(features, clusters, rng.random(clusters))
            before.append(potential)
            start = np.ascontiguousarray(features[seeds, : leading.shape[1]])
            labels = nearest(leading, lloyd(leading, start, LLOYD_ITERATIONS)[0])[0]
            clusterings.append((_scatter(features, labels), labels))
    potential, labels = min(clusterings, key=lambda pair: pair[0])
    return Clustering(labels, potential, np.array(before))


def theta(features: FloatArray, labels: IntArray, rank: int, tail: float) -> float:
    """Return Θ of theorem 4: the potential of k + 1 clusters in the top k eigenvectors, over ``tail``.

    ``tail`` is ‖K − K_k‖_F. The first k columns of ``feature_rows`` are the projection onto these
    eigenvectors.
    """
    within = _scatter(features[:, :rank], labels)
    return within / tail if tail > 0 else math.inf


def outside_share(features: FloatArray, labels: IntArray, rank: int) -> float:
    """Return the part of the centroids' squared length outside the top k eigenvectors; 0 in theorem 1."""
    return _outside(features, features[:, :rank], labels)


def conclusion(features: FloatArray, labels: IntArray, rank: int) -> tuple[float, float]:
    """Try theorem 1's conclusion on k + 1 clusters of points (n, r), centred here as it is stated for.

    Returns the gap (λ_k − λ_{k+1}) / λ_k of the centred points, and their ``outside_share``.
    It says that the k + 1 centroids of an optimal clustering span the top k singular vectors where the gap
    between λ_k and λ_{k+1} is large enough. How large is defined in the theorem's proof, in the paper's
    appendix, and not in its text. So the condition is tried by what would follow from it: if the clustering
    is optimal and the conclusion fails, the gap is not sufficiently large. O(n r k) times a few for the
    singular vectors, O(n r min(n, r)) where k is a large part of them.
    """
    points = features - features.mean(axis=0)
    if LANCZOS_RATIO * (rank + 1) < min(points.shape):
        # A fixed start: the same call gives the same vectors.
        start = np.random.default_rng(0).standard_normal(min(points.shape))
        _, lengths, vectors = svds(points, k=rank + 1, v0=start, return_singular_vectors="vh", rng=0)
        order = np.argsort(lengths)[::-1]
        lengths, vectors = lengths[order], vectors[order]
    else:
        _, lengths, vectors = np.linalg.svd(points, full_matrices=False)
    squares = np.append(lengths, 0.0) ** 2
    first, second = float(squares[rank - 1]), float(squares[rank])
    gap = (first - second) / first if first > 0 else 0.0
    return gap, _outside(points, points @ vectors[:rank].T, labels)


def on_best_clustering(
    values: FloatArray, vectors: FloatArray, rank: int, tail: float, runs: int, seed: int = 0
) -> dict[str, float]:
    """Measure the terms of theorem 4 on the best clustering found, and theorem 1's conclusion (``centred``).

    ``values`` and ``vectors`` are all eigenpairs of K, descending; ``tail`` is ‖K − K_k‖_F.
    """
    features = feature_rows(values, vectors)
    clustering = best_clustering(features, rank + 1, runs, seed)
    of_theta = theta(features, clustering.labels, rank, tail)
    centred_gap, centred_outside = conclusion(features, clustering.labels, rank)
    seeds = float(clustering.seed_potentials.mean())
    return {
        "oglic_bound": oglic_bound(rank, len(values), of_theta),
        "theta": of_theta,
        "seeds_over_best": seeds / clustering.potential if clustering.potential > 0 else math.nan,
        "gap": float((values[rank - 1] - values[rank]) / values[rank - 1]),
        "outside": outside_share(features, clustering.labels, rank),
        "centred_gap": centred_gap,
        "centred_outside": centred_outside,
    }


def _outside(points: FloatArray, inside: FloatArray, labels: IntArray) -> float:
    """Return the part of the centroids' squared length, weighted by size, that their projections lack."""
    length = _weigh_centroids(points, labels)
    return max(0.0, 1.0 - _weigh_centroids(inside, labels) / length) if length > 0 else 0.0


def _seeds(features: FloatArray, clusters: int, uniforms: FloatArray) -> tuple[IntArray, float]:
    """Draw rows by k-means++, p ∝ squared distance to the nearest chosen row; return their potential too."""
    squares = np.einsum("ij,ij->i", features, features)
    rounding = 1e-12 * float(squares.max())
    chosen = [min(int(uniforms[0] * len(features)), len(features) - 1)]
    gaps = np.full(len(features), np.inf)
    for uniform in [*uniforms[1:], None]:
        latest = chosen[-1]
        np.minimum(gaps, squares + squares[latest] - 2.0 * (features @ features[latest]), out=gaps)
        gaps[gaps < rounding] = 0.0
        if uniform is None or not gaps.any():
            break
        chosen.append(int(draw(gaps, np.array([uniform]))[0]))
    return np.array(chosen, dtype=np.intp), float(gaps.sum())


def _scatter(features: FloatArray, labels: IntArray) -> float:
    """Return Σ_i ‖x_i − mean of its cluster‖², as Σ ‖x_i‖² less the clusters' sizes times squared means."""
    return max(0.0, float(np.einsum("ij,ij->", features, features)) - _weigh_centroids(features, labels))


def _weigh_centroids(features: FloatArray, labels: IntArray) -> float:
    """Return Σ_k |S_k| ‖mean of cluster k‖²."""
    sizes = np.bincount(labels)
    # A product with a sparse matrix of ones: the rows in the order of their clusters would be a copy of all.
    members = sparse.csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))))
    sums = (members @ features)[sizes > 0]
    return float((np.einsum("ij,ij->i", sums, sums) / sizes[sizes > 0]).sum())
