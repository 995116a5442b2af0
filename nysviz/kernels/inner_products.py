"""Kernels of the inner product: polynomial, sigmoid, cosine, and linear, which takes sparse rows as well."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from nysviz.kernels.base import Fill, Kernel, KernelParameter, Rows, as_rows, check_positive
from nysviz.numerics.blocks import FloatArray, over_blocks, rows_per_block
from nysviz.numerics.counts import is_finite, quoted, whole
from nysviz.numerics.rows import check_same_features, checked_rows
from nysviz.refusal import Refusal


@dataclass(frozen=True)
class Polynomial(Kernel):
    """k(x, y) = (<x, y> + epsilon)^degree.

    Parameters
    ----------
    degree : int
        A whole number from 1, else ValueError.
    epsilon : float
        In squared units of X, a finite number from 0, else ValueError: below 0, k is not positive definite.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.Polynomial(degree=2, epsilon=1.0)([[0.0], [1.0]])
    array([[1., 1.],
           [1., 4.]])
    """

    degree: int = 2
    epsilon: float = 1.0
    label: ClassVar[str] = "polynomial"
    parameters: ClassVar[tuple[KernelParameter, ...]] = (
        KernelParameter("degree", "degree p", 1, 10, 2, "degree"),
        KernelParameter("epsilon", "ε", 0.0, 1e6, 1.0, "offset"),
    )

    def __post_init__(self) -> None:
        degree = whole(self.degree)
        if degree is None or degree < 1:
            raise Refusal(f"degree = {quoted(self.degree)}; a whole number from 1 is needed.")
        if not (is_finite(self.epsilon) and self.epsilon >= 0):
            raise Refusal(
                f"epsilon = {quoted(self.epsilon)}; a finite number from 0 is needed, or k is not "
                "positive definite."
            )

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        rows = as_rows(X, "X")
        # What overflows is refused where it is used.
        with np.errstate(over="ignore"):
            return (np.einsum("ij,ij->i", rows, rows) + self.epsilon) ** self.degree

    @property
    def is_smooth(self) -> bool:
        """True."""
        return True

    def gradient(self, X: FloatArray, Y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the derivative of Σ_ij weights_ij k(x_i, y_j) in the points Y, (m, d)."""
        return (weights * (self.degree * (X @ Y.T + self.epsilon) ** (self.degree - 1))).T @ X

    def _filler(self, Y: FloatArray) -> Fill:
        right = np.ascontiguousarray(Y.T)

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            np.matmul(X, right[:, first : first + out.shape[1]], out=out)
            out += self.epsilon
            with np.errstate(over="ignore"):
                np.power(out, self.degree, out=out)

        return fill


@dataclass(frozen=True)
class Sigmoid(Kernel):
    """k(x, y) = tanh(gamma <x, y> + c), which need not be positive semidefinite.

    Results say so where their numbers show it (``LowRank.is_indefinite``).

    Parameters
    ----------
    gamma : float
        In one over the squared units of X, a finite number above 0, else ValueError.
    c : float
        A finite number, else ValueError.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.Sigmoid(gamma=1.0, c=0.0)([[0.0], [1.0]]).round(3)
    array([[0.   , 0.   ],
           [0.   , 0.762]])
    """

    gamma: float = 1.0
    c: float = 0.0
    label: ClassVar[str] = "sigmoid"
    parameters: ClassVar[tuple[KernelParameter, ...]] = (
        KernelParameter("gamma", "γ", 1e-6, 1e6, 1.0, "gamma"),
        KernelParameter("c", "c", -1e6, 1e6, 0.0, "constant"),
    )

    def __post_init__(self) -> None:
        check_positive("gamma", self.gamma)
        if not is_finite(self.c):
            raise Refusal(f"c = {quoted(self.c)}; a finite number is needed.")

    @property
    def is_psd(self) -> bool:
        """False: its matrices may have negative eigenvalues."""
        return False

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        rows = as_rows(X, "X")
        return np.tanh(self.gamma * np.einsum("ij,ij->i", rows, rows) + self.c)

    def _filler(self, Y: FloatArray) -> Fill:
        right = np.ascontiguousarray(Y.T)

        def fill(X: FloatArray, first: int, out: FloatArray) -> None:
            np.matmul(X, right[:, first : first + out.shape[1]], out=out)
            out *= self.gamma
            out += self.c
            np.tanh(out, out=out)

        return fill


