"""Kernels of the distance: Gaussian, Laplacian, Matérn, rational quadratic and inverse distance.

Each is a profile of ``scale * ||x - y||^2``. That product comes from one matrix multiplication of rows
extended by their squared norms, after centring, which loses digits only for pairs much closer than their
distance from the centre; where the loss could show, those pairs are recomputed from differences.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nysviz.kernels.base import (
    Fill,
    Kernel,
    KernelParameter,
    SingleArray,
    SingleRows,
    as_rows,
    check_positive,
)
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.loops import mend_close_pairs
from nysviz.refusal import Refusal

# The largest error, relative to a kernel's largest value, that rounding may leave in an entry.
ENTRY_TOLERANCE = 5e-13
# Rounding of the inner product of two rows, relative to their squared norms, up to ROUNDING_COLUMNS columns.
# From there it grows with √d, since the roundings of a sum are nearly independent: measured below 0.61 of
# that from 10 to 100 000 columns, the most on a processor with AVX-512, which sums products in longer runs.
PRODUCT_ROUNDING, ROUNDING_COLUMNS = 8 * float(np.finfo(np.float64).eps), 100
# The same in single precision, where the norm of all errors together counts: in units of this times √n it
# was below 1.6 at every bandwidth, since they have both signs.
SINGLE_ROUNDING = float(np.finfo(np.float32).eps)
# The values of ν for which the Matérn kernel is a polynomial times an exponential.
SMOOTHNESS = (0.5, 1.5, 2.5)
# Points nearer than this part of σ are as good as equal to the derivative of a smooth kernel.
NEAREST = 1e-12
# Values this close to 1 share few numbers of single precision, and their errors are alike.
SINGLE_REACH = 0.01


@dataclass(frozen=True)
class Radial(Kernel):
    """A function of ``||x - y|| / sigma``."""

    sigma: float
    has_bandwidth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive("sigma", self.sigma)
        if not math.isfinite(self._scale()):
            raise Refusal(
                f"sigma = {self.sigma:g} is so small that 1/sigma² overflows; "
                f"take at least 1e-150 (the kernel matrix is the identity long before)."
            )

    def _scale(self) -> float:
        """Return the factor of the squared distance in the profile's argument."""
        sigma = float(self.sigma)  # numpy's numbers warn where Python's overflow silently
        return 1.0 / sigma / sigma

    def _profile(self, block: FloatArray) -> None:
        """Map ``scale * squared distance`` to the kernel's value, in place."""
        raise TypeError(f"{type(self).__name__} does not define its profile")

    def _cut(self, rounding: float) -> float:
        """Return the argument q below which an error of ``rounding`` in it is too large.

        By default for a kernel of √q, which turns an error r in q into r / (2 √q).
        """
        root = 0.5 * rounding / ENTRY_TOLERANCE
        return root * root

    def _right(self, Y: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Return centre, (d + 2, m) right factor of scaled distances, and largest squared norm of points."""
        centre = Y.mean(axis=0) if len(Y) else np.zeros(Y.shape[1])
        centred = Y - centre
        squares = np.einsum("ij,ij->i", centred, centred)
        right = np.empty((Y.shape[1] + 2, len(Y)))
        right[:-2] = centred.T
        right[-2] = 1.0
        with np.errstate(over="ignore"):
            right[-1] = self._scale() * squares
        return centre, right, float(squares.max(initial=0.0))

    def _left(self, X: FloatArray, centre: FloatArray) -> tuple[FloatArray, float]:
        """Return the (b, d + 2) left factor of the scaled distances, and the largest squared norm."""
        scale = self._scale()
        left = np.empty((len(X), X.shape[1] + 2))
        moved = np.subtract(X, centre, out=left[:, :-2])
        norms = np.einsum("ij,ij->i", moved, moved)
        with np.errstate(over="ignore", invalid="ignore"):
            moved *= -2.0 * scale
            np.multiply(norms, scale, out=left[:, -2])
        left[:, -1] = 1.0
        return left, float(norms.max(initial=0.0))

    def _filler(self, Y: FloatArray) -> Fill:
        fill = self._argument_filler(Y)

        def profiled(X: FloatArray, first: int, out: FloatArray) -> None:
            fill(X, first, out)
            self._profile(out)

        return profiled

    def gradient(self, X: FloatArray, Y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the derivative of Σ_ij weights_ij k(x_i, y_j) in the points Y, (m, d).

        dk/dy = slope(r) (x − y) / r. At r = 0 slope(r) / r has a limit for smooth kernels.
        """
        r = np.empty(weights.shape)
        self._argument_filler(Y)(X, 0, r)
        r /= self._scale()
        np.sqrt(np.maximum(r, 0.0, out=r), out=r)
        np.maximum(r, NEAREST * self.sigma, out=r)
        # With a tiny sigma its square may overflow, where the slope is 0.
        with np.errstate(over="ignore"):
            pulls = weights * self.slope(r)
        pulls /= r
        # From the points' mean, as distances are: rows far from the origin would lose digits.
        centre = Y.mean(axis=0)
        return pulls.T @ (X - centre) - pulls.sum(axis=0)[:, None] * (Y - centre)

    def _argument_filler(self, Y: FloatArray) -> Fill:
        """Fill with ``scale * squared distance``, the argument of the profile."""
        scale = self._scale()
        centre, right, farthest = self._right(Y)
        of_product = PRODUCT_ROUNDING * math.sqrt(max(1.0, Y.shape[1] / ROUNDING_COLUMNS))

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            left, norm = self._left(X, centre)
            rounding = of_product * abs(scale) * (farthest + norm)
            # Overflows here, for a tiny sigma, are mended below or truly infinite.
            with np.errstate(over="ignore", invalid="ignore"):
                np.matmul(left, right[:, first : first + out.shape[1]], out=out)
            cut = self._cut(rounding)
            if cut > 0:
                mend_close_pairs(out, X, Y[first : first + out.shape[1]], scale, cut)

        return fill

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        at_zero = np.zeros(1)
        self._profile(at_zero)
        return np.full(len(as_rows(X, "X")), at_zero[0])

    def slope(self, distance: FloatArray) -> FloatArray:
        """|dk/dr| at the given distances r, in one over the units of the data."""
        raise TypeError(f"{type(self).__name__} does not define its slope")

    @property
    def steepest(self) -> float:
        """Distance at which the kernel falls fastest."""
        return 0.0

    @property
    def printed_constant(self) -> float:
        """The C of property (8) that Zhang 2008, section 3.4 prints, in this project's σ; NaN for none."""
        return math.nan


@dataclass(frozen=True)
class Gaussian(Radial):
    """k(x, y) = exp(-||x - y||² / (2 sigma²)).

    The four ways to write one bandwidth: ``sigma`` (Yang 2012, Farahat 2011), ``width`` = 2 sigma² (Zhang
    2008, there called gamma), ``gamma`` = 1/(2 sigma²) (scikit-learn), and Oglic 2017's 1/sigma².

    Parameters
    ----------
    sigma : float
        Bandwidth σ in units of X; ValueError where it or 1/σ² is no finite number above 0.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.Gaussian.from_width(2.0) == nv.Gaussian.from_gamma(0.5) == nv.Gaussian(sigma=1.0)
    True
    >>> nv.Gaussian(1.0)([[0.0], [1.0]]).round(3)
    array([[1.   , 0.607],
           [0.607, 1.   ]])
    """

    label: ClassVar[str] = "Gaussian"

    @classmethod
    def from_width(cls, width: float) -> "Gaussian":
        """Return the kernel exp(-||x - y||² / width), Zhang's convention."""
        check_positive("width", width)
        return cls(math.sqrt(width / 2.0))

    @classmethod
    def from_gamma(cls, gamma: float) -> "Gaussian":
        """Return the kernel exp(-gamma ||x - y||²), scikit-learn's convention."""
        check_positive("gamma", gamma)
        return cls(math.sqrt(0.5 / gamma))

    @property
    def width(self) -> float:
        """Zhang's gamma, 2 sigma²."""
        return 2.0 * self.sigma * self.sigma

    @property
    def gamma(self) -> float:
        """scikit-learn's gamma, 1/(2 sigma²)."""
        return 0.5 / self.sigma / self.sigma

    @property
    def inverse_square(self) -> float:
        """Oglic's bandwidth 1/sigma²."""
        return 1.0 / self.sigma / self.sigma

    def _scale(self) -> float:
        # Negative, so that the profile is a bare exp of the product.
        sigma = float(self.sigma)
        return -0.5 / sigma / sigma

    # numpy's exponential: a polynomial that Numba vectorises (0.97 ulp) makes a whole matrix at most 1.26
    # times as fast without AVX-512, up to a tenth slower with it, and would have to be called row by row.
    def _profile(self, block: FloatArray | SingleArray) -> None:
        np.minimum(block, 0.0, out=block)
        np.exp(block, out=block)

    def slope(self, distance: FloatArray) -> FloatArray:
        """|dk/dr| at the given distances r, in one over the units of the data."""
        r = np.asarray(distance, dtype=np.float64)
        return r / self.sigma**2 * np.exp(-0.5 * (r / self.sigma) ** 2)

    @property
    def is_smooth(self) -> bool:
        """True."""
        return True

    @property
    def steepest(self) -> float:
        """Distance at which the kernel falls fastest, σ."""
        return self.sigma

    @property
    def printed_constant(self) -> float:
        """1/(4 σ²): the paper's 1/(2 s²) for exp(−r²/s²), s² = 2 σ²."""
        return 0.25 / self.sigma**2

    def against_in_single(self, Y: FloatArray) -> tuple[SingleRows, float] | None:
        """Map rows, and a number, to k(X, Y[number:]) in single precision; and the size of its errors."""
        centre, right, farthest = self._right(as_rows(Y, "Y"))
        # Of two terms in the largest argument, for rows no farther from the centre than the points.
        reach = 2.0 * abs(self._scale()) * farthest
        # The error of the value, and that of its argument.
        error = SINGLE_ROUNDING * (1.0 + reach)
        if not error < 1.0 or reach < SINGLE_REACH:
            return None
        single = right.astype(np.float32)

        def rows(X: FloatArray, first: int) -> SingleArray:
            block: SingleArray = self._left(X, centre)[0].astype(np.float32) @ single[:, first:]
            self._profile(block)
            return block

        return rows, error

    def _cut(self, rounding: float) -> float:
        # The value's error is exp(-q) * rounding: only small q can make it show. With a tiny sigma that
        # rounding is large itself, and the q of a point with itself, 0, may come out as large.
        return rounding + math.log(rounding / ENTRY_TOLERANCE) if rounding > ENTRY_TOLERANCE else 0.0


@dataclass(frozen=True)
class Laplacian(Radial):
    """k(x, y) = exp(-||x - y|| / sigma).

    Parameters
    ----------
    sigma : float
        Bandwidth σ in units of X; ValueError where it or 1/σ² is no finite number above 0.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.Laplacian(sigma=1.0)([[0.0], [1.0]]).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    label: ClassVar[str] = "Laplacian"

    def _profile(self, block: FloatArray) -> None:
        np.maximum(block, 0.0, out=block)
        np.sqrt(block, out=block)
        np.negative(block, out=block)
        np.exp(block, out=block)

    def slope(self, distance: FloatArray) -> FloatArray:
        """|dk/dr| at the given distances r, in one over the units of the data."""
        return np.exp(-np.asarray(distance, dtype=np.float64) / self.sigma) / self.sigma

    @property
    def printed_constant(self) -> float:
        """1/σ²."""
        return 1.0 / self.sigma**2


@dataclass(frozen=True, init=False)
class Matern(Radial):
    """The Matérn kernel, between Laplacian and Gaussian (Rasmussen & Williams 2006, 4.2.1).

    With s = √(2 nu) ||x - y|| / sigma it is exp(-s) for nu = 1/2, (1 + s) exp(-s) for 3/2, and
    (1 + s + s²/3) exp(-s) for 5/2.

    Parameters
    ----------
    nu : float
        Smoothness ν: 0.5, 1.5 or 2.5, else ValueError.
    sigma : float
        Bandwidth σ in units of X; ValueError where it or 1/σ² is no finite number above 0.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.Matern(nu=1.5, sigma=1.0)([[0.0], [1.0]]).round(3)
    array([[1.   , 0.483],
           [0.483, 1.   ]])
    """

    nu: float
    label: ClassVar[str] = "Matérn"
    parameters: ClassVar[tuple[KernelParameter, ...]] = (
        KernelParameter("nu", "ν", 0.5, 2.5, 1.5, "smoothness", SMOOTHNESS),
    )

    def __init__(self, nu: float = 1.5, sigma: float = 1.0) -> None:
        # In the order of the literature; a dataclass of its own accord would begin with the inherited sigma.
        object.__setattr__(self, "nu", nu)
        object.__setattr__(self, "sigma", sigma)
        if not (is_finite(nu) and nu in SMOOTHNESS):
            raise Refusal(f"nu = {quoted(nu)}; a value of 0.5, 1.5 or 2.5 is needed.")
        self.__post_init__()

    def _scale(self) -> float:
        return 2.0 * float(self.nu) * super()._scale()

    def _profile(self, block: FloatArray) -> None:
        # Far beyond s = 1000 the kernel is 0, where the product of what grows and what falls would be NaN.
        np.clip(block, 0.0, 1e6, out=block)
        np.sqrt(block, out=block)
        falls = np.exp(-block)
        if self.nu == 0.5:
            block[...] = 1.0
        else:
            block += 1.0 if self.nu == 1.5 else 1.0 + block * block / 3.0
        block *= falls

    def _cut(self, rounding: float) -> float:
        if self.nu == 0.5:
            return super()._cut(rounding)
        # The kernel changes by (1 + s) exp(-s) / 2 at most, times the error of s².
        excess = rounding / ENTRY_TOLERANCE
        return rounding + 4.0 * math.log(excess) ** 2 if excess > 1.0 else 0.0

    def slope(self, distance: FloatArray) -> FloatArray:
        """|dk/dr| at the given distances r, in one over the units of the data."""
        per_unit = math.sqrt(self._scale())
        s = per_unit * np.asarray(distance, dtype=np.float64)
        rises = np.ones_like(s) if self.nu == 0.5 else s if self.nu == 1.5 else s * (1.0 + s) / 3.0
        return per_unit * rises * np.exp(-s)

    @property
    def is_smooth(self) -> bool:
        """Whether it has a derivative where two points meet: for nu = 3/2 and 5/2."""
        return self.nu > 0.5

    @property
    def steepest(self) -> float:
        """Distance at which the kernel falls fastest: 0, σ/√3 or (1 + √5)/2 σ/√5."""
        s = {0.5: 0.0, 1.5: 1.0, 2.5: 0.5 + math.sqrt(1.25)}[float(self.nu)]
        return s / math.sqrt(self._scale())


@dataclass(frozen=True, init=False)
class RationalQuadratic(Radial):
    """k(x, y) = (1 + ||x - y||² / (2 alpha sigma²))^(-alpha) (Rasmussen & Williams 2006, 4.2.1).

    A mixture of Gaussians of all bandwidths; the Gaussian of this sigma in the limit of a large alpha.

    Parameters
    ----------
    alpha : float
        A finite number above 0, else ValueError: the smaller, the more the bandwidths differ.
    sigma : float
        Bandwidth σ in units of X; ValueError where it or 1/σ² is no finite number above 0.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.RationalQuadratic(alpha=1.0, sigma=1.0)([[0.0], [1.0]]).round(3)
    array([[1.   , 0.667],
           [0.667, 1.   ]])
    """

    alpha: float
    label: ClassVar[str] = "rational quadratic"
    parameters: ClassVar[tuple[KernelParameter, ...]] = (
        KernelParameter("alpha", "α", 1e-3, 1e3, 1.0, "mixture"),
    )

    def __init__(self, alpha: float = 1.0, sigma: float = 1.0) -> None:
        # In the order of the other kernel with a shape, Matern.
        object.__setattr__(self, "alpha", alpha)
        object.__setattr__(self, "sigma", sigma)
        check_positive("alpha", alpha)
        self.__post_init__()

    def _scale(self) -> float:
        return 0.5 * super()._scale() / float(self.alpha)

    def _profile(self, block: FloatArray) -> None:
        np.maximum(block, 0.0, out=block)
        # The power of 1 + u itself would have an error of alpha eps.
        np.log1p(block, out=block)
        block *= -self.alpha
        np.exp(block, out=block)

    def _cut(self, rounding: float) -> float:
        # The value's error is alpha (1 + u)^(-alpha - 1) times that of u.
        excess = self.alpha * rounding / ENTRY_TOLERANCE
        return rounding + excess ** (1.0 / (self.alpha + 1.0)) - 1.0 if excess > 1.0 else 0.0

    def slope(self, distance: FloatArray) -> FloatArray:
        """|dk/dr| at the given distances r, in one over the units of the data."""
        r = np.asarray(distance, dtype=np.float64)
        falls: FloatArray = np.exp(-(self.alpha + 1.0) * np.log1p(self._scale() * r * r))
        return r / self.sigma**2 * falls

    @property
    def is_smooth(self) -> bool:
        """True."""
        return True

    @property
    def steepest(self) -> float:
        """Distance at which the kernel falls fastest, σ √(2α / (2α + 1))."""
        return self.sigma * math.sqrt(2.0 * self.alpha / (2.0 * self.alpha + 1.0))


@dataclass(frozen=True)
class InverseDistance(Radial):
    """k(x, y) = 1 / (||x - y|| / sigma + epsilon).

    Parameters
    ----------
    sigma : float
        Bandwidth σ in units of X; ValueError where it or 1/σ² is no finite number above 0.
    epsilon : float
        Without a unit, a finite number above 0, else ValueError: k(x, x) = 1/ε.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.InverseDistance(sigma=1.0, epsilon=1.0)([[0.0], [1.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    epsilon: float = 1.0
    label: ClassVar[str] = "inverse distance"
    parameters: ClassVar[tuple[KernelParameter, ...]] = (
        KernelParameter("epsilon", "ε", 1e-6, 1e6, 1.0, "distance_offset"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("epsilon", self.epsilon)

    def _profile(self, block: FloatArray) -> None:
        np.maximum(block, 0.0, out=block)
        np.sqrt(block, out=block)
        block += self.epsilon
        np.reciprocal(block, out=block)

    def _cut(self, rounding: float) -> float:
        return super()._cut(rounding / self.epsilon)

    def slope(self, distance: FloatArray) -> FloatArray:
        """|dk/dr| at the given distances r, in one over the units of the data."""
        r = np.asarray(distance, dtype=np.float64)
        return 1.0 / (self.sigma * (r / self.sigma + self.epsilon) ** 2)

    @property
    def printed_constant(self) -> float:
        """1/(σ² ε⁴)."""
        return 1.0 / (self.sigma**2 * self.epsilon**4)
