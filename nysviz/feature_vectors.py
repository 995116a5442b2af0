"""Feature vectors z(x) of rows: k(x, landmarks) P, or sines and cosines of random frequencies."""

from functools import partial
from typing import Any, TypeVar

import numpy as np

from nysviz.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.factor_rows import FactorRows
from nysviz.kernels import Kernel, SingleArray, checked_sparse
from nysviz.landmarks.random_features import fourier_features
from nysviz.refusal import Refusal
from nysviz.rows import checked_rows

Floats = TypeVar("Floats", FloatArray, SingleArray)


def new_rows(X_new: Any, d: int, kernel: Kernel) -> FloatArray:
    """Return new points (q, d) as checked rows, or raise one sentence that says what is wrong with them."""
    rows = checked_rows(X_new, "X_new", may_be_empty=True)
    checked_sparse(rows, kernel, "X_new")
    if rows.shape[1] != d:
        raise Refusal(f"X_new has {rows.shape[1]} columns and X had {d}; both need the same features.")
    return rows


def factor_rows(
    X: FloatArray,
    kernel: Kernel,
    basis: FloatArray,
    projection: FloatArray,
    frequencies: FloatArray | None = None,
    turn: FloatArray | None = None,
) -> FactorRows:
    """Factor of the rows of X that is not held; the arguments are those of ``LowRank``."""
    made = partial(features, kernel, basis, projection, frequencies, turn)
    inner = basis.shape[0] if frequencies is None else 2 * len(frequencies)
    return FactorRows(X, made, projection.shape[1], inner)


def features(
    kernel: Kernel,
    basis: FloatArray,
    projection: FloatArray,
    frequencies: FloatArray | None,
    turn: FloatArray | None,
    X: FloatArray,
) -> FloatArray:
    """Feature vectors of the rows of X, (q, r): sines and cosines, or k(x, basis) P."""
    if frequencies is not None:
        return fourier_features(frequencies, X, turn=turn)
    return nystroem_features(kernel, basis, projection, X)


def nystroem_features(kernel: Kernel, basis: FloatArray, projection: FloatArray, X: Floats) -> Floats:
    """Feature vectors k(x, basis) P of the rows of X, (q, r), in blocks of rows.

    They are computed in double precision: P has the size of 1/√λ_min(W), which would multiply the rounding
    of k(x, basis) in single precision. Those of float32 rows are float32.
    """
    features = np.empty((X.shape[0], projection.shape[1]), X.dtype)
    against = kernel.against(basis)
    over_blocks(
        X.shape[0],
        rows_per_block(X.shape[0], basis.shape[0]),
        lambda i, j: np.matmul(against(X[i:j].astype(np.float64, copy=False)), projection, out=features[i:j]),
    )
    return features
