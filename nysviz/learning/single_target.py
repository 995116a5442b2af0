"""One column to predict, from values or from classes."""

from __future__ import annotations

import numpy as np

from nysviz.blocks import FloatArray, IntArray
from nysviz.datasets import Dataset
from nysviz.refusal import Refusal


def single_target(data: Dataset, rows: IntArray | None = None) -> FloatArray:
    """Return the values, or 1 for the first class and -1 for the others, of mean 0 and deviation 1.

    Parameters
    ----------
    data : Dataset
    rows : int array, optional
        Those whose mean and deviation count, such as a training part; all by default.

    Returns
    -------
    (n,) array; zeros where all values are equal.

    Raises
    ------
    ValueError
        Data without a target.
    """
    if data.y is None or data.task is None:
        raise Refusal(f"{data.name} has no target to learn; choose a data set with labels or values.")
    y = np.where(data.y == data.y.min(), 1.0, -1.0) if data.task == "classification" else data.y
    seen = y if rows is None else y[rows]
    target: FloatArray = (y - seen.mean()) / (seen.std() or 1.0)
    return target