@dataclass(frozen=True)
class Cosine(Kernel):
    """k(x, y) = <x, y> / (||x|| ||y||), and 0 where a row is 0.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.Cosine()([[3.0, 0.0], [1.0, 1.0]]).round(3)
    array([[1.   , 0.707],
           [0.707, 1.   ]])
    """

    label: ClassVar[str] = "cosine"

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        return np.where((as_rows(X, "X") != 0).any(axis=1), 1.0, 0.0)

    def _filler(self, Y: FloatArray) -> Fill:
        right = np.ascontiguousarray(_of_length_one(Y).T)
        return lambda X, first, out: np.matmul(
            _of_length_one(X), right[:, first : first + out.shape[1]], out=out
        )


def _of_length_one(X: FloatArray) -> FloatArray:
    """Return rows divided by their lengths, (n, d); rows of zeros stay."""
    # Squares of tiny or huge values would leave the range of float64.
    largest = np.abs(X).max(axis=1, keepdims=True, initial=0.0)
    rows = np.divide(X, largest, out=np.zeros(X.shape), where=largest > 0)
    rows /= np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), 1.0)[:, None]
    return rows


@dataclass(frozen=True)
class Linear(Kernel):
    """k(x, y) = <x, y>, the kernel of Farahat's document sets.

    Rows may be sparse (scipy.sparse), on either side; the matrix is dense all the same.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.Linear()([[1.0, 2.0], [3.0, 4.0]])
    array([[ 5., 11.],
           [11., 25.]])
    """

    label: ClassVar[str] = "linear"
    takes_sparse: ClassVar[bool] = True
    degree: ClassVar[int] = 1
    epsilon: ClassVar[float] = 0.0

    def __call__(self, X: FloatArray, Y: FloatArray | None = None) -> FloatArray:
        """Return the kernel matrix X Yᵀ, or the symmetric X Xᵀ; also of sparse rows."""
        if not (sparse.issparse(X) or sparse.issparse(Y)):
            return super().__call__(X, Y)
        rows = _sparse_or_dense(X, "X")
        columns = rows if Y is None or Y is X else _sparse_or_dense(Y, "Y")
        check_same_features(rows, columns)
        K = _inner_products(rows, _turned(columns))
        if columns is rows:
            # The diagonal is summed in another order than the products are.
            np.fill_diagonal(K, self.diag(rows))
        return K

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
        return lambda X, first, out: np.copyto(
            out, _inner_products(X, _turned(columns[first : first + out.shape[1]]))
        )

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        rows = _sparse_or_dense(X, "X")
        if sparse.issparse(rows):
            return np.asarray(rows.power(2).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", rows, rows)

    @property
    def is_smooth(self) -> bool:
        """True."""
        return True

    def gradient(self, X: FloatArray, Y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the derivative of Σ_ij weights_ij k(x_i, y_j) in the points Y, (m, d); X may be sparse."""
        return np.asarray((X.T @ weights).T)

    def _filler(self, Y: FloatArray) -> Fill:
        right = np.ascontiguousarray(Y.T)
        return lambda X, first, out: np.matmul(X, right[:, first : first + out.shape[1]], out=out)


def _sparse_or_dense(X: Any, name: str) -> Any:
    """Return rows in compressed form with sorted indices, or as a dense table."""
    return checked_rows(X, name, may_be_empty=True) if sparse.issparse(X) else as_rows(X, name)


def _turned(Y: Any) -> Any:
    """Return Yᵀ in the order of its rows, made once for many products."""
    return sparse.csr_array(Y.T) if sparse.issparse(Y) else np.ascontiguousarray(Y.T)


def _inner_products(X: Any, right: Any) -> FloatArray:
    """Return X Yᵀ as a dense matrix from X and Yᵀ, at least one of them sparse; in blocks of rows.

    A sum runs in the order of the features, so that the product of X with itself is symmetric.
    """
    n, m = X.shape[0], right.shape[1]
    result = np.empty((n, m))

    def block(start: int, stop: int) -> None:
        part = X[start:stop] @ right
        result[start:stop] = part.toarray() if sparse.issparse(part) else part

    over_blocks(n, rows_per_block(n, m), block)
    return result
