"""Rows chosen from the leading eigenvectors of K, or of a sketch: at random, or the best one each time."""

from collections.abc import Iterator

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.best import lost_rank, positive_pairs, sketched_pairs
from nysviz.landmarks.cost import Options, Size, Work
from nysviz.landmarks.selection import Method, Option, Selection, residual_floor
from nysviz.landmarks.step_rule import RecordedRun, StepRule
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.numerics.loops import first_of_largest, projection_pivots

# Random vectors of a sketch beyond the m vectors in use: its last ones are far from eigenvectors.
OVERSAMPLING = 10


def arp(K: KernelMatrix, m: int, rng: np.random.Generator, basis: str = "eigenvectors") -> Selection:
    """Adaptive randomised pivoting on m leading eigenvectors V of K (Cortinovis & Kressner 2024).

    Rows are drawn one after the other by the residual diagonal of V Vᵀ. For A = K, and for A = K^½, the mean
    of ‖A − A_J V_J⁻ᵀ Vᵀ‖_F² over the rows J is m + 1 times ‖A − A V Vᵀ‖_F², the best of rank m. Projections
    are no worse: E ‖K − Q QᵀK‖_F² ≤ (m + 1) Σ_{i>m} λ_i² with Q a basis of the columns J of K, and
    E tr(K − K̃) ≤ (m + 1) Σ_{i>m} λ_i. n² kernel evaluations, O(n³) or Lanczos.

    ``basis="sketch"`` takes as V the leading eigenvectors of the Gaussian sketch of rank m + ``OVERSAMPLING``
    (Epperly 2025). With any orthonormal V the rows come with P(J) = det(V_J)², and the mean above is m + 1
    times ‖A − A V Vᵀ‖_F². n² kernel evaluations and O(n² m); K is not held.
    """
    if basis == "sketch":
        normals = rng.standard_normal((K.n, min(K.n, m + OVERSAMPLING)))
        vectors, subject = sketched_pairs(K, normals)[1][:, :m], "The sketch has"
    else:
        vectors, subject = positive_pairs(K, m)[1], "K has only"
    rank = int(vectors.shape[1])
    pivots = projection_pivots(np.ascontiguousarray(vectors.T), rng.random(rank))
    return Selection(pivots=pivots, notes=lost_rank(rank, m, subject))


def eigenvector_share(run: RecordedRun) -> Iterator[FloatArray]:
    """Yield the share of each row in the m leading eigenvectors, less the part that the chosen rows span."""
    sketched = run.options["basis"] == "sketch"
    vectors = sketched_pairs(run.K, run.answers[0])[1] if sketched else run.K.eigenpairs(len(run.pivots))[1]
    return projection_shares(vectors[:, : len(run.pivots)], run.pivots)


def projection_shares(basis: FloatArray, pivots: IntArray) -> Iterator[FloatArray]:
    """Yield the share of each row in the squares of this orthonormal basis (n, r), before every pick."""
    for pivot in pivots:
        squares = np.einsum("ij,ij->i", basis, basis)
        yield squares / squares.sum()
        direction = basis[pivot] / np.linalg.norm(basis[pivot])
        basis = basis - np.outer(basis @ direction, direction)
        basis[pivot] = 0.0


def basis_work(size: Size, options: Options) -> Work:
    """Return the work of all of K, a basis from it, its pivots and their factor."""
    basis = size.sketch if options["basis"] == "sketch" else size.eigenpairs
    return size.whole + basis + size.pivoting + size.factor


ARP = Method(
    label="adaptive randomised pivoting",
    short="randomised pivoting",
    source="Cortinovis & Kressner 2024; Epperly 2025",
    sentence="Draws rows by their share of the m leading eigenvectors that the chosen rows do not yet span.",
    complexity="O(n³)",
    select=arp,
    family="adaptive",
    step_rule=StepRule(
        "draws each row in proportion to what is left of its leading eigenvectors",
        "probability",
        eigenvector_share,
    ),
    stroke=("dot", "octagon"),
    options=(
        Option(
            "basis",
            "basis",
            "eigenvectors",
            choices=("eigenvectors", "sketch"),
            sentence="Leading eigenvectors of K, or of a Gaussian sketch of it: nearly as good, in a part of "
            "the time and without holding K.",
        ),
    ),
    holds="matrix",
    reads=True,
    lean=("basis", "sketch"),
    work=basis_work,
    matrices=3.0,
)


