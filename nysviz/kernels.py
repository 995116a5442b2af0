"""Positive definite kernels as small value objects; each formula stands once.

A radial kernel is a profile of ``scale * ||x - y||^2``. That product comes from one matrix multiplication of
rows extended by their squared norms, after centring, which loses digits only for pairs much closer than their
distance from the centre; where the loss could show, those pairs are recomputed from differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from nysviz.blocks import MIN_ROWS, SMALL_ENTRIES, FloatArray, over_blocks, rows_per_block
from nysviz.loops import mend_close_pairs

# The largest error, relative to a kernel's largest value, that rounding may leave in an entry.
ENTRY_TOLERANCE = 5e-13
# Rounding of a row's inner product with another, in units of eps * (squared norms): measured below 4 up to
# d = 1 000, since the roundings of a sum are nearly independent.
PRODUCT_ROUNDING = 8 * float(np.finfo(np.float64).eps)

Rows = Callable[[FloatArray], FloatArray]
Fill = Callable[[FloatArray, int, FloatArray], None]


def _as_rows(X: FloatArray, name: str) -> FloatArray:
    if sparse.issparse(X):
        raise ValueError(
            f"{name} is sparse, which the linear kernel alone takes as it is; choose the linear kernel, "
            f"or give {name}.toarray() where it fits into memory."
        )
    array = np.ascontiguousarray(X, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(
            f"{name} has {array.ndim} dimension(s); a table of rows (n, d) is needed: "
            f"reshape one point with {name}.reshape(1, -1)."
        )
    return array


def _positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} = {value:g}; a finite number above 0 is needed.")


@dataclass(frozen=True)
class Kernel:
    """A positive definite kernel: call it for a matrix, ask ``diag`` for k(x, x)."""

    label: ClassVar[str]
    formula: ClassVar[str]
    takes_sparse: ClassVar[bool] = False

    def __call__(self, X: FloatArray, Y: FloatArray | None = None) -> FloatArray:
        """Kernel matrix k(X, Y), or the symmetric k(X, X).

        Parameters
        ----------
        X : (n, d) array
        Y : (m, d) array, optional

        Returns
        -------
        (n, m) or (n, n) array of float64. Costs n·m (or n²/2) kernel evaluations of O(d).
        """
        rows = _as_rows(X, "X")
        if Y is None or Y is X:
            return self._symmetric(rows)
        columns = _as_rows(Y, "Y")
        if rows.shape[1] != columns.shape[1]:
            raise ValueError(
                f"X has {rows.shape[1]} columns and Y {columns.shape[1]}; both need the same features."
            )
        return self.against(columns)(rows)

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,), without forming a matrix."""
        raise TypeError(f"{type(self).__name__} does not define a diagonal")

    def against(self, Y: FloatArray) -> Rows:
        """Prepare the right-hand points once; the result maps rows X (b, d) to k(X, Y) (b, m)."""
        fill = self._filler(_as_rows(Y, "Y"))
        m = len(Y)

        def rows(X: FloatArray) -> FloatArray:
            block = np.empty((len(X), m))
            if block.size < SMALL_ENTRIES:
                fill(X, 0, block)
            else:
                over_blocks(len(X), rows_per_block(len(X), m), lambda i, j: fill(X[i:j], 0, block[i:j]))
            return block

        return rows

    def filling(self, Y: FloatArray) -> Fill:
        """Prepare the right-hand points once, to be compared with in parts.

        The result, ``fill(X, first, out)``, writes k(X, Y[first : first + c]) into ``out`` (b, c).
        """
        return self._filler(_as_rows(Y, "Y"))

    def _symmetric(self, X: FloatArray) -> FloatArray:
        """Fill the upper triangle block by block and mirror it, so that K equals its transpose exactly."""
        n = len(X)
        fill = self._filler(X)
        K = np.empty((n, n))
        size = n if n * n < SMALL_ENTRIES else MIN_ROWS
        size = max(size, 1)
        below = np.tri(size, k=-1, dtype=bool)

        def upper(start: int, stop: int) -> None:
            fill(X[start:stop], start, K[start:stop, start:])
            corner = K[start:stop, start:stop]
            np.copyto(corner, corner.T.copy(), where=below[: stop - start, : stop - start])
            if stop < n:
                K[stop:, start:stop] = K[start:stop, stop:].T

        over_blocks(n, size, upper)
        np.fill_diagonal(K, self.diag(X))
        return K

    def _filler(self, Y: FloatArray) -> Fill:
        """As ``filling``, for rows that are known to be contiguous float64."""
        raise TypeError(f"{type(self).__name__} does not define its entries")


