"""From data, kernel and method to a low-rank approximation."""

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from nysviz.kernels import Kernel, KernelFunction, as_kernel, check_sparse, default_kernel
from nysviz.kernels.base import Custom
from nysviz.kernels.matrix import KernelMatrix
from nysviz.kernels.similarities import NEGATIVE
from nysviz.landmarks import METHODS, Method, Selection
from nysviz.landmarks.nystroem import nystroem_factor, projection_of
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, IntArray, one_blas_thread
from nysviz.numerics.counts import generator, is_finite, quoted, whole
from nysviz.numerics.factor_rows import FactorRows
from nysviz.numerics.lapack.triangular import solve_triangular
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.lowrank import LowRank, factor_rows
from nysviz.refusal import Refusal
from nysviz.shortfall import Note, Shortfall
from nysviz.text import in_bytes

# Two points are equal where their squared distance in feature space is below this part of their squared
# lengths, the size of rounding.
REPEATED = 1e-12


def approximate(
    X: FloatArray,
    kernel: Kernel | KernelFunction,
    method: str = "kmeans",
    m: int = 100,
    seed: int = 0,
    *,
    matrix: KernelMatrix | None = None,
    tolerance: Any = None,
    **options: object,
) -> LowRank:
    """Approximate k(X, X) by m landmarks, or by m random frequencies.

    Parameters
    ----------
    X : (n, d) array
        Finite numbers; for the linear kernel also sparse rows (scipy.sparse), which stay sparse.
    kernel : Kernel or callable
        One of nysviz, a sum or product of them, or a function that maps X (n, d) and Y (m, d) to (n, m).
    method : str
        An id of ``METHODS``.
    m : int
        Number of landmarks, or of frequencies, 1 ≤ m ≤ n.
    seed : int
        Of the random generator; the same seed gives the same result.
    matrix : KernelMatrix, optional
        The same K with rows or eigenpairs already at hand.
    tolerance : float, optional
        For a pivoted method, such as icd, rpcholesky or greedy: it stops at the fewest landmarks with
        tr(K − K̃) ≤ ``tolerance`` · tr K, a number between 0 and 1, and m is the most it may take.
    **options
        The method's own settings, see ``METHODS[method].options``.

    Returns
    -------
    LowRank
        Fewer than m landmarks or rank below m is reported in its ``rank``, ``notes`` and ``shortfalls``.

    Raises
    ------
    ValueError
        Unknown method or option; kernel invalid or not supported by the method; m or seed not a whole number
        or out of range; tolerance out of range or not supported by the method; X empty, not finite or not a
        table of numbers.

    Examples
    --------
    >>> import nysviz as nv
    >>> data = nv.load("iris")
    >>> a = nv.approximate(data.X, nv.Gaussian(1.0), method="kmeans", m=10)
    >>> a.factor.shape
    (150, 10)
    """
    X = checked_rows(X)
    entry = checked_method(method, options)
    kernel = checked_kernel(method, kernel)
    check_sparse(X, kernel)
    m = checked_count(m, X.shape[0])
    if tolerance is not None:
        _check_tolerance(tolerance, method)
    rng = generator(seed)
    matrix = None if matrix is None else checked_matrix(matrix)
    check_memory(entry, method, X.shape[0], m, matrix, options)
    started = time.perf_counter()
    # A count of its own: the entries that another run on the same matrix read are not this one's cost.
    K = KernelMatrix(X, kernel) if matrix is None else matrix.recount()
    K.tolerance = tolerance or 0.0
    with one_blas_thread():
        selection = select(K, method, m, rng, options)
        if tolerance is None:
            return factorise(K, selection, method, m, started)
        selection, count = _within_tolerance(selection, K, m)
        a = factorise(K, selection, method, count, started)
        return a if count < m else replace(a, notes=(*a.notes, *_missed(a, K)))


def _check_tolerance(tolerance: float, method: str) -> None:
    """Raise Refusal for a tolerance out of range, or for a method that does not know its trace error."""
    if not METHODS[method].takes_tolerance:
        able = ", ".join(name for name, entry in METHODS.items() if entry.takes_tolerance)
        raise Refusal(
            f"{method} does not know its trace error as it goes; for a tolerance take one of {able}."
        )
    if not (is_finite(tolerance) and 0 < tolerance < 1):
        raise Refusal(
            f"tolerance = {quoted(tolerance)}; a part of tr K is needed, a number above 0 and below 1."
        )