def osinsky(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Derandomised ``arp`` (Osinsky 2023; Cortinovis & Kressner 2024): tr(K − K̃) ≤ (m + 1) Σ_{i>m} λ_i.

    Each step takes the row that minimises the expected ‖B‖_F², B = K^½ (I − E_J V_J⁻ᵀ Vᵀ), if ``arp`` drew
    the remaining rows. A pivot j takes c wᵀ from B, with w its row of the pivoted Cholesky factor of V Vᵀ and
    c = B_j / w_j, and adds ‖c‖² to ‖B‖_F². Everything is computed from BᵀB = K − V Λ Vᵀ before the first
    pivot. The seed decides between equal rows. n² kernel evaluations, O(n³) or Lanczos, and O(n m²).
    """
    values, V = positive_pairs(K, m)
    rank, floor, order = len(values), residual_floor(K), rng.permutation(K.n)
    pivots = np.empty(rank, dtype=np.intp)
    # Rows wᵀ and cᵀB of the pivots so far, B that of the beginning, and the inner products of their c.
    rows, products = np.empty((rank, K.n)), np.empty((rank, K.n))
    inner = np.zeros((rank, rank))
    scores = np.einsum("ij,ij->i", V, V)
    squares = np.maximum(K.diagonal - np.einsum("ij,ij,j->i", V, V, values), 0.0)
    for t in range(rank):
        # If only rounding remains of B, the largest pivot.
        j = first_of_largest(scores / (squares + floor), order)
        root, column = np.sqrt(scores[j]), rows[:t, j].copy()
        inner[t, :t] = inner[:t, t] = (products[:t, j] - column @ inner[:t, :t]) / root
        inner[t, t] = squares[j] / scores[j]
        rows[t] = (V @ V[j] - column @ rows[:t]) / root
        products[t] = (K.rows(np.array([j]))[0] - V @ (values * V[j]) - column @ products[:t]) / root
        now = products[t] - inner[t, :t] @ rows[:t]
        squares = np.maximum(squares - (2.0 * now - inner[t, t] * rows[t]) * rows[t], 0.0)
        scores = np.maximum(scores - rows[t] ** 2, 0.0)
        scores[j] = 0.0
        pivots[t] = j
    return Selection(pivots=pivots, notes=lost_rank(rank, m))


def share_over_residual(run: RecordedRun) -> Iterator[FloatArray]:
    """P_ii / ‖B_:i‖² with P = V Vᵀ and B = K^½ (I − P) at first (Osinsky 2023).

    A pivot j takes w wᵀ from P and c wᵀ from B, with w = P_j / √P_jj and c = B_:j / w_j.
    """
    values, vectors = run.K.eigenpairs(run.K.n)
    V, root = vectors[:, : len(run.pivots)], (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    P, B = V @ V.T, root - (root @ V) @ V.T
    for pivot in run.pivots:
        yield np.maximum(P.diagonal(), 0.0) / (np.einsum("ij,ij->j", B, B) + run.floor)
        w = P[pivot] / np.sqrt(P[pivot, pivot])
        B -= np.outer(B[:, pivot] / w[pivot], w)
        P -= np.outer(w, w)
        P[pivot] = P[:, pivot] = 0.0


OSINSKY = Method(
    label="adaptive pivoting, derandomised",
    short="adaptive pivoting",
    source="Osinsky 2023; Cortinovis & Kressner 2024",
    sentence="As adaptive randomised pivoting, but always takes the row with the least expected error.",
    complexity="O(n³)",
    select=osinsky,
    family="adaptive",
    step_rule=StepRule(
        "takes the row with the most of the eigenvectors for the least left over",
        "ratio",
        share_over_residual,
    ),
    stroke=("dashdot", "octagon-open"),
    random=False,
    holds="matrix",
    reads=True,
    work=lambda size, options: size.whole + size.eigenpairs + 2.0 * size.pivoting + size.factor,
    matrices=3.0,
)
