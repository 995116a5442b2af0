"""The integral operators of all points and of a sample: their distance, and its bound.

L_N = (1/N) Σ_i φ(x_i) ⊗ φ(x_i) and L_m, the same mean over m sampled points, are the operators of Yang et al.
2012, equation 1. ⟨φ(x) ⊗ φ(x), φ(y) ⊗ φ(y)⟩_HS = k(x, y)², so with E = k(X, Z) and W = k(Z, Z)

    ‖L_N − L_m‖²_HS = ‖K‖²_F / N² − 2 ‖E‖²_F / (N m) + ‖W‖²_F / m².
"""

import math
import sys
from collections.abc import Sequence

import numpy as np

from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics.blocks import FloatArray, IntArray, one_blas_thread

# The condition of theorem 4, and through it of theorem 1, asks for three times the distance.
MARGIN = 3.0


def distance_bound(n: int, m: int | FloatArray | IntArray) -> FloatArray:
    """Return theorem 5's bound on ‖L_N − L_m‖_HS, 2 ln(2N³)/m + √(2 ln(2N³)/m), with probability 1 − N⁻³.

    The theorem needs k(x, x) ≤ 1.
    """
    part = 2.0 * math.log(2.0 * float(n) ** 3) / np.asarray(m, dtype=np.float64)
    return part + np.sqrt(part)


def smallest_sample(n: int, gap: float) -> int | None:
    """Return the smallest m with gap > 3 (2 ln(2N³)/m + √(2 ln(2N³)/m)), theorem 1's condition.

    The gap is (λ_r − λ_{r+1}) / N for a kernel with k(x, x) ≤ 1. The m may be larger than N: then no sample
    of these data satisfies it. None for a gap of 0, or one so small that its m is no finite number.
    """
    if not gap > 0:
        return None
    # With t² = 2 ln(2N³)/m the condition is 3(t² + t) < gap; the second form of the root does not cancel.
    logarithm = 2.0 * math.log(2.0 * float(n) ** 3)
    root = 2.0 * (gap / MARGIN) / (1.0 + math.sqrt(1.0 + 4.0 * gap / MARGIN))
    if not root**2 * sys.float_info.max > logarithm:
        return None
    # For small gaps the rounding of the root is many whole numbers, so the search begins a little below.
    m = max(1, math.floor(logarithm / root**2 * (1.0 - 1e-15)))
    while not MARGIN * (logarithm / m + math.sqrt(logarithm / m)) < gap:
        m += max(1, m >> 50)
    return m


def operator_distances(
    matrix: KernelMatrix, ms: Sequence[int], draws: int = 100, seed: int = 0
) -> FloatArray:
    """Measure ‖L_N − L_m‖_HS for uniform samples without replacement, (draws, len(ms)).

    The sizes ascend, from 1 to n; within one draw the smaller samples begin the larger ones. n² evaluations
    once, and m² for each draw.
    """
    # Means of k(x_i, x_j)² over j, in one pass over K.
    means = matrix.squares() / matrix.n
    rng = np.random.default_rng(seed)
    counts = np.asarray(ms)
    distances = np.empty((draws, len(ms)))
    for t in range(draws):
        rows = rng.permutation(matrix.n)[: ms[-1]]
        with one_blas_thread():
            squares = matrix.entries(rows, rows) ** 2
        # Sums over the leading m × m blocks: each row adds its entries left of the diagonal twice.
        added = 2.0 * np.tril(squares, -1).sum(axis=1) + squares.diagonal()
        within = np.cumsum(added)[counts - 1] / counts**2
        across = np.cumsum(means[rows])[counts - 1] / counts
        distances[t] = np.sqrt(np.maximum(means.mean() - 2.0 * across + within, 0.0))
    return distances