def _within_tolerance(selection: Selection, K: KernelMatrix, m: int) -> tuple[Selection, int]:
    """Return the fewest pivots whose tr(K − K̃) is within the tolerance, and their number; else all, and m.

    Where the factor is not held they are all those of the block in which the method stopped.
    """
    pivots, factor = selection.pivots, selection.factor
    assert pivots is not None  # for every pivoted method returns them
    if factor is None:
        return (replace(selection, notes=()), len(pivots)) if len(pivots) < m else (selection, m)
    explained = np.cumsum(np.einsum("ij,ij->j", factor, factor))
    reached = np.flatnonzero(explained >= (1.0 - K.tolerance) * float(K.diagonal.sum()))
    if not len(reached):
        return selection, m
    count = int(reached[0]) + 1
    return Selection(pivots=pivots[:count], factor=factor[:, :count]), count


def _missed(a: LowRank, K: KernelMatrix) -> tuple[str, ...]:
    """Say that the trace error of all landmarks exceeds the tolerance; nothing where it does not."""
    trace = float(K.diagonal.sum())
    trace_error = 1.0 - float(a.diagonal().sum()) / trace if trace > 0 else 0.0
    if trace_error <= K.tolerance:
        return ()
    more = f"allow more than {a.requested} landmarks"
    sentence = f"The trace error is {trace_error:.2g} of tr K, above the tolerance {K.tolerance:g}; {more}."
    return (Note(sentence, Shortfall.TOLERANCE_MISSED),)


def inducing_points(
    X: FloatArray,
    m: int,
    method: str = "kmeans",
    kernel: Kernel | KernelFunction | None = None,
    seed: int = 0,
    **options: Any,
) -> FloatArray:
    """Choose m points that stand for the rows of X, as inducing points of a Gaussian process.

    Parameters
    ----------
    X : (n, d) array
    m : int
        1 ≤ m ≤ n.
    method : str
        An id of ``METHODS`` whose landmarks are points: not random features, ``svd`` or ``ensemble``.
    kernel : Kernel or callable, optional
        By default the Gaussian of ``default_width(X)``; k-means and uniform sampling do not look at it.
    seed : int
    **options
        As in ``approximate``.

    Returns
    -------
    (m, d) array, a copy; fewer rows, with a UserWarning, where landmarks repeat up to rounding, as with few
    distinct rows or draws with replacement: k(Z, Z) of equal points is singular.

    Raises
    ------
    ValueError
        As ``approximate``, and a method without landmarks or with several sets of them.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.inducing_points(nv.load("iris").X, 8).shape
    (8, 4)
    """
    a = approximate(X, default_kernel(X) if kernel is None else kernel, method, m, seed, **options)
    if a.landmarks is None or a.shares is not None:
        raise Refusal(f"{method} has no m landmarks; take kmeans, rpcholesky or another method that has.")
    distinct = _distinct(a.kernel, a.landmarks)
    if len(distinct) < a.requested:
        warnings.warn(
            f"Only {len(distinct)} of m = {a.requested} inducing points are returned: any other that "
            f"{method} chose repeats one of them up to rounding, or adds nothing to them.",
            stacklevel=2,
        )
    return a.landmarks[distinct]


def _distinct(kernel: Kernel, points: FloatArray) -> IntArray:
    """Return the numbers of the points (m, d) that repeat none before them in feature space; O(m² d)."""
    W = kernel(points)
    sizes = np.abs(W.diagonal())
    gaps = np.abs(W.diagonal()[:, None] + W.diagonal() - 2.0 * W)
    return np.flatnonzero(~np.tril(gaps <= REPEATED * (sizes[:, None] + sizes), -1).any(axis=1))


def select(
    K: KernelMatrix, method: str, m: int, rng: np.random.Generator, options: dict[str, Any]
) -> Selection:
    """Run a method; ValueError in one sentence where it cannot do with a kernel that is not semidefinite."""
    try:
        return METHODS[method].select(K, m, rng, **options)
    except np.linalg.LinAlgError:
        if K.kernel.is_psd:
            raise
        raise Refusal(
            f"{method} needs a positive semidefinite kernel, and the {K.kernel.label} one is not on these "
            "rows; choose a method that does not, such as kmeans, or another kernel."
        ) from None


