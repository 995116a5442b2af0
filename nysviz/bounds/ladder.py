"""Where proposition 3 is lost: bounds from the printed one down to the error, one step of the proof each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nysviz.blocks import FloatArray, IntArray, over_blocks, rows_per_block
from nysviz.bounds.zhang import Encoding, ErrorBound, constant_for, encode, inverse_norms, landmarks_of
from nysviz.kernels import Kernel
from nysviz.landmarks.nystroem import projection_of
from nysviz.lowrank import LowRank


@dataclass(frozen=True)
class Step:
    """A bound on the way from proposition 3 down to the error: which step made it sharper, and its value."""

    name: Literal["printed", "blocks", "clusters", "spectral", "constant", "inverse", "measured"]
    value: float


def ladder(
    X: FloatArray, kernel: Kernel, a: LowRank, K: FloatArray | None = None, rows: IntArray | None = None
) -> tuple[Step, ...]:
    """Bounds from proposition 3 down to the error, each one step of its proof sharper than the one before.

    With K = P W Pᵀ + A and E = P W + B, P the assignment of rows to landmarks, the proof writes
    K − E W⁻¹ Eᵀ = A − P Bᵀ − B Pᵀ − B W⁻¹ Bᵀ.

    printed
        4T √(mCeT) + mCTe ‖W⁻¹‖_F.
    blocks
        The T² blocks' norms are added as squares, not as numbers, and a factor √2 that property (8) does not
        ask for is dropped: (2 + √2) √(mCeT) + mCe ‖W⁻¹‖_F.
    clusters
        Clusters as large as they are, not all of size T: n in place of mT.
    spectral
        ‖W⁻¹‖₂ in place of ‖W⁻¹‖_F.
    constant
        A and B as they are, not their bounds by C and e: ‖A‖ + 2 ‖B Pᵀ‖ + ‖B‖² ‖W⁻¹‖₂.
    inverse
        ‖B W⁻¹ Bᵀ‖ as it is: ‖A‖ + 2 ‖B Pᵀ‖ + ‖B W⁻¹ Bᵀ‖.
    measured
        ‖K − K̃‖ itself.

    Parameters
    ----------
    X : (n, d) array
    kernel : Kernel
    a : LowRank
    K : (n, n) array, optional
        Where it is at hand.
    rows : (s,) int array, optional
        Estimate the norms of the n × n matrices A and K − K̃ from these rows, times √(n/s).

    Returns
    -------
    tuple of Step
        O(n² + n m (d + m)), or s in place of one n.
    """
    found = encode(X, landmarks_of(a))
    Z, e, sizes, n = found.landmarks, found.error, found.sizes, len(X)
    m, T, C = len(Z), int(sizes.max()), constant_for(X, kernel, Z)
    two, frobenius_norm, _ = inverse_norms(kernel, Z)
    whole = ErrorBound(n, m, C, T, e, frobenius_norm, False)
    moves = (2.0 + np.sqrt(2.0)) * np.sqrt(C * e)
    W = kernel(Z)
    B = kernel(X, Z) - W[found.labels]
    squares = np.einsum("ij,ij->j", B, B)
    turned = B @ projection_of(W)[0]
    between = float(np.linalg.norm(turned.T @ turned))
    of_a, measured = _moved_and_left(X, kernel, a, found, W, K, rows)
    sides = of_a + 2.0 * float(np.sqrt(squares @ sizes))
    return (
        Step("printed", whole.total),
        Step("blocks", float(moves * np.sqrt(m * T)) + m * C * e * frobenius_norm),
        Step("clusters", float(moves * np.sqrt(n)) + m * C * e * frobenius_norm),
        Step("spectral", float(moves * np.sqrt(n)) + m * C * e * two),
        Step("constant", sides + float(squares.sum()) * two),
        Step("inverse", sides + between),
        Step("measured", measured),
    )


def _moved_and_left(
    X: FloatArray,
    kernel: Kernel,
    a: LowRank,
    found: Encoding,
    W: FloatArray,
    K: FloatArray | None,
    rows: IntArray | None,
) -> tuple[float, float]:
    """‖A‖_F = ‖K − P W Pᵀ‖_F and ‖K − K̃‖_F, a block of rows at a time."""
    n = len(X)
    chosen = np.arange(n) if rows is None else np.asarray(rows, dtype=np.intp)
    against_all = kernel.against(X)
    size = min(rows_per_block(len(chosen), n), max(1, len(chosen)))
    sums = np.zeros((-(-len(chosen) // size), 2))

    def block(start: int, stop: int) -> None:
        part = chosen[start:stop]
        exact = against_all(X[part]) if K is None else K[part]
        moved = exact - W[np.ix_(found.labels[part], found.labels)]
        left = exact - a.factor[part] @ a.factor.T
        sums[start // size] = np.einsum("ij,ij->", moved, moved), np.einsum("ij,ij->", left, left)

    over_blocks(len(chosen), size, block)
    of_a, of_rest = np.sqrt(sums.sum(axis=0) * (n / max(1, len(chosen))))
    return float(of_a), float(of_rest)
