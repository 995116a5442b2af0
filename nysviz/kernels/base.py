"""Base of all kernels: k(X, Y) in blocks of rows, the symmetric k(X, X) from its upper half."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Real
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nysviz.kernels.similarities import ASYMMETRY
from nysviz.numerics.blocks import MIN_ROWS, SMALL_ENTRIES, FloatArray, over_blocks, rows_per_block
from nysviz.numerics.counts import is_finite, quoted
from nysviz.numerics.rows import as_numbers, as_table, check_same_features
from nysviz.refusal import Refusal
from nysviz.text import three_digits

SingleArray = NDArray[np.float32]
Rows = Callable[[FloatArray], FloatArray]
SingleRows = Callable[[FloatArray, int], SingleArray]
Fill = Callable[[FloatArray, int, FloatArray], object]
KernelFunction = Callable[[FloatArray, FloatArray], FloatArray]

# Rows of the squares on which the diagonal of an own function is read and its symmetry is tested.
DIAGONAL_ROWS = 32


def as_rows(X: FloatArray, name: str) -> FloatArray:
    """Return rows as a contiguous table of float64, (n, d); ValueError in one sentence for anything else."""
    check_sparse(X, None, name)
    return np.ascontiguousarray(as_table(X, name))


def check_sparse(X: FloatArray, kernel: "Kernel | None", name: str = "X") -> None:
    """Raise Refusal if X is sparse and the kernel (None: the caller) needs a dense table."""
    if sparse.issparse(X) and not (kernel is not None and kernel.takes_sparse):
        needs = (
            "a dense table is needed" if kernel is None else f"the {kernel.label} kernel needs a dense table"
        )
        raise Refusal(
            f"{name} is sparse and {needs}; choose the linear kernel, or give {name}.toarray() where it fits "
            "into memory."
        )


def as_kernel(kernel: object) -> "Kernel":
    """Return the kernel, or raise Refusal if it is not a kernel.

    An object with the methods of a kernel, such as one that counts its entries, passes; a function k(X, Y) is
    wrapped.
    """
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise Refusal(
            f"kernel = {kernel.__name__} is a class; make a kernel of it, such as "
            f"{kernel.__name__}({fields(kernel)[0].name + '=2' if fields(kernel) else ''})."
        )
    if callable(kernel) and all(hasattr(kernel, name) for name in ("against", "diag", "is_psd")):
        return cast("Kernel", kernel)
    if callable(kernel) and not isinstance(kernel, type):
        return Custom(kernel)
    raise Refusal(
        f"kernel = {quoted(kernel)} is no kernel; give one, such as Gaussian(1.0), or a function k(X, Y)."
    )


def check_positive(name: str, value: float) -> None:
    """Refuse a parameter that is not a finite number above 0, in one sentence."""
    if not (is_finite(value) and value > 0):
        raise Refusal(f"{name} = {quoted(value)}; a finite number above 0 is needed.")


@dataclass(frozen=True)
class KernelParameter:
    """A parameter of a kernel beside its bandwidth: range or choices, default, its name in an address."""

    name: str
    symbol: str
    low: float
    high: float
    default: float
    key: str
    choices: tuple[float, ...] = ()


@dataclass(frozen=True)
class Kernel:
    """A kernel, positive semidefinite where ``is_psd``: call it for a matrix, ask ``diag`` for k(x, x).

    Sums, products and multiples of kernels, ``k1 + k2``, ``k1 * k2`` and ``2.0 * k``, are kernels.
    """

    label: ClassVar[str]
    parameters: ClassVar[tuple[KernelParameter, ...]] = ()
    has_bandwidth: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = False

    @property
    def is_psd(self) -> bool:
        """Whether every matrix k(X, X) is known to be positive semidefinite."""
        return True

    @property
    def is_smooth(self) -> bool:
        """Whether k(x, y) has a derivative everywhere, with ``gradient``."""
        return False

    def gradient(self, X: FloatArray, Y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the derivative of Σ_ij weights_ij k(x_i, y_j) in the points Y, (m, d); O(n m d).

        Rows X (n, d) and Y (m, d) of float64, weights (n, m).
        """
        raise TypeError(f"{type(self).__name__} does not define its derivative")

    def describe(self) -> str:
        """Name the kernel with its parameters: "Gaussian, σ = 24.5"."""
        values = [("σ", getattr(self, "sigma"))] if self.has_bandwidth else []  # noqa: B009
        values += [(parameter.symbol, getattr(self, parameter.name)) for parameter in self.parameters]
        written = [
            f"{symbol} = {value if isinstance(value, int) else three_digits(value)}"
            for symbol, value in values
        ]
        return ", ".join([self.label, *written])

    def __add__(self, other: "Kernel | KernelFunction") -> "Sum":
        """Return the kernel k(x, y) = self(x, y) + other(x, y)."""
        return Sum(self, as_kernel(other))

    def __mul__(self, other: "Kernel | KernelFunction | float") -> "Product | Scaled":
        """Return the kernel k(x, y) = self(x, y) other(x, y), or the multiple by a number above 0."""
        multiplier: object = other
        return (
            Scaled(self, float(multiplier))
            if isinstance(multiplier, Real)
            else Product(self, as_kernel(other))
        )

    def __rmul__(self, scale: float) -> "Scaled":
        """Return the kernel k(x, y) = scale self(x, y) of a number above 0."""
        return Scaled(self, scale)

    def __call__(self, X: FloatArray, Y: FloatArray | None = None) -> FloatArray:
        """Return the matrix k(X, Y), (n, m), or the symmetric k(X, X), (n, n); n·m or n²/2 evaluations."""
        rows = as_rows(X, "X")
        if Y is None or Y is X:
            return self._symmetric(rows)
        columns = as_rows(Y, "Y")
        check_same_features(rows, columns)
        return self.against(columns)(rows)

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,), without forming a matrix."""
        raise TypeError(f"{type(self).__name__} does not define a diagonal")

    def against(self, Y: FloatArray) -> Rows:
        """Prepare the right-hand points once; the result maps rows X (b, d) to k(X, Y) (b, m)."""
        fill = self.filling(Y)
        m = len(Y)

        def rows(X: FloatArray) -> FloatArray:
            block = np.empty((len(X), m))
            if block.size < SMALL_ENTRIES:
                fill(X, 0, block)
            else:
                over_blocks(len(X), rows_per_block(len(X), m), lambda i, j: fill(X[i:j], 0, block[i:j]))
            return block

        return rows

    def against_in_single(self, Y: FloatArray) -> tuple[SingleRows, float] | None:
        """Return ``rows(X, first)``, k(X, Y[first:]) in single precision, and its error's size ε; or None.

        In half the time, for products that need few digits: all errors of K together have a spectral norm of
        2 √n ε at most. What it returns runs in the thread that calls it.
        """
        return None

    def filling(self, Y: FloatArray) -> Fill:
        """Prepare the right-hand points once, to be compared with in parts.

        The result, ``fill(X, first, out)``, writes k(X, Y[first : first + c]) into ``out`` (b, c).
        A block with an entry that is no finite number is refused with a ValueError: a method would end with
        nonsense, or never.
        """
        return self._finite(self._filler(as_rows(Y, "Y")))

    def refuse_unless_finite(self, values: FloatArray) -> None:
        """Raise Refusal for values of this kernel that are NaN or infinite."""
        if not np.isfinite(values).all():
            raise Refusal(
                f"The {self.label} kernel has values that are no finite numbers on these data; scale the "
                "features to a smaller range, or choose another kernel or bandwidth."
            )

    def _finite(self, fill: Fill) -> Fill:
        def checked(X: FloatArray, first: int, out: FloatArray) -> None:
            fill(X, first, out)
            self.refuse_unless_finite(out)

        return checked

    def _symmetric(self, X: FloatArray) -> FloatArray:
        """Fill the upper triangle block by block and mirror it, so that K equals its transpose exactly."""
        n = len(X)
        fill = self._finite(self._filler(X))
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
        diagonal = self.diag(X)
        self.refuse_unless_finite(diagonal)
        np.fill_diagonal(K, diagonal)
        return K

    def _filler(self, Y: FloatArray) -> Fill:
        """Do as ``filling`` for rows that are known to be contiguous float64."""
        raise TypeError(f"{type(self).__name__} does not define its entries")


@dataclass(frozen=True)
class _Pair(Kernel):
    """Two kernels, whose entries are combined one by one."""

    first: Kernel
    second: Kernel
    _combine: ClassVar[np.ufunc]

    @property
    def is_psd(self) -> bool:
        """Whether both kernels are known to be positive semidefinite, and with them sum and product."""
        return self.first.is_psd and self.second.is_psd

    @property
    def is_smooth(self) -> bool:
        """Whether both kernels have a derivative everywhere."""
        return self.first.is_smooth and self.second.is_smooth

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        return self._combine(self.first.diag(X), self.second.diag(X))

    def _filler(self, Y: FloatArray) -> Fill:
        first, second = self.first._filler(Y), self.second._filler(Y)

        def fill(X: FloatArray, start: int, out: FloatArray) -> None:
            second_block = np.empty(out.shape)
            first(X, start, out)
            second(X, start, second_block)
            self._combine(out, second_block, out=out)

        return fill


@dataclass(frozen=True)
class Sum(_Pair):
    """k(x, y) = first(x, y) + second(x, y), made by ``first + second``."""

    label: ClassVar[str] = "sum"
    _combine: ClassVar[np.ufunc] = np.add

    def gradient(self, X: FloatArray, Y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the derivative of Σ_ij weights_ij k(x_i, y_j) in the points Y, (m, d)."""
        return self.first.gradient(X, Y, weights) + self.second.gradient(X, Y, weights)