def factorise(
    K: KernelMatrix,
    selection: Selection,
    method: str,
    m: int,
    started: float | None = None,
) -> LowRank:
    """Turn a selection into the approximation that it defines.

    A factor that is too large to be held is made again, in blocks of rows, whenever it is used.
    """
    started = time.perf_counter() if started is None else started
    pivots, points, frequencies = selection.pivots, selection.points, selection.frequencies
    rows: FloatArray | FactorRows | None = selection.factor
    projection, notes = selection.projection, list(selection.notes)
    landmarks = None if frequencies is not None else points if pivots is None else K.X[pivots]
    basis = K.X if landmarks is None else landmarks
    if frequencies is not None:
        basis, projection = K.X[:0], np.empty((0, 2 * len(frequencies)))
    elif projection is None and selection.factor is not None and pivots is not None:
        projection = solve_triangular(selection.factor[pivots], np.eye(selection.factor.shape[1])).T
    elif projection is None and landmarks is not None:
        is_held = memory.is_held(K.n, landmarks.shape[0])
        if pivots is None:
            W = K.kernel(landmarks)
            K.evaluations += landmarks.shape[0] ** 2
            columns = K.against(landmarks) if is_held else None
        else:
            distinct = np.sort(np.unique(pivots, return_index=True)[1])
            chosen = pivots[distinct]
            columns = K.columns(chosen) if is_held else None
            W = K.entries(chosen, chosen) if columns is None else columns[chosen]
        if columns is None:
            projection, note = projection_of(W, K.rounding)
        else:
            rows, projection, note = nystroem_factor(columns, W, K.rounding)
        notes += [note] if note else []
        if pivots is not None:
            among_distinct = projection
            projection = np.zeros((len(pivots), among_distinct.shape[1]))
            projection[distinct] = among_distinct
    assert projection is not None  # for every method returns pivots, points or a projection
    if rows is None:
        K.evaluations += K.n * basis.shape[0]
        rows = factor_rows(K.X, K.kernel, basis, projection, frequencies)
    a = LowRank(
        rows=rows,
        landmarks=landmarks,
        pivots=pivots,
        projection=projection,
        basis=basis,
        kernel=K.kernel,
        method=method,
        requested=m,
        seconds=time.perf_counter() - started,
        kernel_evaluations=K.evaluations,
        notes=tuple(notes),
        weights=selection.weights,
        shares=selection.shares,
        frequencies=frequencies,
    )
    if K.kernel.is_psd:
        return a
    warning = _seen_indefinite(K, a)
    notes += [warning] if warning else []
    return replace(a, notes=tuple(notes), is_indefinite=bool(warning), kernel_evaluations=K.evaluations)


def _seen_indefinite(K: KernelMatrix, a: LowRank) -> str:
    """Give the evidence that the kernel is not positive semidefinite, or ""; O(m³ + n r).

    K̃_ii is looked at where the factor is at hand, and W of the first m landmarks alone where there are more.
    """
    evidence = ""
    if a.landmarks is not None:
        K.evaluations += a.requested**2
        values = np.linalg.eigvalsh(K.kernel(a.landmarks[: a.requested]))
        if len(values) and values[0] < -NEGATIVE * np.abs(values).sum():
            evidence = f"W has the eigenvalue {values[0]:.3g} beside {values[-1]:.3g}"
    if not evidence and a.is_held and a.residual_is_psd:
        excess = float((a.diagonal() - K.diagonal).max())
        if excess > NEGATIVE * float(np.abs(K.diagonal).max()):
            evidence = f"K̃_ii exceeds K_ii by up to {excess:.3g}"
    return evidence and (
        f"The kernel is not positive semidefinite, or has too few digits: {evidence}. K − K̃ has negative "
        "eigenvalues, and no bound or leave-one-out estimate holds."
    )


