"""Every jitted loop.

The loops know arrays only: they never validate and never see a kernel object (a jitted function taken as an
argument would be compiled anew in every process). A loop and its helpers share this file because a cached
function does not notice that a helper in another file has changed.
"""

import numpy as np

from nysviz.numerics.blocks import AnyFloatArray, FloatArray, IntArray
from nysviz.numerics.compiled import jit

# Criteria of pivots with a smaller relative difference are equal. Rounding differences are smaller;
# differences that ``pivot_damping`` makes between equal ratios are larger.
TIE = 1e-11


@jit
def mend_close_pairs(block: FloatArray, X: FloatArray, Y: FloatArray, scale: float, cut: float) -> int:
    """Recompute ``scale * ||x - y||^2`` from differences where that is below ``cut`` or NaN; count those."""
    mended = 0
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            if not abs(block[i, j]) >= cut:
                total = 0.0
                for k in range(X.shape[1]):
                    difference = X[i, k] - Y[j, k]
                    total += difference * difference
                block[i, j] = scale * total
                mended += 1
    return mended


@jit
def chi_squared_distances(X: FloatArray, Y: FloatArray, out: FloatArray) -> None:
    """Put Σ_k (x_k - y_k)² / (x_k + y_k) of all pairs of rows, with values from 0, into ``out`` (n, m)."""
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            total = 0.0
            for k in range(X.shape[1]):
                both = X[i, k] + Y[j, k]
                if both > 0.0:
                    difference = X[i, k] - Y[j, k]
                    total += difference * (difference / both)
            out[i, j] = total


@jit
def decide_close_calls(
    scores: AnyFloatArray, limits: AnyFloatArray, X: FloatArray, points: FloatArray, best: IntArray
) -> None:
    """Set ``best[i]`` to the nearest point with a score up to ``limits[i]``, if there are several.

    ``scores`` (n, m) and ``limits`` (n,) are of one precision; NaN scores count as within the limit.
    """
    for i in range(scores.shape[0]):
        limit = limits[i]
        close = 0
        for j in range(scores.shape[1]):
            close += 0 if scores[i, j] > limit else 1
        # One is the best itself: for most rows there is nothing to decide.
        if close < 2:
            continue
        smallest = np.inf
        for j in range(scores.shape[1]):
            if not scores[i, j] > limit:
                total = 0.0
                for k in range(X.shape[1]):
                    difference = X[i, k] - points[j, k]
                    total += difference * difference
                if total < smallest:
                    best[i] = j
                    smallest = total


@jit
def cluster_sums(X: FloatArray, labels: IntArray, sums: FloatArray, counts: IntArray) -> None:
    """Add every row to its cluster's sum and count."""
    for i in range(X.shape[0]):
        j = labels[i]
        counts[j] += 1
        for k in range(X.shape[1]):
            sums[j, k] += X[i, k]


@jit
def cholesky_in_order(
    W: FloatArray,
    floor: FloatArray,
    max_condition: float,
    triangle: FloatArray,
    inverse: FloatArray,
    pivots: IntArray,
) -> int:
    """Factorise a positive semidefinite matrix in the given order, skipping rows without new rank.

    A row becomes a pivot while its residual diagonal exceeds ``floor[i]``, and tr(A) tr(A⁻¹) stays below
    ``max_condition`` for the part A of W that belongs to it and the pivots before it. Returns the number r of
    ``pivots``. The leading r rows and columns of ``triangle`` (m, m) are Lᵀ, with L Lᵀ = A, and those of
    ``inverse`` (m, m) are L⁻¹; both are given as zeros.
    """
    m = W.shape[0]
    coordinates, row = np.empty(m), np.empty(m)
    rank = 0
    trace = inverse_trace = 0.0
    for i in range(m):
        residual = W[i, i]
        for r in range(rank):
            coordinates[r] = W[i, pivots[r]]
            row[r] = 0.0
        # Each coordinate is taken out of the later ones, and of the row of L⁻¹, as soon as it is known: the
        # inner loops then are free of sums, whose terms wait for one another.
        for r in range(rank):
            value = coordinates[r] / triangle[r, r]
            coordinates[r] = value
            residual -= value * value
            subtract_part(value, triangle[r, r + 1 : rank], coordinates[r + 1 : rank])
            subtract_part(value, inverse[r, : r + 1], row[: r + 1])
        if not residual > floor[i]:
            continue
        added = 1.0 / residual
        for r in range(rank):
            added += row[r] * row[r] / residual
        if not (trace + W[i, i]) * (inverse_trace + added) < max_condition:
            continue
        pivot = np.sqrt(residual)
        triangle[:rank, rank] = coordinates[:rank]
        triangle[rank, rank] = pivot
        inverse[rank, :rank] = row[:rank] / pivot
        inverse[rank, rank] = 1.0 / pivot
        trace += W[i, i]
        inverse_trace += added
        pivots[rank] = i
        rank += 1
    return rank


