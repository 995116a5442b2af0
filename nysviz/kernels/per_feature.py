"""Radial kernels with a separate width for each feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nysviz.kernels.base import Fill, Kernel, as_rows, check_positive
from nysviz.kernels.radial import Radial
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import checked_sequence, quoted
from nysviz.refusal import Refusal

# A width below this part of a column's largest value is rounding: the standard deviation of n equal values is
# up to n eps of them, as their sum is rounded n times.
WIDTH_ROUNDING = 1e-10


@dataclass(frozen=True, init=False, repr=False)
class PerFeature(Kernel):
    """A radial kernel of the rows divided by a width for each feature: k(x / widths, y / widths).

    Parameters
    ----------
    kernel_class : type
        A radial one, such as ``Gaussian``, else ValueError.
    widths : (d,) sequence of float
        In the units of each feature, such as ``X.std(axis=0)`` of features that vary; finite numbers above 0,
        else ValueError. One that is rounding beside the values of its feature, as a constant one has, is
        refused once the rows are seen.
    **parameters
        Of the radial kernel; its sigma, which multiplies all widths, is 1 unless given.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.PerFeature(nv.Gaussian, [1.0, 10.0])([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[0].round(3)
    array([1.   , 0.607, 0.995])
    """

    kernel: Radial
    widths: tuple[float, ...]
    label: ClassVar[str] = "per-feature"

    def __init__(self, kernel_class: type[Radial], widths: Sequence[float], **parameters: float) -> None:
        candidate: object = kernel_class
        if not (isinstance(candidate, type) and issubclass(candidate, Radial)):
            raise Refusal(
                f"kernel_class = {quoted(kernel_class)}; a radial one, such as Gaussian, is needed."
            )
        values = checked_sequence("widths", widths)
        for j, width in enumerate(values):
            if width == 0:
                raise Refusal(
                    f"widths[{j}] = 0, as of a constant column; leave column {j} out, or give it the width 1."
                )
            check_positive(f"widths[{j}]", width)
        object.__setattr__(self, "kernel", kernel_class(**{"sigma": 1.0, **parameters}))
        object.__setattr__(self, "widths", tuple(map(float, values)))

    def __repr__(self) -> str:
        """Return the call that makes this kernel, where nysviz is called nv."""
        parameters = "".join(f", {name}={value!r}" for name, value in vars(self.kernel).items())
        return f"PerFeature(nv.{type(self.kernel).__name__}, {self.widths}{parameters})"

    def __str__(self) -> str:
        """Name the kernel for tables, without its widths, which may be hundreds."""
        low, high = min(self.widths), max(self.widths)
        return f"PerFeature({self.kernel!r}, {len(self.widths)} widths from {low:.6g} to {high:.6g})"

    def describe(self) -> str:
        """Name the kernel with its parameters."""
        return f"{self.kernel.describe()}, one width per feature"

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        return self.kernel.diag(self._scaled(as_rows(X, "X")))

    @property
    def is_smooth(self) -> bool:
        """Whether the radial kernel has a derivative everywhere."""
        return self.kernel.is_smooth

    def gradient(self, X: FloatArray, Y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the derivative of Σ_ij weights_ij k(x_i, y_j) in the points Y, (m, d)."""
        return self.kernel.gradient(self._scaled(X), self._scaled(Y), weights) / self.widths

    def _scaled(self, X: FloatArray) -> FloatArray:
        if X.shape[1] != len(self.widths):
            raise Refusal(
                f"The rows have {X.shape[1]} columns and the kernel {len(self.widths)} widths; one width a "
                "column is needed."
            )
        return X / self.widths

    def _refuse_rounding(self, X: FloatArray) -> None:
        """Raise Refusal for a width that is rounding beside the values of its column."""
        largest = np.abs(X).max(axis=0, initial=0.0)
        too_small = np.flatnonzero(np.array(self.widths) < WIDTH_ROUNDING * largest)
        if len(too_small):
            j = int(too_small[0])
            raise Refusal(
                f"widths[{j}] = {self.widths[j]:.3g} is rounding beside the values of column {j}, up to "
                f"{largest[j]:.3g}; if the column is constant leave it out or give it the width 1, else "
                "subtract its mean."
            )

    def _filler(self, Y: FloatArray) -> Fill:
        self._refuse_rounding(Y)
        inner = self.kernel._filler(self._scaled(Y))
        return lambda X, first, out: inner(self._scaled(X), first, out)
