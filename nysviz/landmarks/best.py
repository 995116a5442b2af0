"""The best approximation of a given rank, which no choice of landmarks can surpass, and a sketch near it."""

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.selection import SKETCH_COPIES, Method, Selection
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.lapack.symmetric import cholesky
from nysviz.numerics.lapack.triangular import solve_in_place, solve_triangular
from nysviz.shortfall import Shortfall, note_if


def svd(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Take the top m eigenpairs of K (Eckart & Young 1936); n² kernel evaluations, O(n³) or Lanczos."""
    values, vectors = positive_pairs(K, m)
    factor = vectors * np.sqrt(values)
    return Selection(factor=factor, projection=factor / values, notes=lost_rank(len(values), m))


SVD = Method(
    label="best rank m (SVD)",
    source="Eckart & Young 1936",
    sentence="Keeps the m leading eigenpairs of K: the best any method could do, without landmarks.",
    complexity="O(n³)",
    select=svd,
    family="floor",
    stroke=("longdash", None),
    nested=True,
    random=False,
    landmarks_are_data=False,
    holds="matrix",
    reads=True,
    work=lambda size, options: size.whole + size.eigenpairs + size.factor,
    matrices=3.0,
)


def positive_pairs(K: KernelMatrix, k: int) -> tuple[FloatArray, FloatArray]:
    """Return the top k eigenpairs of K whose eigenvalues are above rounding, descending."""
    values, vectors = K.eigenpairs(k)
    rank = int((values > np.finfo(np.float64).eps * K.n * max(values[0], 0.0)).sum())
    return values[:rank], vectors[:, :rank]


def lost_rank(rank: int, m: int, subject: str = "K has only") -> tuple[str, ...]:
    """Return a note if K, or a sketch of it, has fewer than m eigenvalues above rounding, else none."""
    sentence = f"{subject} {rank} eigenvalues above rounding; {m} were asked for."
    return note_if(rank < m, Shortfall.RANK_LOST, sentence)


def sketch(K: KernelMatrix, m: int, rng: np.random.Generator) -> Selection:
    """Approximate K from KΩ, Ω (n, m) Gaussian (Tropp, Yurtsever, Udell & Cevher 2017, algorithm 3).

    K̃ = KΩ (ΩᵀKΩ)⁺ (KΩ)ᵀ; n² kernel evaluations, O(n² m).
    """
    values, vectors, projection = sketched_pairs(K, rng.standard_normal((K.n, m)))
    factor = vectors * np.sqrt(values)
    notes = lost_rank(len(values), m, "The sketch has")
    return Selection(factor=factor, projection=projection, notes=notes)


def sketched_pairs(K: KernelMatrix, normals: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the eigenpairs U, Λ of K̃ of ``sketch`` with Ω (n, m), and P with U Λ^½ = K P.

    K̃ depends on the span of Ω alone, so Ω is made orthonormal. It is computed for K + νI, and ν is subtracted
    from its eigenvalues: with ν = √n eps ‖KΩ‖_F the Cholesky factor of Ωᵀ(K + νI)Ω exists. Eigenvalues below
    ν are rounding and left out; for a given K, ν is at least ``K.rounding``.
    """
    test = np.linalg.qr(normals)[0]
    images = K.times(test)
    rounding = np.finfo(np.float64)
    # Scaled before the norm, whose squares could overflow; a matrix of zeros takes the smallest shift.
    largest = max(float(np.abs(images).max()), rounding.tiny)
    size = float(np.linalg.norm(images / largest)) * largest
    shift = max(np.sqrt(K.n) * rounding.eps * size, K.rounding, rounding.tiny)
    images += shift * test
    triangle = cholesky(test.T @ images)
    solve_in_place(triangle, images.T)
    left, singular, right = np.linalg.svd(images, full_matrices=False)
    values = singular**2 - shift
    rank = int((values > shift).sum())
    values = values[:rank]
    turn = solve_triangular(triangle, right[:rank].T * (np.sqrt(values) / singular[:rank]), transposed=True)
    return values, left[:, :rank], test @ turn


SKETCH = Method(
    label="Gaussian sketch",
    source="Tropp, Yurtsever, Udell & Cevher 2017",
    sentence="Multiplies K by m random vectors: near the best of rank m, without landmarks.",
    complexity="O(n²m)",
    select=sketch,
    family="floor",
    stroke=("dot", "y-up-open"),
    landmarks_are_data=False,
    holds="factor",
    reads=True,
    work=lambda size, options: size.whole + size.sketch,
    factors=SKETCH_COPIES,
)
