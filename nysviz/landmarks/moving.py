"""Landmarks that are no rows: points moved along the derivative of the trace error."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from nysviz.kernels import Kernel
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks.cost import Options, Size, Work
from nysviz.landmarks.nystroem import projection_of
from nysviz.landmarks.quantize import kmeans, kmeanspp
from nysviz.landmarks.sampling import uniform
from nysviz.landmarks.selection import Method, Option, Selection
from nysviz.landmarks.step_rule import StepRule
from nysviz.numerics.blocks import FloatArray, rows_per_block
from nysviz.numerics.factor_rows import total_over_blocks
from nysviz.numerics.lapack.symmetric import cholesky
from nysviz.numerics.lapack.triangular import solve_in_place
from nysviz.refusal import Refusal
from nysviz.shortfall import Note, Shortfall

# Number of rows, drawn once at random, by which the landmarks move; all rows judge the result.
MOST_ROWS = 4_500
# Ridge on W's diagonal while landmarks move, as a part of the largest k(x, x): above the rounding of its
# entries, so that the objective stays smooth where two landmarks meet and W is singular.
RIDGE = 1e-10
# Below this part of tr K the ridge, and not the landmarks, makes the error.
LEAST_LEFT = 1e-8
# The moves end where one lowers the error by less than this part of that of the start.
LEAST_GAIN = 1e-6
# Evaluations of error and derivative per allowed move: some steps are tried at several lengths, and most runs
# end before the last move.
TRIES = 0.85
# Error of a step to where none can be computed, in errors of the start: a shorter step is tried.
TOO_FAR = 10.0
STARTS = {"kmeans": kmeans, "kmeanspp": kmeanspp, "uniform": uniform}


def gradient(
    K: KernelMatrix,
    m: int,
    rng: np.random.Generator,
    iterations: int = 40,
    start: str = "kmeans",
    visit: Callable[[FloatArray], object] = lambda points: None,
) -> Selection:
    """Move landmarks from k-means centres, by L-BFGS, to where the trace error is small.

    The points are no rows, but chosen by descent (Hutchings & Gauthier 2022, arXiv:2203.13284); they are the
    inducing points of Titsias 2009 for the prior alone, without labels.

    Ends after ``iterations`` moves, or when a move gains less than ``LEAST_GAIN`` of the start's error. The
    start is kept if the moves do not lower the trace error over all rows. O(n m d + n m² + m³) a move, with n
    at most ``MOST_ROWS``; each entry of E and W counts twice, for its value and for its derivative.
    ``visit`` is called with the start, (m, d), and with the landmarks after each move.
    """
    # Imported late: it takes a fifth of the whole import, and only few methods need it.
    from scipy.optimize import minimize

    begin = STARTS[start](K, m, rng)
    points = begin.points if begin.pivots is None else _dense(K.X[begin.pivots])
    assert points is not None  # for each of the three returns points or rows
    visit(points)
    X, diagonal = K.X, K.diagonal
    if K.n > MOST_ROWS:
        rows = np.sort(rng.permutation(K.n)[:MOST_ROWS])
        X, diagonal = X[rows], diagonal[rows]
    trace, ridge = float(diagonal.sum()), RIDGE * float(diagonal.max())

    def trace_error(Z: FloatArray) -> tuple[float, FloatArray]:
        K.checkpoint()
        K.evaluations += 2 * len(Z) * (X.shape[0] + len(Z))
        explained, slopes = explained_trace(K.kernel, X, Z, ridge)
        return trace - explained, -slopes

    at_start = trace_error(points)[0] if trace > 0 else 0.0
    if at_start <= LEAST_LEFT * trace:
        sentence = f"The start leaves less than {LEAST_LEFT:g} of tr K: it is kept."
        note = Note(sentence, Shortfall.START_KEPT)
        return Selection(points=points, notes=(*begin.notes, note))
    # In units of the points' own spread and of the error at the start, whatever those of the data are.
    unit = (
        float(np.sqrt(np.square(points - points.mean(axis=0)).mean())) or float(np.abs(points).max()) or 1.0
    )

    def scaled(z: FloatArray) -> tuple[float, FloatArray]:
        try:
            value, slopes = trace_error(z.reshape(points.shape) * unit)
        except (np.linalg.LinAlgError, Refusal):
            # A step so far that the entries of a polynomial overflow, or the ridge is lost beside them.
            return TOO_FAR, np.zeros(z.shape)
        return value / at_start, slopes.ravel() * (unit / at_start)

    stop = {"maxiter": iterations, "maxfun": 20 * iterations, "ftol": LEAST_GAIN, "gtol": 0.0}

    def moved_to(z: FloatArray) -> None:
        visit(z.reshape(points.shape) * unit)

    result = minimize(
        scaled, points.ravel() / unit, jac=True, method="L-BFGS-B", options=stop, callback=moved_to
    )
    moved = result.x.reshape(points.shape) * unit
    if _error_on_all_rows(K, moved) < _error_on_all_rows(K, points):
        return Selection(points=moved, notes=begin.notes)
    note = Note("No move lowered the trace error: the start is kept.", Shortfall.START_KEPT)
    return Selection(points=points, notes=(*begin.notes, note))


def explained_trace(
    kernel: Kernel, X: FloatArray, Z: FloatArray, ridge: float = 0.0
) -> tuple[float, FloatArray]:
    """Return tr E (W + ridge I)⁻¹ Eᵀ and its derivative in the landmarks Z, (m, d).

    With A = W⁻¹ Eᵀ the derivative is 2⟨Aᵀ, dE⟩ − ⟨A Aᵀ, dW⟩. O(n m d + n m² + m³), a block of rows at a time.
    """
    W, m = kernel(Z), len(Z)
    W[np.diag_indices(m)] += ridge
    L, against = cholesky(W), kernel.against(Z)

    def block(start: int, stop: int) -> FloatArray:
        E = against(X[start:stop])
        solve_in_place(L, E.T)
        explained = np.vdot(E, E)
        solve_in_place(L, E.T, transposed=True)
        return np.concatenate([[explained], (E.T @ E).ravel(), kernel.gradient(X[start:stop], Z, E).ravel()])

    sums = total_over_blocks(X.shape[0], rows_per_block(X.shape[0], m), block)
    inner, by_rows = sums[1 : 1 + m * m].reshape(m, m), sums[1 + m * m :].reshape(Z.shape)
    return float(sums[0]), 2.0 * (by_rows - kernel.gradient(Z, Z, inner))


def _error_on_all_rows(K: KernelMatrix, Z: FloatArray) -> float:
    """Return tr(K − K̃) over all rows, without a ridge; m n + m² kernel evaluations."""
    K.checkpoint()
    K.evaluations += len(Z) * (K.n + len(Z))
    projection, against = projection_of(K.kernel(Z), K.rounding)[0], K.kernel.against(Z)

    def block(start: int, stop: int) -> FloatArray:
        return np.square(against(K.X[start:stop]) @ projection).sum(keepdims=True)

    explained = total_over_blocks(K.n, rows_per_block(K.n, len(Z)), block)
    return float(K.diagonal.sum()) - float(explained.sum())


def _dense(rows: Any) -> FloatArray:
    """Return a dense copy of rows, which may be sparse."""
    return np.array(rows.toarray() if sparse.issparse(rows) else rows)


def _work(size: Size, options: Options) -> Work:
    """Return the work of the moves on some rows, two passes over all rows, the start and the factor."""
    rows, entries = min(size.n, MOST_ROWS), float(size.m) * (size.m + size.n)
    products = rows * float(size.m) * (4.0 * size.m + size.d) + float(size.m) ** 3
    move = Work(2.0 * size.m * (rows + size.m), products)
    looks = Work(2.0 * entries + size.n, 2.0 * size.nm * size.m)
    start = size.columns_one_by_one if options["start"] == "kmeanspp" else 10.0 * size.nearest
    return (1.0 + TRIES * float(options["iterations"])) * move + looks + start + size.factor


GRADIENT = Method(
    label="landmarks moved downhill",
    short="moved downhill",
    source="Hutchings & Gauthier 2022",
    sentence="Moves k-means centres along the derivative of the trace error until it hardly falls any more.",
    complexity="O(nmd + nm²) a move",
    select=gradient,
    family="quantization",
    step_rule=StepRule("moves every landmark downhill on the trace error", "residual", "descent"),
    stroke=("longdashdot", "star-triangle-up"),
    landmarks_are_data=False,
    needs_derivative=True,
    options=(
        Option("iterations", "moves at most", 40, bounds=(1, 500)),
        Option(
            "start",
            "start",
            "kmeans",
            choices=tuple(STARTS),
            sentence="From k-means centres, from kernel k-means++ rows, or from random rows.",
        ),
    ),
    work=_work,
)
