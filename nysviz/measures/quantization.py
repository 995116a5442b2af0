"""How well landmarks encode the data points themselves."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nysviz.approximation import checked_rows
from nysviz.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.kernels import Linear


def quantization_error(X: FloatArray, landmarks: FloatArray) -> float:
    """Σ_i min_j ‖x_i − z_j‖², from differences of centred rows in blocks; O(nmd).

    Parameters
    ----------
    X : (n, d) array
    landmarks : (m, d) array
    """
    X, Z = checked_rows(X), checked_rows(landmarks)
    if sparse.issparse(X) or sparse.issparse(Z):
        # From inner products, since differences of sparse rows would be dense.
        gaps = -2.0 * Linear()(X, Z)
        gaps += Linear().diag(Z)
        return float(np.maximum(gaps.min(axis=1) + Linear().diag(X), 0.0).sum())
    middle = Z.mean(axis=0)
    Z = Z - middle
    squares = np.einsum("ij,ij->i", Z, Z)
    nearest = np.empty(len(X))

    def block(start: int, stop: int) -> None:
        rows = X[start:stop] - middle
        closest = (squares - 2.0 * (rows @ Z.T)).argmin(axis=1)
        gaps = rows - Z[closest]
        nearest[start:stop] = np.einsum("ij,ij->i", gaps, gaps)

    over_blocks(len(X), rows_per_block(len(X), len(Z)), block)
    return float(nearest.sum())
