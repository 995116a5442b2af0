"""How well landmarks encode the data points themselves."""

import numpy as np
from scipy import sparse

from nysviz.blocks import FloatArray
from nysviz.kernels import Linear
from nysviz.landmarks.nearest import nearest
from nysviz.rows import check_same_features, checked_rows


def quantization_error(X: FloatArray, landmarks: FloatArray) -> float:
    """Σ_i min_j ‖x_i − z_j‖², from differences of rows in blocks; O(nmd).

    Parameters
    ----------
    X : (n, d) array
    landmarks : (m, d) array

    Returns
    -------
    float
        In squared units of X.

    Raises
    ------
    ValueError
        X or the landmarks empty or not finite, or with different numbers of columns.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.quantization_error([[0.0], [1.0], [4.0]], [[0.0], [4.0]])
    1.0
    """
    X, Z = checked_rows(X), checked_rows(landmarks, "landmarks")
    check_same_features(X, Z, "the landmarks")
    if sparse.issparse(X) or sparse.issparse(Z):
        # From inner products, since differences of sparse rows would be dense.
        gaps = -2.0 * Linear()(X, Z)
        gaps += Linear().diag(Z)
        return float(np.maximum(gaps.min(axis=1) + Linear().diag(X), 0.0).sum())
    return float(nearest(X, Z)[1].sum())