@jit
def subtract_part(part: float, vector: FloatArray, out: FloatArray) -> None:
    """``out -= part * vector`` for two vectors."""
    for i in range(out.shape[0]):
        out[i] -= part * vector[i]


@jit
def accept_proposals(
    H: FloatArray, uniforms: FloatArray, floor: float, limit: int, L: FloatArray, accepted: IntArray
) -> int:
    """Accept or reject proposals in accelerated randomly pivoted Cholesky; return the number accepted.

    ``H`` (b, b) is the residual kernel matrix of b proposals drawn in proportion to its diagonal at the
    start of the block. Proposal i is accepted with probability (present residual) / (residual at the
    start), which is what drawing one pivot after the other would do. At most ``limit`` are kept; their
    triangular factor stands in the rows ``accepted`` of ``L``. Returns their number.
    """
    rank = 0
    for i in range(H.shape[0]):
        residual = H[i, i]
        for r in range(rank):
            p = accepted[r]
            value = H[i, p]
            for s in range(r):
                value -= L[i, s] * L[p, s]
            value /= L[p, r]
            L[i, r] = value
            residual -= value * value
        if residual > floor and uniforms[i] * H[i, i] < residual:
            L[i, rank] = np.sqrt(residual)
            accepted[rank] = i
            rank += 1
            if rank == limit:
                break
    return rank


@jit
def subtract_combination(coefficients: FloatArray, rows: FloatArray, out: FloatArray) -> None:
    """``out -= coefficients @ rows``, for one vector of coefficients.

    As fast as BLAS on one thread, since memory is what both wait for; BLAS would take all threads for this
    small product and wait for them.
    """
    t = coefficients.shape[0]
    r = 0
    while r + 4 <= t:
        a, b, c, d = coefficients[r], coefficients[r + 1], coefficients[r + 2], coefficients[r + 3]
        w, x, y, z = rows[r], rows[r + 1], rows[r + 2], rows[r + 3]
        for i in range(out.shape[0]):
            out[i] -= a * w[i] + b * x[i] + c * y[i] + d * z[i]
        r += 4
    while r < t:
        a, w = coefficients[r], rows[r]
        for i in range(out.shape[0]):
            out[i] -= a * w[i]
        r += 1


@jit
def first_of_largest(values: FloatArray, order: IntArray) -> int:
    """Return the index of the largest value; of values within ``TIE`` of it, the first in ``order`` (n,)."""
    largest = -np.inf
    for i in range(values.shape[0]):
        if values[i] > largest:
            largest = values[i]
    threshold = largest - TIE * abs(largest)
    first = -1
    for i in range(values.shape[0]):
        if values[i] >= threshold and (first < 0 or order[i] < order[first]):
            first = i
    return first


@jit
def filter_proposals(H: FloatArray, part: float, floor: float, kept: IntArray) -> int:
    """Choose pivots of ``H`` (b, b), the largest residual first, into ``kept``; return their number.

    Stop when the residual trace is at most ``part`` of tr H or no residual diagonal exceeds ``floor``; take
    at least one pivot if any exceeds it.
    """
    b = H.shape[0]
    order, residual = np.arange(b), np.diag(H).copy()
    rows = np.empty((b, b))
    enough = part * residual.sum()
    rank = 0
    while rank == 0 or residual.sum() > enough:
        pivot = first_of_largest(residual, order)
        if residual[pivot] <= floor:
            break
        row = rows[rank]
        row[:] = H[pivot]
        subtract_combination(rows[:rank, pivot].copy(), rows[:rank], row)
        scale = 1.0 / np.sqrt(residual[pivot])
        for i in range(b):
            row[i] *= scale
            residual[i] = max(residual[i] - row[i] * row[i], 0.0)
        residual[pivot] = 0.0
        kept[rank] = pivot
        rank += 1
    return rank


@jit
def best_ratio(f: FloatArray, g: FloatArray, damping: FloatArray, floor: float, order: IntArray) -> int:
    """Return the index of the largest f / (g + damping) where g > floor, −1 for none; ties by ``order``.

    ``damping`` (n,) is ``pivot_damping(K)``: of ratios that are nearly equal, as every row has them once the
    residual has rank 1, it lets the one win whose g has digits enough to be a pivot.
    """
    ratios = np.full(f.shape[0], -np.inf)
    for i in range(f.shape[0]):
        if g[i] > floor:
            ratios[i] = f[i] / (g[i] + damping[i])
    best = first_of_largest(ratios, order)
    return best if best >= 0 and g[best] > floor else -1


@jit
def sum_groups(rows: FloatArray, groups: IntArray, start: int, sums: FloatArray) -> None:
    """Set ``sums[j, start + i]`` to the sum of ``rows[i]`` over the entries of group j."""
    total = np.empty(sums.shape[0])
    for i in range(rows.shape[0]):
        total[:] = 0.0
        for k in range(rows.shape[1]):
            total[groups[k]] += rows[i, k]
        sums[:, start + i] = total


