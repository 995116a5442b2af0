"""Propositions 1 to 3 of Zhang, Tsang & Kwok 2008: the error through T, e and ‖W⁻¹‖."""

from dataclasses import dataclass

import numpy as np

from nysviz.approximation import checked_same
from nysviz.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.bounds.property_eight import derived_constant, on_a_line
from nysviz.kernels import Kernel, Linear, Radial
from nysviz.landmarks.nearest import nearest
from nysviz.landmarks.nystroem import RANK_TOLERANCE, nystroem_factor
from nysviz.lowrank import LowRank
from nysviz.refusal import Refusal
from nysviz.rows import dense_rows

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

    @property
    def error(self) -> float:
        """Quantization error e = Σ_i ‖x_i − z_c(i)‖²."""
        return float(self.gaps.sum())


@dataclass(frozen=True)
class ErrorBound:
    """Proposition 3 with its parts: E ≤ 4T √(m C e T) + m C T e ‖W⁻¹‖_F.

    ``inverse_two`` and ``inverse_norm`` are ‖W⁻¹‖₂ and ‖W⁻¹‖_F, or those of W⁺ for a kernel whose W may be
    singular. Where W is singular up to rounding although its kernel is strictly positive definite, they
    cannot be known from these numbers: ``is_least`` says that both are about the least that they can be, and
    so is the bound.
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
        """Quantization error e."""
        return self.encoding.error

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


def encode(X: FloatArray, landmarks: FloatArray) -> Encoding:
    """Assign each row to its nearest landmark, the first of equally near ones; O(nmd).

    Landmarks that coincide count once: the approximation is the same without the copies, and W⁻¹ exists.
    """
    X = dense_rows(X)
    Z = np.unique(dense_rows(landmarks), axis=0)
    return Encoding(Z, *nearest(X, Z))


def needs_ball(kernel: Kernel) -> bool:
    """Whether property (8) holds on bounded domains only."""
    return not isinstance(on_a_line(kernel), Radial)


def radius_of(*groups: FloatArray) -> float:
    """Distance from the origin of the farthest row of any group."""
    return max(float(np.sqrt(Linear().diag(rows).max())) for rows in groups)


def error_bound(X: FloatArray, kernel: Kernel, a: LowRank) -> ErrorBound:
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
    found = encode(checked_same(dense_rows(X), kernel, a), a.landmarks)
    Z = found.landmarks
    constant = derived_constant(kernel, radius_of(X, Z) if needs_ball(kernel) else None)
    return ErrorBound(found, constant, *inverse_norms(kernel, Z))


def inverse_norms(kernel: Kernel, Z: FloatArray) -> tuple[float, float, bool]:
    """Return ‖W⁻¹‖₂ and ‖W⁻¹‖_F, and whether they are the least that they can be.

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


def entry_errors(kernel: Kernel, landmarks: FloatArray, points: FloatArray) -> FloatArray:
    """|k(x, y) − k̃(x, y)| between the given points (q, d) with the given landmarks, (q, q).

    Proposition 1: 0 for two points that are landmarks themselves. O(m³ + q m (m + d)).
    """
    Z = np.unique(dense_rows(landmarks), axis=0)
    points = dense_rows(points)
    with one_blas_thread():
        factor = nystroem_factor(kernel(points, Z), kernel(Z))[0]
    return np.abs(kernel(points) - factor @ factor.T)
