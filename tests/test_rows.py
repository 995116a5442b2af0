"""Tables as callers give them: what becomes float64 rows, and what is refused in one sentence."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from nysviz.rows import checked_rows

X = np.arange(12.0).reshape(4, 3)


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
