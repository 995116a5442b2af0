"""Kernels as small value objects; each formula stands once."""

import numpy as np

from nysviz.kernels.base import (
    Fill,
    Kernel,
    KernelFunction,
    Rows,
    Scaled,
    SingleArray,
    SingleRows,
    as_kernel,
    as_rows,
    check_sparse,
)
from nysviz.kernels.histograms import ChiSquared
from nysviz.kernels.inner_products import Cosine, Linear, Polynomial, Sigmoid
from nysviz.kernels.per_feature import PerFeature
from nysviz.kernels.precomputed import Precomputed
from nysviz.kernels.radial import Gaussian, InverseDistance, Laplacian, Matern, Radial, RationalQuadratic
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.rows import checked_rows

# Kernels of the pages; the cosine, sigmoid and chi-squared kernel are for Python.
KERNELS: dict[str, type[Kernel]] = {
    "gaussian": Gaussian,
    "laplacian": Laplacian,
    "matern": Matern,
    "rational_quadratic": RationalQuadratic,
    "inverse_distance": InverseDistance,
    "polynomial": Polynomial,
    "linear": Linear,
}


def default_width(X: FloatArray) -> float:
    """Mean squared distance of the rows to their mean, Zhang 2008's gamma: k = exp(-||x-y||²/width).

    Parameters
    ----------
    X : (n, d) array

    Returns
    -------
    float
        In squared units of X; 0 when all rows are equal. O(nd).

    Raises
    ------
    ValueError
        X sparse, empty, not finite, or not a table of rows.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.default_width([[0.0, 0.0], [2.0, 0.0]])
    1.0
    """
    rows = as_rows(checked_rows(X), "X")
    # The mean of equal rows is rounded, and leaves a width that is not 0 but says nothing.
    if not (rows != rows[:1]).any():
        return 0.0
    moved = rows - rows.mean(axis=0)
    return float(np.einsum("ij,ij->", moved, moved) / len(rows))


def default_kernel(X: FloatArray) -> Gaussian:
    """Return the Gaussian kernel of the default width of the rows, (n, d)."""
    width = default_width(X)
    # Where all rows are equal every width gives the same kernel matrix.
    return Gaussian.from_width(width) if width > 0 else Gaussian(1.0)
