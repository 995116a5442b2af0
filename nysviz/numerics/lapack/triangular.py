"""Triangular systems with many right-hand sides, and sums of products in place."""

import numpy as np
from scipy.linalg import blas

from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.lapack.routines import column_major, leading, routine
from nysviz.refusal import Refusal


def solve_triangular(triangle: FloatArray, right: FloatArray, *, transposed: bool = False) -> FloatArray:
    """Solve T X = B, or Tᵀ X = B (``transposed``), while other threads run; B is (m,) or (m, c), O(m² c).

    Only the lower triangle of T (m, m) is read. B is not changed; X is in its order of memory where it is
    contiguous. ValueError for shapes that do not belong together, LinAlgError for a zero on T's diagonal.
    """
    solution = np.array(right, dtype=np.float64)
    solve_in_place(triangle, solution[:, None] if solution.ndim == 1 else solution, transposed)
    return solution


def solve_in_place(triangle: FloatArray, right: FloatArray, transposed: bool = False) -> None:
    """Solve as ``solve_triangular``, with the solution in the place of ``right`` (m, c).

    Nothing is copied where T and B are float64 with contiguous rows or columns, as blocks of contiguous
    arrays are; else B is solved for in a copy and written back.
    """
    triangle = np.asarray(triangle, dtype=np.float64)
    if triangle.ndim != 2 or right.ndim != 2 or triangle.shape != (len(right), len(right)):
        raise Refusal(
            f"A triangle of the shape {triangle.shape} and a right side of the shape {right.shape}; "
            "(m, m) and (m, c) are needed."
        )
    if right.dtype != np.float64:
        raise Refusal(f"A right side of {right.dtype} to be solved for in place; float64 is needed.")
    if not right.size:
        return
    if not triangle.diagonal().all():
        raise np.linalg.LinAlgError("A triangular matrix has a zero on its diagonal.")
    laid_out = column_major(triangle)
    if laid_out is None or np.may_share_memory(triangle, right):
        laid_out = np.array(triangle, order="F"), False
    placed = column_major(right) if right.flags.writeable else None
    if placed is None:
        copied = np.array(right, dtype=np.float64, order="F")
        _solve(*laid_out, copied, False, transposed)
        right[...] = copied
    else:
        _solve(*laid_out, *placed, transposed)


def _solve(T: FloatArray, turned: bool, B: FloatArray, aside: bool, transposed: bool) -> None:
    """Solve in place for views as BLAS reads them; ``turned`` and ``aside`` say which are transposes.

    If B is the transpose of the right side, the unknown stands on the left: X Tᵀ = B.
    """
    is_transposed = (transposed != turned) != aside
    dtrsm = routine("dtrsm")
    if dtrsm is None:
        B[...] = blas.dtrsm(1.0, T, B, side=int(aside), lower=int(not turned), trans_a=int(is_transposed))
        return
    side, triangle = b"R" if aside else b"L", b"U" if turned else b"L"
    trans = b"T" if is_transposed else b"N"
    dtrsm(side, triangle, trans, b"N", *B.shape, 1.0, T, leading(T), B, leading(B))


def add_product(out: FloatArray, left: FloatArray, right: FloatArray, scale: float = 1.0) -> None:
    """Add scale · left @ right to ``out``, (a, c) and (a, b) and (b, c), without an array for the product.

    Other threads run meanwhile. ValueError for shapes that do not belong together.
    """
    left, right = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    flat = left.ndim == right.ndim == out.ndim == 2
    if not flat or left.shape[1] != len(right) or out.shape != (len(left), right.shape[1]):
        raise Refusal(
            f"Arrays of the shapes {left.shape} and {right.shape}, to be added to {out.shape}; (a, b), (b, c)"
            " and (a, c) are needed."
        )
    if not out.size or not left.size:
        return
    dgemm, placed = routine("dgemm"), column_major(out)
    if dgemm is None or placed is None or not out.flags.writeable:
        out += scale * (left @ right)
        return
    C, aside = placed
    # The transpose of a product is the product of the transposes in the other order.
    factors = []
    for factor in (right.T, left.T) if aside else (left, right):
        layout = column_major(factor)
        if layout is None or np.may_share_memory(factor, out):
            layout = np.array(factor, order="F"), False
        factors.append(layout)
    (A, turned), (B, B_turned) = factors
    dgemm(
        b"T" if turned else b"N", b"T" if B_turned else b"N", *C.shape, left.shape[1],
        scale, A, leading(A), B, leading(B), 1.0, C, leading(C),
    )  # fmt: skip
