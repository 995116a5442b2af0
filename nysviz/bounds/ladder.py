"""Where proposition 3 is lost: bounds from the printed one down to the error, one step of the proof each."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nysviz.approximation import checked_same
from nysviz.blocks import FloatArray, IntArray, checkpoint_here, rows_per_block
from nysviz.bounds.zhang import Encoding, ErrorBound, error_bound
from nysviz.factor_rows import WIDE_ENTRIES, total_over_blocks
from nysviz.kernels import Kernel
from nysviz.landmarks.nystroem import projection_of
from nysviz.lapack.triangular import add_product
from nysviz.lowrank import LowRank
from nysviz.measures import sampled_errors


@dataclass(frozen=True)
class Step:
    """A bound on the way from proposition 3 down to the error: which step made it sharper, and its value."""

    name: Literal["printed", "blocks", "clusters", "spectral", "constant", "inverse", "measured"]
    value: float


def ladder(
    X: FloatArray,
    kernel: Kernel,
    a: LowRank,
    K: FloatArray | None = None,
    rows: IntArray | None = None,
    measured: float | None = None,
    bound: ErrorBound | None = None,
) -> tuple[Step, ...]:
    """Bounds from proposition 3 down to the error, each one step of its proof sharper than the one before.

    With K = P W Pᵀ + A and E = P W + B, P the assignment of rows to landmarks, the proof writes K − E W⁻¹ Eᵀ
    = A − P Bᵀ − B Pᵀ − B W⁻¹ Bᵀ. O(n² + n m (d + m)); in blocks of rows, of which E and A are never whole. Of
    s ``rows``, ‖A‖ is estimated, times √(n/s), and ‖K − K̃‖ by ``sampled_errors``. ``K``, ``measured``, which
    is ‖K − K̃‖_F, and ``bound`` are given where they are at hand.
    """
    bound = error_bound(X, kernel, a) if bound is None else bound
    X = checked_same(X, kernel, a)
    found, two = bound.encoding, bound.inverse_two
    n, m, T, C, e = bound.n, bound.m, bound.largest_cluster, bound.constant, bound.quantization
    moves = (2.0 + np.sqrt(2.0)) * np.sqrt(C * e)
    W = kernel(found.landmarks)
    squares, between = _moves(X, kernel, found, W)
    of_a = _moved(X, kernel, found, W, K, rows)
    if measured is None:
        measured = sampled_errors(X, kernel, a, max(2, n) if rows is None else len(rows)).frobenius
    sides = of_a + 2.0 * float(np.sqrt(squares @ found.sizes))
    return (
        # 4T √(mCeT) + mCTe ‖W⁻¹‖_F.
        Step("printed", bound.total),
        # The T² blocks' norms are added as squares, not as numbers, and a factor √2 that property (8) does
        # not ask for is dropped: (2 + √2) √(mCeT) + mCe ‖W⁻¹‖_F.
        Step("blocks", float(moves * np.sqrt(m * T)) + m * C * e * bound.inverse_norm),
        # Clusters as large as they are, not all of size T: n in place of mT.
        Step("clusters", float(moves * np.sqrt(n)) + m * C * e * bound.inverse_norm),
        # ‖W⁻¹‖₂ in place of ‖W⁻¹‖_F.
        Step("spectral", float(moves * np.sqrt(n)) + m * C * e * two),
        # A and B as they are, not their bounds by C and e: ‖A‖ + 2 ‖B Pᵀ‖ + ‖B‖² ‖W⁻¹‖₂.
        Step("constant", sides + float(squares.sum()) * two),
        # ‖B W⁻¹ Bᵀ‖ as it is.
        Step("inverse", sides + between),
        Step("measured", measured),
    )


def _moves(X: FloatArray, kernel: Kernel, found: Encoding, W: FloatArray) -> tuple[FloatArray, float]:
    """Squared lengths of the columns of B = E − P W, (m,), and ‖B W⁻¹ Bᵀ‖_F; O(n m²)."""
    against, projection = kernel.against(found.landmarks), projection_of(W)[0]
    squares, total, checkpoint = np.zeros(len(W)), np.zeros((projection.shape[1],) * 2), checkpoint_here()
    many = max(1, WIDE_ENTRIES // len(W))
    for start in range(0, len(X), many):
        checkpoint()
        B = against(X[start : start + many])
        B -= W[found.labels[start : start + many]]
        squares += np.einsum("ij,ij->j", B, B)
        turned = B @ projection
        # In place: with many landmarks a second square of their number is too much.
        add_product(total, turned.T, turned)
    return squares, float(np.linalg.norm(total))


def _moved(
    X: FloatArray, kernel: Kernel, found: Encoding, W: FloatArray, K: FloatArray | None, rows: IntArray | None
) -> float:
    """‖A‖_F = ‖K − P W Pᵀ‖_F from the columns of the chosen rows, in blocks."""
    n, labels = len(X), found.labels
    size = rows_per_block(n, n if rows is None else len(rows))
    if K is not None and rows is None:
        among = W[:, labels]

        def half(start: int, stop: int) -> FloatArray:
            # The upper half alone: what stands left of the diagonal block is there once more above it.
            moved = among[labels[start:stop], start:]
            moved -= K[start:stop, start:]
            return _with_mirrored(moved)

        return float(np.sqrt(total_over_blocks(n, size, half)[0]))
    chosen = np.arange(n) if rows is None else np.asarray(rows, dtype=np.intp)
    against, among = kernel.against(X[chosen]), W[:, labels[chosen]]

    def block(start: int, stop: int) -> FloatArray:
        moved = against(X[start:stop]) if K is None else K[start:stop, chosen]
        moved -= among[labels[start:stop]]
        return np.array([np.einsum("ij,ij->", moved, moved)])

    total = total_over_blocks(n, size, block)
    return float(np.sqrt(total[0] * (n / len(chosen))))


def _with_mirrored(upper: FloatArray) -> FloatArray:
    """Sum of squares of some rows of a symmetric matrix from the diagonal on and their mirror image, (1,)."""
    corner = upper[:, : len(upper)]
    both = 2.0 * np.einsum("ij,ij->", upper, upper) - np.einsum("ij,ij->", corner, corner)
    return np.array([both])


def left_and_worst(K: FloatArray, factor: FloatArray) -> tuple[float, tuple[int, int]]:
    """‖K − G Gᵀ‖_F, and where its largest off-diagonal entry stands, i < j; O(n² r).

    Of equally large ones the first; (0, 0) for a single row.
    """
    found: list[tuple[float, int, int]] = []

    def half(start: int, stop: int) -> FloatArray:
        left = factor[start:stop] @ factor[start:].T
        left -= K[start:stop, start:]
        total = _with_mirrored(left)
        np.abs(left, out=left)
        corner = left[:, : stop - start]
        corner[np.tri(stop - start, dtype=bool)] = -1.0
        i, j = divmod(int(left.argmax()), left.shape[1])
        found.append((-float(left[i, j]), start + i, start + j))
        return total

    total = total_over_blocks(len(K), rows_per_block(len(K), len(K)), half)
    # Whichever block was ready first.
    _, low, high = min(found)
    return float(np.sqrt(total[0])), (low, high) if high > low else (0, 0)
