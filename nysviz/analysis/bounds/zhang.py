"""Propositions 1 to 3 of Zhang, Tsang & Kwok 2008: the bound from T, e and ‖W⁻¹‖, and its looseness."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nysviz.analysis.bounds.property_eight import derived_constant, on_a_line, unscaled
from nysviz.kernels import Kernel, KernelFunction, Linear, Radial, as_kernel
from nysviz.landmarks.nearest import nearest
from nysviz.landmarks.nystroem import RANK_TOLERANCE, nystroem_factor, projection_of
from nysviz.numerics.blocks import FloatArray, IntArray, checkpoint_here, one_blas_thread, rows_per_block
from nysviz.numerics.factor_rows import WIDE_ENTRIES, total_over_blocks
from nysviz.numerics.lapack.triangular import add_product
from nysviz.numerics.rows import dense_rows
from nysviz.nystroem.approximation import checked_same
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import sampled_errors
from nysviz.refusal import Refusal

# An eigenvalue of W below m times this part of the largest one is rounding: its reciprocal says nothing.
EIGENVALUE_ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Encoding:
    """Each row's nearest of the distinct landmarks: ``labels`` c(i), and ``gaps`` ‖x_i − z_c(i)‖²."""

    landmarks: FloatArray
    labels: IntArray
    gaps: FloatArray

    @property
    def sizes(self) -> IntArray:
        """|S_k|, (m,)."""
        return np.bincount(self.labels, minlength=len(self.landmarks))


@dataclass(frozen=True)
class ErrorBound:
    """Proposition 3 with its parts: E ≤ 4T √(m C e T) + m C T e ‖W⁻¹‖_F.

    ``inverse_two`` and ``inverse_norm`` are ‖W⁻¹‖₂ and ‖W⁻¹‖_F, or those of W⁺ for a kernel whose W may be
    singular. Where W is singular up to rounding although its kernel is strictly positive definite, they
    cannot be known from these numbers: ``is_least`` says that both, and so the bound, have about their
    smallest possible value.
    """

    encoding: Encoding
    constant: float
    inverse_two: float
    inverse_norm: float
    is_least: bool

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.encoding.labels)

    @property
    def m(self) -> int:
        """Distinct landmarks."""
        return len(self.encoding.landmarks)

    @property
    def largest_cluster(self) -> int:
        """T."""
        return int(self.encoding.sizes.max())

    @property
    def quantization(self) -> float:
        """Quantization error e = Σ_i ‖x_i − z_c(i)‖²."""
        return float(self.encoding.gaps.sum())

    @property
    def encoding_term(self) -> float:
        """The first term, 4T √(m C e T), from moving each point onto its landmark."""
        T = self.largest_cluster
        return 4.0 * T * float(np.sqrt(self.m * self.constant * self.quantization * T))

    @property
    def inverse_term(self) -> float:
        """The second term, m C T e ‖W⁻¹‖_F, from W⁻¹ between two such moves."""
        return self.m * self.constant * self.largest_cluster * self.quantization * self.inverse_norm

    @property
    def total(self) -> float:
        """The bound on ‖K − E W⁻¹ Eᵀ‖_F, equation (12)."""
        return self.encoding_term + self.inverse_term


def why_no_guarantee(total: float, error: float, is_least: float) -> str:
    """Say why a computed bound guarantees nothing for a measured error; return "" where it does."""
    if is_least:
        return "W is singular up to rounding, so ‖W⁻¹‖ cannot be computed"
    if not np.isfinite(total):
        return "the bound is larger than any number of this precision"
    if total < error:
        return "the bound is below the error by rounding"
    return ""


def encode(X: FloatArray, landmarks: FloatArray) -> Encoding:
    """Assign each row to its nearest landmark, the first of equally near ones; O(nmd).

    Landmarks that coincide count once: the approximation is the same without the copies, and W⁻¹ exists.
    """
    X = dense_rows(X)
    Z = np.unique(dense_rows(landmarks), axis=0)
    return Encoding(Z, *nearest(X, Z))


def needs_ball(kernel: Kernel | KernelFunction) -> bool:
    """Whether property (8) holds only on bounded domains."""
    return not isinstance(unscaled(on_a_line(kernel))[0], Radial)


def radius_of(*groups: FloatArray) -> float:
    """Return the distance from the origin of the farthest row of any group."""
    return max(float(np.sqrt(Linear().diag(rows).max())) for rows in groups)