@jit
def deflate_groups(sums: FloatArray, of_pivot: FloatArray, omega: FloatArray, f: FloatArray) -> None:
    """Subtract ``of_pivot ωᵀ`` from the group sums (c, n) and put their squared column norms into ``f``."""
    # Across the columns from 0 on, which the compiler can turn into vector instructions.
    f[:] = 0.0
    for j in range(sums.shape[0]):
        share = of_pivot[j]
        row = sums[j]
        for i in range(f.shape[0]):
            value = row[i] - share * omega[i]
            row[i] = value
            f[i] += value * value


@jit
def swap_chain(
    P: FloatArray,
    inverse: FloatArray,
    inside: IntArray,
    outside: IntArray,
    positions: IntArray,
    slots: IntArray,
    uniforms: FloatArray,
) -> int:
    """Run the swap chain of a k-DPP; return the number of accepted swaps.

    Step t proposes that the point in ``outside[slots[t]]`` changes places with the one in
    ``inside[positions[t]]``. With W the rows and columns ``inside`` of ``P``, whose inverse is maintained,
    det W_new / det W is the product of what leaving takes and what entering gives, a Schur complement each:
    O(m²) a step.
    """
    m = inside.shape[0]
    column = np.empty(m)
    solved = np.empty(m)
    leaving = np.empty(m)
    accepted = 0
    for t in range(slots.shape[0]):
        p, new = positions[t], outside[slots[t]]
        pivot = inverse[p, p]
        for i in range(m):
            column[i] = P[new, inside[i]]
            leaving[i] = inverse[p, i]
            solved[i] = 0.0
        column[p] = 0.0
        for j in range(m):
            for i in range(m):
                solved[i] += column[j] * inverse[j, i]
        share = solved[p] / pivot
        gain = P[new, new]
        for i in range(m):
            solved[i] -= share * leaving[i]
            gain -= column[i] * solved[i]
        if gain > 0.0 and pivot > 0.0 and uniforms[t] < gain * pivot:
            solved[p] = -1.0
            for j in range(m):
                entering, outgoing = solved[j] / gain, leaving[j] / pivot
                for i in range(m):
                    inverse[j, i] += entering * solved[i] - outgoing * leaving[i]
            outside[slots[t]] = inside[p]
            inside[p] = new
            accepted += 1
    return accepted


@jit
def choose_eigenvectors(log_values: FloatArray, uniforms: FloatArray, k: int) -> IntArray:
    """Draw a set S of k of n eigenvalues with P(S) ∝ Π λ_i, (k,); O(n k).

    As Kulesza & Taskar 2011, with logarithms of the elementary symmetric polynomials, which differ in size by
    more than a float can hold.
    """
    n = log_values.shape[0]
    e = np.full((k + 1, n + 1), -np.inf)
    e[0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, min(i, k) + 1):
            with_i = log_values[i - 1] + e[j - 1, i - 1]
            more, less = max(e[j, i - 1], with_i), min(e[j, i - 1], with_i)
            e[j, i] = more + np.log1p(np.exp(less - more))
    chosen = np.empty(k, dtype=np.intp)
    remaining = k
    for i in range(n, 0, -1):
        if remaining == 0:
            break
        share = log_values[i - 1] + e[remaining - 1, i - 1] - e[remaining, i]
        if remaining == i or np.log(uniforms[i - 1]) < share:
            remaining -= 1
            chosen[remaining] = i - 1
    return chosen


@jit
def projection_pivots(directions: FloatArray, uniforms: FloatArray) -> IntArray:
    """Draw one row after the other by the residual diagonal of an orthogonal projector, (k,); O(n k²).

    ``directions`` (k, n) are orthonormal and span its range. The rows S come with P(S) ∝ det P_SS.
    """
    k, n = directions.shape
    pivots = np.empty(k, dtype=np.intp)
    rows = np.zeros((k, n))
    residual = np.zeros(n)
    for r in range(k):
        for i in range(n):
            residual[i] += directions[r, i] * directions[r, i]
    for t in range(k):
        mass = uniforms[t] * residual.sum()
        pivot = 0
        for i in range(n):
            if residual[i] > 0.0:
                pivot = i
                mass -= residual[i]
                if mass < 0.0:
                    break
        row = rows[t]
        subtract_combination(-directions[:, pivot].copy(), directions, row)
        subtract_combination(rows[:t, pivot].copy(), rows[:t], row)
        scale = 1.0 / np.sqrt(residual[pivot])
        for i in range(n):
            row[i] *= scale
            residual[i] = max(residual[i] - row[i] * row[i], 0.0)
        residual[pivot] = 0.0
        pivots[t] = pivot
    return pivots