@dataclass(frozen=True)
class Product(_Pair):
    """k(x, y) = first(x, y) second(x, y), made by ``first * second``."""

    label: ClassVar[str] = "product"
    _combine: ClassVar[np.ufunc] = np.multiply

    def gradient(self, X: FloatArray, Y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the derivative of Σ_ij weights_ij k(x_i, y_j) in the points Y, (m, d)."""
        first, second = self.first, self.second
        by_first = first.gradient(X, Y, weights * second.against(Y)(X))
        return by_first + second.gradient(X, Y, weights * first.against(Y)(X))


@dataclass(frozen=True)
class Scaled(Kernel):
    """k(x, y) = scale kernel(x, y), made by ``scale * kernel``; ValueError unless the scale is above 0."""

    kernel: Kernel
    scale: float
    label: ClassVar[str] = "scaled"

    def __post_init__(self) -> None:
        check_positive("scale", self.scale)
        object.__setattr__(self, "scale", float(self.scale))

    @property
    def is_psd(self) -> bool:
        """Whether the kernel is known to be positive semidefinite, and with it each multiple."""
        return self.kernel.is_psd

    @property
    def is_smooth(self) -> bool:
        """Whether the kernel has a derivative everywhere."""
        return self.kernel.is_smooth

    def gradient(self, X: FloatArray, Y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the derivative of Σ_ij weights_ij k(x_i, y_j) in the points Y, (m, d)."""
        return self.scale * self.kernel.gradient(X, Y, weights)

    def describe(self) -> str:
        """Name the kernel with its parameters and its scale."""
        return f"{three_digits(self.scale)} × {self.kernel.describe()}"

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,)."""
        # An overflow is refused where it is used.
        with np.errstate(over="ignore"):
            return self.scale * self.kernel.diag(X)

    def _filler(self, Y: FloatArray) -> Fill:
        inner = self.kernel._filler(Y)

        def fill(X: FloatArray, start: int, out: FloatArray) -> None:
            inner(X, start, out)
            with np.errstate(over="ignore"):
                np.multiply(out, self.scale, out=out)

        return fill


@dataclass(frozen=True)
class Custom(Kernel):
    """A user-defined function as a kernel: it maps rows X (n, d) and Y (m, d) to k(X, Y), (n, m).

    It is called for blocks of rows, from several threads. A function that is not symmetric is refused once it
    shows among the few rows that are compared; one that is not positive semidefinite is taken, and the
    results say so where their numbers show it (``LowRank.is_indefinite``).
    """

    function: KernelFunction
    label: ClassVar[str] = "custom"

    @property
    def is_psd(self) -> bool:
        """False: nothing is known about an own function."""
        return False

    def diag(self, X: FloatArray) -> FloatArray:
        """Return k(x, x) for each row of X, (n,); 32 n evaluations."""
        rows = as_rows(X, "X")
        values = np.empty(len(rows))
        for start in range(0, len(rows), DIAGONAL_ROWS):
            part = slice(start, start + DIAGONAL_ROWS)
            values[part] = self._among(rows[part]).diagonal()
        return values

    def _among(self, rows: FloatArray) -> FloatArray:
        """Return k(rows, rows), (b, b), or raise Refusal where it is not symmetric."""
        block = self._entries(rows, rows)
        # Entries that are not finite are refused where they are used.
        with np.errstate(invalid="ignore"):
            gaps = np.abs(block - block.T)
        if (gaps > ASYMMETRY * np.abs(block).max(initial=0.0)).any():
            i, j = np.unravel_index(int(gaps.argmax()), gaps.shape)
            raise Refusal(
                f"The kernel function is not symmetric: k(x, y) = {block[i, j]:.6g} and k(y, x) = "
                f"{block[j, i]:.6g} for two of the rows; give (k(x, y) + k(y, x)) / 2 if their mean is meant."
            )
        return block

    def _entries(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        if not len(X) or not len(Y):
            return np.empty((len(X), len(Y)))
        entries = as_numbers(self.function(X, Y), "The matrix that the kernel function returned")
        if entries.shape != (len(X), len(Y)):
            raise Refusal(
                f"The kernel function returned the shape {entries.shape} for {len(X)} rows of X and {len(Y)} "
                f"of Y; ({len(X)}, {len(Y)}) is needed, an entry for each pair of rows."
            )
        return entries

    def _filler(self, Y: FloatArray) -> Fill:
        self._among(Y[:DIAGONAL_ROWS])
        return lambda X, first, out: np.copyto(out, self._entries(X, Y[first : first + out.shape[1]]))
