"""The sentences of the page "Playground"."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.text import counted, three_digits
from nysviz.ui.playground.result import Board

# Below this part of ‖K‖ the best possible error is rounding.
NOTHING = 1e-10
OWN_KERNEL = "This page has its own kernels and bandwidth, beside the canvas."
NO_POINTS = "There are no points: choose some above the canvas, or spray some with the brush."
SEEN = (
    "The colour is the residual k(z, z) − k̃(z, z) over the whole plane: what no landmark explains. A "
    "landmark takes it to 0 where it lies and lowers it nearby, within about one bandwidth. The error counts "
    "the plane only where points lie, so a dark region without points costs nothing."
)
MATHS = r"""
With landmarks $z_1, \dots, z_m$, $W = k(z_i, z_j)$ and $k_m(z) = (k(z, z_1), \dots, k(z, z_m))^\top$, the
Nyström method replaces $k(x, y)$ by $\tilde k(x, y) = k_m(x)^\top W^+ k_m(y)$. The colour is what is left on
the diagonal,

$$r(z) = k(z, z) - k_m(z)^\top W^+ k_m(z)
= \min_{c} \Big\| k(z, \cdot) - \sum_j c_j\, k(z_j, \cdot) \Big\|_{\mathcal H}^2 .$$

It is the squared *power function* of kriging and of interpolation by radial basis functions, and the
*posterior variance* of a Gaussian process with covariance $k$ that was observed without noise at the
landmarks. Incomplete Cholesky picks the point where it is largest; randomly pivoted Cholesky draws a point in
proportion to it.

On the data, $K - \tilde K$ is positive semidefinite with diagonal $r(x_i)$, so that
$\|K - \tilde K\|_2 \le \|K - \tilde K\|_F \le \sum_i r(x_i)$. No choice of $m$ landmarks gets below
$\big(\sum_{i > m} \lambda_i^2\big)^{1/2}$ with the eigenvalues $\lambda_i$ of $K$ (Eckart and Young 1936).
"""
SOURCE = (
    "Eckart and Young 1936 (the best possible error); the algorithms as on Step by step, seed 0. Computed in "
    "the browser, and again by nv.errors when the hand rests."
)


def answer(found: Sequence[Board]) -> str:
    """Answer the page's question with the numbers of the first canvas."""
    board = found[0]
    times = ""
    if board.relative_best > NOTHING:
        times = f", {three_digits(board.errors.frobenius / board.best)} times the best possible"
    return (
        f"Where the kernel is blind and many points lie. With {counted(board.m, 'landmark')} the relative "
        f"Frobenius error is **{three_digits(board.errors.relative_frobenius)}**{times}; the best point as "
        f"one more makes it **{three_digits(board.next_error)}**."
    )