def error_bound(X: FloatArray, kernel: Kernel | KernelFunction, a: LowRank) -> ErrorBound:
    """Bound the Frobenius error of an approximation with landmarks by proposition 3; O(nmd + m³).

    ValueError for the best rank m and for mixtures, which are not of the form E W⁻¹ Eᵀ, for sparse rows, and
    for other rows, columns or another kernel than those of the approximation.
    """
    if a.landmarks is None:
        raise Refusal("This method has no landmarks: proposition 3 says nothing about it.")
    if a.shares is not None:
        raise Refusal("A mixture of approximations has no single W: proposition 3 is silent about it.")
    if not a.landmarks.shape[0]:
        raise Refusal("All of K is zero and no landmark was chosen: there is nothing to bound.")
    kernel = as_kernel(kernel)
    encoding = encode(checked_same(dense_rows(X), kernel, a), a.landmarks)
    Z = encoding.landmarks
    constant = derived_constant(kernel, radius_of(X, Z) if needs_ball(kernel) else None)
    return ErrorBound(encoding, constant, *inverse_norms(kernel, Z))


def inverse_norms(kernel: Kernel, Z: FloatArray) -> tuple[float, float, bool]:
    """Return ‖W⁻¹‖₂ and ‖W⁻¹‖_F, and whether these are only lower limits.

    The linear and the polynomial kernel have finitely many features, W is singular once there are more
    landmarks, and the proposition holds with W⁺, since the rows of E lie in the range of W.
    """
    with one_blas_thread():
        values = np.linalg.eigvalsh(kernel(Z))
    top = max(float(values[-1]), 0.0)
    if needs_ball(kernel):
        values = values[values > RANK_TOLERANCE * top]
        is_least = False
    else:
        floor = len(Z) * EIGENVALUE_ROUNDING * top
        is_least = bool(values[0] < floor)
        values = np.maximum(values, floor)
    if not len(values):
        return 0.0, 0.0, False
    two = 1.0 / float(values.min())
    # In units of the largest: squares of reciprocals of tiny eigenvalues overflow.
    return two, two * float(np.sqrt(((values.min() / values) ** 2).sum())), is_least


def entry_errors(kernel: Kernel | KernelFunction, landmarks: FloatArray, points: FloatArray) -> FloatArray:
    """Return |k(x, y) − k̃(x, y)| between points (q, d) with these landmarks, (q, q).

    Proposition 1: 0 for two points that are landmarks themselves. O(m³ + q m (m + d)).
    """
    Z, kernel = np.unique(dense_rows(landmarks), axis=0), as_kernel(kernel)
    points = dense_rows(points)
    with one_blas_thread():
        factor = nystroem_factor(kernel(points, Z), kernel(Z))[0]
    return np.abs(kernel(points) - factor @ factor.T)


@dataclass(frozen=True)
class ProofStep:
    """A bound between proposition 3 and the error: the step that made it sharper, and its value."""

    name: Literal["printed", "blocks", "clusters", "spectral", "constant", "inverse", "measured"]
    value: float


