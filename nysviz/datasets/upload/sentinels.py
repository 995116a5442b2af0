"""Numbers that may stand for a missing value, such as -999: a remark about them, and nothing is changed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nysviz.datasets.upload.cleaning import listed
from nysviz.datasets.upload.target import numeric_columns

# A value that comes so often at least, and beside which there are so many others.
LEAST_TIMES, LEAST_OTHERS = 3, 10
# It lies farther from the others than so many times their own range.
FAR = 2.0


def stand_ins(frame: pd.DataFrame) -> list[str]:
    """Name the columns with one repeated value far below or far above all others.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    list of str
        A sentence for each such value. Cost: a few looks at every column of numbers.
    """
    found: dict[tuple[float, str], tuple[int, list[str]]] = {}
    for column in numeric_columns(frame) if len(frame) >= LEAST_TIMES + LEAST_OTHERS else ():
        values = frame[column].to_numpy(dtype=np.float64)
        values = values[np.isfinite(values)]
        for side, sign in (("below", 1.0), ("above", -1.0)):
            if times := _times(sign * values):
                end = float(sign * (sign * values).min())
                count, columns = found.get((end, side), (0, []))
                found[end, side] = count + times, [*columns, column]
    return [_sentence(value, side, *those) for (value, side), those in found.items()]


def _times(values: np.ndarray) -> int:
    """How often the smallest value comes, where it looks like a mark for what is missing; else 0."""
    if values.size < LEAST_TIMES + LEAST_OTHERS:
        return 0
    low = values.min()
    with np.errstate(over="ignore"):
        # Cheap first: nearly all columns end here.
        times = int(np.count_nonzero(values == low))
        if times < LEAST_TIMES or 2 * times > values.size:
            return 0
        others = values[values > low]
        nearest, farthest = others.min(), others.max()
        if nearest - low <= FAR * (farthest - nearest) or len(np.unique(others)) < LEAST_OTHERS:
            return 0
    return times


def _sentence(value: float, side: str, times: int, columns: list[str]) -> str:
    shown = f"{value:.6g}".replace("-", "−")
    hold = "holds" if len(columns) == 1 else "hold"
    return (
        f"{listed(columns)} {hold} {shown} {times} times, far {side} the rest: if it stands for missing "
        "values, empty those cells."
    )
