"""Property (8) of Zhang, Tsang & Kwok 2008: how much a kernel entry changes when its two points move.

(k(a, b) − k(c, d))² ≤ C (‖a − c‖² + ‖b − d‖²) for all points a, b, c, d. For a radial kernel f(‖x − y‖) the
mean value theorem and (s + t)² ≤ 2 (s² + t²) give C = 2 max |f'|², and no smaller C will do: two points on a
line that move apart by h each change the entry by 2 h f', against a squared move of 2 h². The values printed
in section 3.4 are smaller than that and fail.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from nysviz.kernels import Kernel, KernelFunction, Linear, PerFeature, Polynomial, Radial, Scaled, as_kernel
from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal

# Number of pairs of points whose entries are computed together.
PAIRS_AT_ONCE = 256
# The quadruple that is shown moves its points by this part of the kernel's own length: large enough to be
# seen, small enough for the ratio to come within 2 % of its supremum.
SHOWN_MOVE = 0.005


@dataclass(frozen=True)
class Quadruple:
    """Positions of four points on a line, in the units of the data, and k(a, b) and k(c, d).

    Along any direction for a radial kernel, through the origin for the linear and the polynomial one.
    """

    a: float
    b: float
    c: float
    d: float
    first: float
    second: float

    @property
    def moved(self) -> float:
        """(a − c)² + (b − d)²."""
        return (self.a - self.c) ** 2 + (self.b - self.d) ** 2

    @property
    def ratio(self) -> float:
        """(k(a, b) − k(c, d))² / ((a − c)² + (b − d)²), 0 where nothing moves."""
        return (self.first - self.second) ** 2 / self.moved if self.moved > 0 else 0.0


def on_a_line(kernel: Kernel | KernelFunction) -> Kernel:
    """Return the kernel along the feature of the smallest width, where its entries change fastest."""
    kernel = as_kernel(kernel)
    if isinstance(kernel, Scaled):
        return replace(kernel, kernel=on_a_line(kernel.kernel))
    if isinstance(kernel, PerFeature):
        return replace(kernel.kernel, sigma=kernel.kernel.sigma * min(kernel.widths))
    return kernel


def unscaled(kernel: Kernel) -> tuple[Kernel, float]:
    """Return the kernel of which this one is a multiple, and the factor; else itself and 1."""
    if not isinstance(kernel, Scaled):
        return kernel, 1.0
    inner, scale = unscaled(kernel.kernel)
    return inner, kernel.scale * scale


def distances(kernel: Kernel, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the distances of points row by row, (q,), measured along the line of ``on_a_line``."""
    kernel = unscaled(kernel)[0]
    widths = np.array(kernel.widths if isinstance(kernel, PerFeature) else [1.0])
    return np.linalg.norm((first - second) / widths, axis=1) * widths.min()


def derived_constant(kernel: Kernel | KernelFunction, radius: float | None = None) -> float:
    """Return the smallest C of property (8).

    2/(e σ²) for the Gaussian (4/(e σ²) in the paper's σ, which is √2 times this one), 2/σ² for the Laplacian,
    2/(σ² ε⁴) for the inverse distance, 2 R² p² (R² + ε)^(2p − 2) for a polynomial on the ball of ``radius`` R
    round the origin, from k(a, b) − k(c, d) = p'(ξ) (<a − c, b> + <c, b − d>). Without a ball the linear and
    the polynomial kernel have no such constant: the slope of <x, y> in x is y. With a width for each feature
    σ is the smallest of them. A multiple of a kernel has C times the square of its factor.
    """
    kernel, scale = unscaled(on_a_line(kernel))
    if isinstance(kernel, Radial):
        return 2.0 * (scale * float(kernel.slope(np.array(kernel.steepest)))) ** 2
    degree, offset = _power(kernel)
    R = _checked_radius(kernel, radius)
    return 2.0 * (scale * R * degree * (R * R + offset) ** (degree - 1)) ** 2


def printed_constant(kernel: Kernel | KernelFunction, radius: float | None = None) -> float:
    """Return the C that section 3.4 of the paper prints, in this project's σ.

    1/(2 σ²), 1/σ² and 1/(σ² ε⁴) in the paper's σ; p² R^p for a polynomial, where the paper's R is at most the
    diameter 2R of the ball, which is taken here: the reading that is kindest to the printed value.
    """
    kernel, scale = unscaled(on_a_line(kernel))
    if isinstance(kernel, Radial):
        return scale**2 * kernel.printed_constant
    degree, _ = _power(kernel)
    return scale**2 * degree**2 * (2.0 * _checked_radius(kernel, radius)) ** degree


def violating_quadruple(kernel: Kernel | KernelFunction, radius: float | None = None) -> Quadruple:
    """Return four points at which the ratio of property (8) comes closest to its supremum.

    Derived, not searched: around the distance where a radial kernel is steepest, both points move apart by
    the same small step; for the linear and polynomial kernels both points move from the rim of the ball
    inwards. Where the printed constant is too small, its claim fails here.
    """
    whole = on_a_line(kernel)
    kernel = unscaled(whole)[0]
    if not isinstance(kernel, Radial):
        R = _checked_radius(kernel, radius)
        h = SHOWN_MOVE * R / _power(kernel)[0]
        return _quadruple(whole, R, R, R - h, R - h)
    r, fastest = kernel.steepest, float(kernel.slope(np.array(kernel.steepest)))
    # The length over which the kernel would fall by all of k(x, x) at its steepest.
    h = SHOWN_MOVE * float(kernel.diag(np.zeros((1, 1)))[0]) / fastest
    # Distances r − h and r + h, or 0 and 2h where the kernel is steepest at 0.
    nearer = max(0.0, r - h)
    return _quadruple(whole, 0.0, nearer, -h, nearer + h)


def change_ratio(
    kernel: Kernel | KernelFunction, a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray
) -> FloatArray:
    """Return (k(a, b) − k(c, d))² / (‖a − c‖² + ‖b − d‖²) row by row of (q, dim) arrays, 0 for no move."""
    moved = np.einsum("ij,ij->i", a - c, a - c) + np.einsum("ij,ij->i", b - d, b - d)
    change = (entries(kernel, a, b) - entries(kernel, c, d)) ** 2
    return np.divide(change, moved, out=np.zeros_like(change), where=moved > 0)


def entries(kernel: Kernel | KernelFunction, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return k(a_i, b_i) row by row, (q,)."""
    values, kernel = np.empty(len(a)), as_kernel(kernel)
    for start in range(0, len(a), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        values[part] = kernel(a[part], b[part]).diagonal()
    return values


def _quadruple(kernel: Kernel, a: float, b: float, c: float, d: float) -> Quadruple:
    first, second = entries(kernel, np.array([[a], [c]]), np.array([[b], [d]]))
    return Quadruple(a, b, c, d, float(first), float(second))


def _power(kernel: Kernel) -> tuple[int, float]:
    """Return degree and offset of (<x, y> + ε)^p."""
    if not isinstance(kernel, Linear | Polynomial):
        raise Refusal(f"Property (8) is not known for the {kernel.label} kernel; choose another one.")
    return int(kernel.degree), kernel.epsilon


def _checked_radius(kernel: Kernel, radius: float | None) -> float:
    if radius is None:
        raise Refusal(
            f"The {kernel.label} kernel has no constant on unbounded domains; give the radius of a ball "
            "round the origin that holds all points."
        )
    if not (math.isfinite(radius) and radius >= 0):
        raise Refusal(f"radius = {radius:g}; a finite number from 0 is needed.")
    return float(radius)
