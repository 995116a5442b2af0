"""The rows as everything here takes them."""

from __future__ import annotations

from scipy import sparse

from nysviz.blocks import FloatArray
from nysviz.rows import checked_rows


def dense_rows(X: FloatArray) -> FloatArray:
    """Return X as checked dense rows, or raise one sentence where they are sparse."""
    if sparse.issparse(X):
        raise ValueError("The rows are sparse, and distances suit dense rows; give X.toarray() if it fits.")
    return checked_rows(X)
