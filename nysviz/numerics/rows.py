"""Tables of numbers as callers give them: float64 rows, or one sentence that says what is wrong with them."""

from typing import Any

import numpy as np
from scipy import sparse

from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import quoted
from nysviz.refusal import Refusal

# Squared distances of larger values do not fit into float64.
LARGEST_VALUE = 1e150


def checked_rows(X: Any, name: str = "X", *, may_be_empty: bool = False) -> FloatArray:
    """Return X as contiguous float64 rows, (n, d), or raise Refusal.

    Sparse rows come back compressed by rows, with sorted indices. ``name`` is what the sentences call X.
    """
    if sparse.issparse(X):
        return _checked_sparse_rows(X, name, may_be_empty=may_be_empty)
    rows = np.ascontiguousarray(as_table(X, name))
    _check_shape(rows.shape, name, may_be_empty=may_be_empty)
    if not rows.size:
        return rows
    if not np.isfinite(rows).all():
        raise _not_finite(int((~np.isfinite(rows)).any(axis=1).sum()), len(rows), name)
    _check_largest(max(float(rows.max()), -float(rows.min())), name)
    return rows


def dense_rows(X: Any) -> FloatArray:
    """Return X as checked dense rows, or raise Refusal where they are sparse."""
    if sparse.issparse(X):
        raise Refusal("The rows are sparse, and dense ones are needed here; give X.toarray() if it fits.")
    return checked_rows(X)


def _checked_sparse_rows(X: Any, name: str, *, may_be_empty: bool) -> Any:
    _refuse_other_than_numbers(X.dtype, name)
    _check_dimensions(X.shape, name)
    _check_shape(X.shape, name, may_be_empty=may_be_empty)
    rows = sparse.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if not np.isfinite(rows.data).all():
        of_row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        raise _not_finite(len(np.unique(of_row[~np.isfinite(rows.data)])), rows.shape[0], name)
    _check_largest(float(np.abs(rows.data).max(initial=0.0)), name)
    return rows


def _check_shape(shape: tuple[int, ...], name: str, *, may_be_empty: bool) -> None:
    if not shape[1] or not (shape[0] or may_be_empty):
        raise Refusal(f"{name} has the shape {shape}; at least one row and one column are needed.")


def _not_finite(bad: int, n: int, name: str) -> ValueError:
    return Refusal(f"{bad} of {n} rows of {name} hold NaN or infinity; remove or fill them first.")


def _check_largest(largest: float, name: str) -> None:
    if largest > LARGEST_VALUE:
        raise Refusal(f"{name} holds values up to {largest:g}, whose squares overflow; rescale it first.")


def check_same_features(X: FloatArray, Y: FloatArray, name: str = "Y") -> None:
    """Raise Refusal if two tables of rows have different numbers of columns."""
    if X.shape[1] != Y.shape[1]:
        raise Refusal(f"X has {X.shape[1]} columns and {name} {Y.shape[1]}; both need the same features.")


def checked_square(K: Any, n: int) -> FloatArray:
    """Return a matrix of n × n numbers as float64, or raise Refusal."""
    square = as_numbers(K, "K")
    if square.shape != (n, n):
        raise Refusal(f"K has the shape {square.shape}; ({n}, {n}) is needed, a row and a column a row of X.")
    return square


def as_table(X: Any, name: str) -> FloatArray:
    """Return X as a float64 table, (n, d); ValueError if it is not a table of numbers."""
    table = as_numbers(X, name)
    _check_dimensions(table.shape, name)
    return table


def _check_dimensions(shape: tuple[int, ...], name: str) -> None:
    if len(shape) == 1:
        raise Refusal(
            f"{name} has 1 dimension, the shape {shape}; a table of rows (n, d) is needed: reshape one "
            f"point with {name}.reshape(1, -1), one column with {name}.reshape(-1, 1)."
        )
    if len(shape) != 2:
        raise Refusal(
            f"{name} has {len(shape)} dimensions, the shape {shape}; a table of rows (n, d) is needed."
        )


def as_numbers(values: Any, name: str) -> FloatArray:
    """Return values as float64 of any shape; ValueError if they are not an array of numbers.

    Missing entries of a table become NaN. What a conversion to float64 would drop is refused: a mask, an
    imaginary part, the unit of a date. So is text, even where it spells numbers.
    """
    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    if isinstance(values, np.ma.MaskedArray) and (hidden := int(np.ma.getmaskarray(values).sum())):
        raise Refusal(
            f"{name} is a masked array with {hidden} masked entries, whose values would be used; drop or "
            "fill them first."
        )
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        raise Refusal(f"{name} is no array: its rows are not of one length; a table is needed.") from None
    _refuse_other_than_numbers(array.dtype, name)
    if array.dtype == object:
        array = _from_objects(array, name)
    return np.asarray(array, dtype=np.float64)


def _refuse_other_than_numbers(dtype: np.dtype[Any], name: str) -> None:
    kind = dtype.kind
    if kind == "c":
        raise Refusal(
            f"{name} holds complex numbers; real ones are needed: give the real and the imaginary part "
            "apart, or the one that is meant."
        )
    if kind in "mM":
        raise Refusal(
            f"{name} holds dates or times ({dtype}); numbers are needed: count them in a unit of your "
            "choice first."
        )
    if kind in "USTV":
        contents = "records with named fields" if kind == "V" else "text"
        raise Refusal(f"{name} holds {contents}; numbers are needed: encode or drop these columns first.")


def _from_objects(array: np.ndarray[Any, Any], name: str) -> FloatArray:
    """Return the numbers in an array of objects; None and pandas' NA become NaN."""
    numbers = np.empty(array.shape)
    for place, value in zip(np.ndindex(array.shape), array.flat, strict=True):
        # pandas' NA is of a type of its own, without a conversion, and pandas need not be there.
        if value is None or type(value).__name__ == "NAType":
            numbers[place] = np.nan
            continue
        try:
            if isinstance(value, str | bytes):
                raise TypeError
            numbers[place] = float(value)
        except (TypeError, ValueError, OverflowError):
            raise Refusal(
                f"{name} holds {quoted(value)}, which is no real number; encode or drop such columns first."
            ) from None
    return numbers
