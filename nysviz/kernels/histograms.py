"""Kernels of rows that count or weigh things, such as histograms: chi-squared."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nysviz.kernels.base import Fill, Kernel, KernelParameter, as_rows, check_positive
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.loops import chi_squared_distances
from nysviz.refusal import Refusal


@dataclass(frozen=True)
class ChiSquared(Kernel):
    """k(x, y) = exp(-gamma Σ_j (x_j - y_j)² / (x_j + y_j)) of values from 0; 0/0 counts as 0.

    Positive semidefinite (Schoenberg 1938): the distance is x + y - 4xy/(x + y), and xy/(x + y) is the
    integral of exp(-t/x) exp(-t/y) over t > 0.

    Parameters
    ----------
    gamma : float
        In one over the units of X, a finite number above 0, else ValueError.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.ChiSquared(gamma=1.0)([[0.0, 1.0], [1.0, 0.0]]).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    gamma: float = 1.0
    label: ClassVar[str] = "chi-squared"
    parameters: ClassVar[tuple[KernelParameter, ...]] = (
        KernelParameter("gamma", "γ", 1e-6, 1e6, 1.0, "gamma"),
    )

    def __post_init__(self) -> None:
        check_positive("gamma", self.gamma)

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) = 1 for each row of X, (n,)."""
        return np.ones(len(_checked(as_rows(X, "X"))))

    def _filler(self, Y: FloatArray) -> Fill:
        _checked(Y)

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            chi_squared_distances(_checked(X), Y[first : first + out.shape[1]], out)
            out *= -self.gamma
            np.exp(out, out=out)

        return fill


def _checked(X: FloatArray) -> FloatArray:
    """Return the rows, or raise Refusal where they have values below 0."""
    if X.size and X.min() < 0:
        j = int(X.min(axis=0).argmin())
        raise Refusal(
            f"The chi-squared kernel needs values from 0, and column {j} has {X[:, j].min():.6g}; subtract "
            "each column's smallest value, or choose another kernel."
        )
    return X
