"""Tables as callers give them: what becomes float64 rows, and what is refused in one sentence."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import nysviz as nv
from nysviz.rows import checked_rows

X = np.arange(12.0).reshape(4, 3)
MASKED = np.ma.masked_greater(X, 9.5)
WITH_NA = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [0.5, 1.5, 2.5]})
DATES = np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[D]")


@pytest.mark.parametrize(
    "given, sentence",
    [
        (MASKED, r"^X is a masked array with 2 masked entries, .*; drop or fill them first\.$"),
        (X + 1j, r"^X holds complex numbers; real ones are needed"),
        (np.array([[1j, 2.0]], dtype=object), r"^X holds 1j, which is no real number"),
        (DATES, r"^X holds dates or times \(datetime64\[D\]\); numbers are needed"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"]), "b": [1.0]}), r"^X holds Timestamp\("),
        (np.array([["a", "b"]]), r"^X holds text; numbers are needed: encode or drop"),
        (np.array([["1", 2.0]], dtype=object), r"^X holds '1', which is no real number; encode or drop"),
        (np.zeros(2, dtype=[("a", float)]), r"^X holds records with named fields"),
        ([[1.0, 2.0], [3.0]], r"^X is no array: its rows are not of one length"),
        (WITH_NA, r"^1 of 3 rows of X hold NaN or infinity; remove or fill them first\.$"),
        (np.ones(30), r"^X has 1 dimension, .*\(30,\); .* X\.reshape\(1, -1\), .* X\.reshape\(-1, 1\)\.$"),
    ],
)
def test_what_is_refused(given, sentence):
    for call in (checked_rows, lambda X: nv.approximate(X, nv.Linear(), "uniform", 1)):
        with pytest.raises(ValueError, match=sentence) as caught:
            call(given)
        assert "\n" not in str(caught.value)
    if not sparse.issparse(given) and "NaN" not in sentence:
        with pytest.raises(ValueError, match=sentence):
            nv.Gaussian(1.0)(given)


@pytest.mark.parametrize(
    "given",
    [
        X.tolist(),
        X.astype(int),
        X.astype(np.float32),
        X.astype(object),
        np.array([[Decimal(int(value)) for value in row] for row in X]),
        np.ma.masked_array(X),
        np.asfortranarray(X),
        pd.DataFrame(X),
        pd.DataFrame(X).astype("Int64"),
        sparse.lil_array(X),
    ],
)
def test_what_are_numbers(given):
    rows = checked_rows(given)
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows.toarray() if sparse.issparse(rows) else rows, X)
    assert sparse.issparse(rows) or rows.flags.c_contiguous


def test_rows_that_are_right_are_not_copied():
    assert checked_rows(X) is X


def test_no_rows_where_they_are_allowed():
    assert checked_rows(np.empty((0, 3)), may_be_empty=True).shape == (0, 3)
    with pytest.raises(ValueError, match=r"^Z has the shape \(0, 3\); at least one row"):
        checked_rows(np.empty((0, 3)), "Z")
    with pytest.raises(ValueError, match=r"shape \(3, 0\); at least one row and one column"):
        checked_rows(np.empty((3, 0)), may_be_empty=True)