def checked_same(X: FloatArray, kernel: Kernel | KernelFunction, a: LowRank) -> FloatArray:
    """Return the checked rows, or raise Refusal when the approximation is not one of k(X, X).

    Rows, columns and kernel are compared, not the numbers of X.
    """
    X = checked_rows(X)
    if not isinstance(a, LowRank):
        raise Refusal(f"{quoted(a)} is no approximation; give what nysviz.approximate returns.")
    kernel = as_kernel(kernel)
    if isinstance(kernel, Custom) and isinstance(a.kernel, Custom) and kernel != a.kernel:
        raise Refusal(
            "The kernel is another function than that of the approximation; give a.kernel, or approximate "
            "anew."
        )
    if issubclass(type(kernel), Kernel) and kernel != a.kernel:
        raise Refusal(
            f"The kernel is {kernel} and that of the approximation {a.kernel}; give the same kernel to both."
        )
    for name, count, expected in (("rows", X.shape[0], a.n), ("columns", X.shape[1], a.d)):
        if count != expected:
            raise Refusal(f"X has {count} {name} and the approximation {expected}; give the same X to both.")
    return X


def checked_matrix(matrix: object) -> KernelMatrix:
    """Return the matrix, or raise Refusal if it is not a KernelMatrix."""
    if not isinstance(matrix, KernelMatrix):
        raise Refusal(
            f"matrix = {quoted(matrix)}; a nysviz.kernels.matrix.KernelMatrix of the same K is needed."
        )
    return matrix


def check_memory(
    entry: Method,
    method: str,
    n: int,
    m: int,
    matrix: KernelMatrix | None,
    options: dict[str, object],
    limit: int | None = None,
) -> None:
    """Raise Refusal when a method must hold more than the limit, by default a third of free memory."""
    memory.check_weights_memory(method, entry.all_landmarks(m, options))
    at_hand = matrix is not None and (matrix.dense is not None or matrix.eigen is not None)
    held = entry.holding(options)
    if held == "matrix" and not at_hand:
        memory.check_matrix_memory(method, n, limit)
    elif held == "factor":
        memory.check_factor_memory(method, n, m, limit)
    name, rows = entry.rows_beside(n, options)
    if not rows:
        return
    free = memory.most_bytes() if limit is None else limit
    if 8 * n * rows > free:
        raise Refusal(
            f"{method} with {name} = {rows} holds {in_bytes(8 * n * rows)} beside its factor for "
            f"n = {n}, and {in_bytes(free)} are available, enough for {name} = {free // (8 * n)}; "
            f"choose fewer {name}, or a method that holds neither, such as kmeans or rpcholesky."
        )


def checked_method(method: object, options: dict[str, object]) -> Method:
    """Return the registry's entry, or raise Refusal for an unknown method or option."""
    if not isinstance(method, str) or method not in METHODS:
        raise Refusal(f"Method {quoted(method)} is not known; choose one of {', '.join(METHODS)}.")
    entry = METHODS[method]
    names = [option.name for option in entry.options]
    unknown = sorted(set(options) - set(names))
    if unknown:
        has = f"its options are {', '.join(names)}" if names else "it has no options"
        raise Refusal(f"{method} does not know the option {unknown[0]!r}; {has}.")
    for option in entry.options:
        if option.name in options:
            option.check(options[option.name])
    return entry


def checked_kernel(method: str, kernel: Kernel | KernelFunction) -> Kernel:
    """Return the kernel, or raise Refusal if it is not a kernel or the method does not support it."""
    entry, kernel = METHODS[method], as_kernel(kernel)
    if not entry.suits(kernel):
        if entry.needs_derivative:
            raise Refusal(
                f"{method} moves landmarks along the derivative of the kernel, and the {kernel.label} one "
                "has none; choose another method, such as rpcholesky, or a smooth kernel, such as Gaussian."
            )
        if entry.moves_points:
            raise Refusal(
                f"{method} takes means of points, and a precomputed kernel has none; choose a method whose "
                "landmarks are rows, such as rpcholesky, or take kernel.points() and the linear kernel."
            )
        kernel_names = " or ".join(kind.label for kind in entry.kernels)
        raise Refusal(
            f"{method} is made for the {kernel_names} kernel only, and this is the {kernel.label} one; "
            "choose another method or kernel."
        )
    return kernel


def checked_count(m: int, n: int) -> int:
    """Return m as an int, or raise Refusal if m is not between 1 and n."""
    count = whole(m)
    if count is None or not 1 <= count <= n:
        raise Refusal(f"m = {quoted(m)} landmarks of n = {n} rows; a whole number from 1 to {n} is needed.")
    return count