@dataclass(frozen=True)
class _Radial(Kernel):
    """A function of ``||x - y|| / sigma``."""

    sigma: float

    def __post_init__(self) -> None:
        _positive("sigma", self.sigma)
        if not math.isfinite(self._scale()):
            raise ValueError(
                f"sigma = {self.sigma:g} is so small that 1/sigma² overflows; "
                f"take at least 1e-150 (the kernel matrix is the identity long before)."
            )

    def _scale(self) -> float:
        """Factor of the squared distance in the profile's argument."""
        sigma = float(self.sigma)  # numpy's numbers warn where Python's overflow silently
        return 1.0 / sigma / sigma

    def _profile(self, block: FloatArray) -> None:
        """Map ``scale * squared distance`` to the kernel's value, in place."""
        raise TypeError(f"{type(self).__name__} does not define its profile")

    def _cut(self, rounding: float) -> float:
        """Size of the argument below which an error of ``rounding`` in it is too large."""
        raise TypeError(f"{type(self).__name__} does not define its accuracy")

    def _filler(self, Y: FloatArray) -> Fill:
        scale = self._scale()
        centre = Y.mean(axis=0) if len(Y) else np.zeros(Y.shape[1])
        centred = Y - centre
        squares = np.einsum("ij,ij->i", centred, centred)
        right = np.empty((Y.shape[1] + 2, len(Y)))
        right[:-2] = centred.T
        right[-2] = 1.0
        with np.errstate(over="ignore"):
            right[-1] = scale * squares
        farthest = float(squares.max(initial=0.0))

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            left = np.empty((len(X), X.shape[1] + 2))
            moved = np.subtract(X, centre, out=left[:, :-2])
            norms = np.einsum("ij,ij->i", moved, moved)
            rounding = PRODUCT_ROUNDING * abs(scale) * (farthest + float(norms.max(initial=0.0)))
            # What overflows here, for a tiny sigma, is mended below or is truly infinite.
            with np.errstate(over="ignore", invalid="ignore"):
                moved *= -2.0 * scale
                np.multiply(norms, scale, out=left[:, -2])
                left[:, -1] = 1.0
                np.matmul(left, right[:, first : first + out.shape[1]], out=out)
            cut = self._cut(rounding)
            if cut > 0:
                mend_close_pairs(out, X, Y[first : first + out.shape[1]], scale, cut)
            self._profile(out)

        return fill

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        return np.full(len(X), self._at_zero())

    def _at_zero(self) -> float:
        return 1.0


@dataclass(frozen=True)
class Gaussian(_Radial):
    """k(x, y) = exp(-||x - y||² / (2 sigma²)).

    The four ways to write one bandwidth: ``sigma`` (Yang 2012, Farahat 2011), ``width`` = 2 sigma² (Zhang
    2008, there called gamma), ``gamma`` = 1/(2 sigma²) (scikit-learn), and Oglic 2017's 1/sigma².
    """

    label: ClassVar[str] = "Gaussian"
    formula: ClassVar[str] = r"\exp(-\|x-y\|^2 / 2\sigma^2)"

    @classmethod
    def from_width(cls, width: float) -> Gaussian:
        """Return the kernel exp(-||x - y||² / width), Zhang's convention."""
        _positive("width", width)
        return cls(math.sqrt(width / 2.0))

    @classmethod
    def from_gamma(cls, gamma: float) -> Gaussian:
        """Return the kernel exp(-gamma ||x - y||²), scikit-learn's convention."""
        _positive("gamma", gamma)
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

    def _profile(self, block: FloatArray) -> None:
        np.minimum(block, 0.0, out=block)
        np.exp(block, out=block)

    def _cut(self, rounding: float) -> float:
        # The value's error is exp(-q) * rounding: only small q can make it show.
        return math.log(rounding / ENTRY_TOLERANCE) if rounding > ENTRY_TOLERANCE else 0.0


@dataclass(frozen=True)
class Laplacian(_Radial):
    """k(x, y) = exp(-||x - y|| / sigma)."""

    label: ClassVar[str] = "Laplacian"
    formula: ClassVar[str] = r"\exp(-\|x-y\| / \sigma)"

    def _profile(self, block: FloatArray) -> None:
        np.maximum(block, 0.0, out=block)
        np.sqrt(block, out=block)
        np.negative(block, out=block)
        np.exp(block, out=block)

    def _cut(self, rounding: float) -> float:
        # The root turns an error r in q into r / (2 sqrt(q)).
        root = 0.5 * rounding / ENTRY_TOLERANCE
        return root * root


@dataclass(frozen=True)
class InverseDistance(_Radial):
    """k(x, y) = 1 / (||x - y|| / sigma + epsilon)."""

    epsilon: float = 1.0
    label: ClassVar[str] = "inverse distance"
    formula: ClassVar[str] = r"1 / (\|x-y\|/\sigma + \epsilon)"

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive("epsilon", self.epsilon)

    def _profile(self, block: FloatArray) -> None:
        np.maximum(block, 0.0, out=block)
        np.sqrt(block, out=block)
        block += self.epsilon
        np.reciprocal(block, out=block)

    def _cut(self, rounding: float) -> float:
        root = 0.5 * rounding / (ENTRY_TOLERANCE * self.epsilon)
        return root * root

    def _at_zero(self) -> float:
        return 1.0 / self.epsilon