def ladder(
    X: FloatArray,
    kernel: Kernel | KernelFunction,
    a: LowRank,
    K: FloatArray | None = None,
    rows: IntArray | None = None,
    measured: float | None = None,
    bound: ErrorBound | None = None,
) -> tuple[ProofStep, ...]:
    """Return bounds from proposition 3 down to the error, each one step of the proof sharper than the last.

    With K = P W Pᵀ + A and E = P W + B, P the assignment of rows to landmarks, the proof writes K − E W⁻¹ Eᵀ
    = A − P Bᵀ − B Pᵀ − B W⁻¹ Bᵀ. O(n² + n m (d + m)); in blocks of rows, of which E and A are never whole. Of
    s ``rows``, ‖A‖ is estimated, times √(n/s), and ‖K − K̃‖ by ``sampled_errors``. ``K``, ``measured``, which
    is ‖K − K̃‖_F, and ``bound`` are given if they are already computed.
    """
    kernel = as_kernel(kernel)
    bound = error_bound(X, kernel, a) if bound is None else bound
    X = checked_same(X, kernel, a)
    encoding, two = bound.encoding, bound.inverse_two
    n, m, T, C, e = bound.n, bound.m, bound.largest_cluster, bound.constant, bound.quantization
    moves = (2.0 + np.sqrt(2.0)) * np.sqrt(C * e)
    W = kernel(encoding.landmarks)
    # Squared lengths of the columns of B = E − P W, (m,), and B W⁻¹ Bᵀ turned, for its norm; O(n m²).
    against, projection = kernel.against(encoding.landmarks), projection_of(W)[0]
    squares, between, checkpoint = np.zeros(m), np.zeros((projection.shape[1],) * 2), checkpoint_here()
    many = max(1, WIDE_ENTRIES // m)
    for start in range(0, n, many):
        checkpoint()
        B = against(X[start : start + many])
        B -= W[encoding.labels[start : start + many]]
        squares += np.einsum("ij,ij->j", B, B)
        turned = B @ projection
        # In place: with many landmarks a second square of their number is too much.
        add_product(between, turned.T, turned)
    of_a = _moved(X, kernel, encoding, W, K, rows)
    if measured is None:
        measured = sampled_errors(X, kernel, a, max(2, n) if rows is None else len(rows)).frobenius
    sides = of_a + 2.0 * float(np.sqrt(squares @ encoding.sizes))
    return (
        # 4T √(mCeT) + mCTe ‖W⁻¹‖_F.
        ProofStep("printed", bound.total),
        # The T² blocks' norms are added as squares, not as numbers, and a factor √2 that property (8) does
        # not ask for is dropped: (2 + √2) √(mCeT) + mCe ‖W⁻¹‖_F.
        ProofStep("blocks", float(moves * np.sqrt(m * T)) + m * C * e * bound.inverse_norm),
        # Clusters as large as they are, not all of size T: n in place of mT.
        ProofStep("clusters", float(moves * np.sqrt(n)) + m * C * e * bound.inverse_norm),
        # ‖W⁻¹‖₂ in place of ‖W⁻¹‖_F.
        ProofStep("spectral", float(moves * np.sqrt(n)) + m * C * e * two),
        # A and B as they are, not their bounds by C and e: ‖A‖ + 2 ‖B Pᵀ‖ + ‖B‖² ‖W⁻¹‖₂.
        ProofStep("constant", sides + float(squares.sum()) * two),
        # ‖B W⁻¹ Bᵀ‖ as it is.
        ProofStep("inverse", sides + float(np.linalg.norm(between))),
        ProofStep("measured", measured),
    )


def _moved(
    X: FloatArray,
    kernel: Kernel,
    encoding: Encoding,
    W: FloatArray,
    K: FloatArray | None,
    rows: IntArray | None,
) -> float:
    """Return ‖A‖_F = ‖K − P W Pᵀ‖_F from the columns of the chosen rows, in blocks."""
    n, labels = len(X), encoding.labels
    chosen, count = (slice(None), n) if rows is None else (rows, len(rows))
    against, among = kernel.against(X[chosen]), W[:, labels[chosen]]

    def block(start: int, stop: int) -> FloatArray:
        moved = among[labels[start:stop]]
        moved -= against(X[start:stop]) if K is None else K[start:stop, chosen]
        return np.array([np.einsum("ij,ij->", moved, moved)])

    total = total_over_blocks(n, rows_per_block(n, count), block)
    return float(np.sqrt(total[0] * (n / count)))


def error_and_worst_entry(K: FloatArray, factor: FloatArray) -> tuple[float, tuple[int, int]]:
    """Return ‖K − G Gᵀ‖_F, and the place i < j of its largest off-diagonal entry; O(n² r).

    The first of equally large entries; (0, 0) for a single row.
    """
    candidates: list[tuple[float, int, int]] = []

    def half(start: int, stop: int) -> FloatArray:
        residual = factor[start:stop] @ factor[start:].T
        residual -= K[start:stop, start:]
        corner = residual[:, : stop - start]
        # The rows from the diagonal on, and their mirror image.
        total = 2.0 * np.einsum("ij,ij->", residual, residual) - np.einsum("ij,ij->", corner, corner)
        np.abs(residual, out=residual)
        corner[np.tri(stop - start, dtype=bool)] = -1.0
        i, j = divmod(int(residual.argmax()), residual.shape[1])
        candidates.append((-float(residual[i, j]), start + i, start + j))
        return np.array([total])

    total = total_over_blocks(len(K), rows_per_block(len(K), len(K)), half)
    # The same entry in whatever order the blocks finish.
    _, low, high = min(candidates)
    return float(np.sqrt(total[0])), (low, high) if high > low else (0, 0)