@dataclass(frozen=True)
class Polynomial(Kernel):
    """k(x, y) = (<x, y> + epsilon)^degree."""

    degree: int = 2
    epsilon: float = 1.0
    label: ClassVar[str] = "polynomial"
    formula: ClassVar[str] = r"(\langle x,y\rangle + \epsilon)^p"

    def __post_init__(self) -> None:
        if not math.isfinite(self.degree) or self.degree != int(self.degree) or self.degree < 1:
            raise ValueError(f"degree = {self.degree}; a whole number from 1 is needed.")
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise ValueError(
                f"epsilon = {self.epsilon:g}; a finite number from 0 is needed, or k is not "
                "positive definite."
            )

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        values: FloatArray = (np.einsum("ij,ij->i", X, X) + self.epsilon) ** self.degree
        return values

    def _filler(self, Y: FloatArray) -> Fill:
        right = np.ascontiguousarray(Y.T)

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            np.matmul(X, right[:, first : first + out.shape[1]], out=out)
            out += self.epsilon
            np.power(out, self.degree, out=out)

        return fill


@dataclass(frozen=True)
class Linear(Kernel):
    """k(x, y) = <x, y>, the kernel of Farahat's document sets.

    Rows may be sparse (scipy.sparse), on either side; the matrix is dense all the same.
    """

    label: ClassVar[str] = "linear"
    formula: ClassVar[str] = r"\langle x,y\rangle"
    takes_sparse: ClassVar[bool] = True

    def __call__(self, X: FloatArray, Y: FloatArray | None = None) -> FloatArray:
        """Kernel matrix X Yᵀ, or the symmetric X Xᵀ; as for any kernel, and for sparse rows too."""
        if not (sparse.issparse(X) or sparse.issparse(Y)):
            return super().__call__(X, Y)
        rows = _sparse_or_dense(X, "X")
        if Y is None or Y is X:
            K = _inner_products(rows, _turned(rows))
            # The diagonal is summed in another order than the products are.
            np.fill_diagonal(K, self.diag(rows))
            return K
        columns = _sparse_or_dense(Y, "Y")
        if rows.shape[1] != columns.shape[1]:
            raise ValueError(
                f"X has {rows.shape[1]} columns and Y {columns.shape[1]}; both need the same features."
            )
        return _inner_products(rows, _turned(columns))

    def against(self, Y: FloatArray) -> Rows:
        """Prepare the right-hand points once; the result maps rows X (b, d) to X Yᵀ (b, m)."""
        dense = None if sparse.issparse(Y) else super().against(Y)
        right = _turned(_sparse_or_dense(Y, "Y"))

        def rows(X: FloatArray) -> FloatArray:
            if dense is not None and not sparse.issparse(X):
                return dense(X)
            return _inner_products(X, right)

        return rows

    def filling(self, Y: FloatArray) -> Fill:
        """Prepare the right-hand points once, to be compared with in parts."""
        if not sparse.issparse(Y):
            return super().filling(Y)
        columns = _sparse_or_dense(Y, "Y")

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            out[:] = _inner_products(X, _turned(columns[first : first + out.shape[1]]))

        return fill

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        if sparse.issparse(X):
            squares: FloatArray = np.asarray(sparse.csr_array(X).power(2).sum(axis=1)).ravel()
            return squares
        values: FloatArray = np.einsum("ij,ij->i", X, X)
        return values

    def _filler(self, Y: FloatArray) -> Fill:
        right = np.ascontiguousarray(Y.T)

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            np.matmul(X, right[:, first : first + out.shape[1]], out=out)

        return fill


def _sparse_or_dense(X: Any, name: str) -> Any:
    """Rows in compressed form with sorted indices, or a dense table."""
    if not sparse.issparse(X):
        return _as_rows(X, name)
    rows = sparse.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _turned(Y: Any) -> Any:
    """Yᵀ in the order of its rows, made once for many products."""
    return sparse.csr_array(Y.T) if sparse.issparse(Y) else np.ascontiguousarray(Y.T)


def _inner_products(X: Any, right: Any) -> FloatArray:
    """X Yᵀ as a dense matrix from X and Yᵀ, one of them at least sparse; a block of rows at a time.

    A sum runs in the order of the features, so that the product of X with itself is symmetric.
    """
    n, m = X.shape[0], right.shape[1]
    result = np.empty((n, m))

    def block(start: int, stop: int) -> None:
        part = X[start:stop] @ right
        result[start:stop] = part.toarray() if sparse.issparse(part) else part

    over_blocks(n, rows_per_block(n, m), block)
    return result


KERNELS: dict[str, type[Kernel]] = {
    "gaussian": Gaussian,
    "laplacian": Laplacian,
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
    float, in squared units of X; 0 when all rows are equal.
    """
    rows = _as_rows(X, "X")
    moved = rows - rows.mean(axis=0)
    return float(np.einsum("ij,ij->", moved, moved) / len(rows))
