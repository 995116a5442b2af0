"""What the data say of a kernel: the spread of each feature, and whether K's entries are usable."""

from collections.abc import Mapping

import numpy as np

from nysviz.datasets import Dataset
from nysviz.engine.shared import once
from nysviz.kernels import Kernel
from nysviz.numerics.blocks import FloatArray
from nysviz.nystroem.measures.matrix_norms import LARGEST_ENTRY, SMALLEST_ENTRY
from nysviz.text import three_digits


def entry_fault(kernel: Kernel, data: Dataset) -> str:
    """Say that the largest entry of K overflows or underflows when squared; empty where it does not."""
    with np.errstate(over="ignore"):
        largest = float(kernel.diag(data.X).max())
    # Rows of zeros alone have a matrix of zeros, which is exact.
    is_large_enough = largest > SMALLEST_ENTRY or not abs(data.X).max()
    if largest < LARGEST_ENTRY and is_large_enough:
        return ""
    size = f", {three_digits(largest)}," if np.isfinite(largest) else ""
    fault = "underflows" if largest < LARGEST_ENTRY else "overflows"
    return f"The largest entry of K{size} {fault} when squared; change the columns' unit."


def deviations_of(data: Dataset) -> FloatArray:
    """Return the standard deviation of each feature, 0 where it is constant."""
    X = data.X
    key = "deviations", data.digest
    return once(key, lambda: np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 0.0))


def varying_features(data: Dataset) -> list[int]:
    """Return the features that are not constant, those that vary most first."""
    deviations = deviations_of(data)
    # To six digits: rounding does not order the features of standardised data.
    order = np.argsort(-np.round(deviations / (deviations.max() or 1.0), 6), kind="stable")
    features: list[int] = order[deviations[order] > 0].tolist()
    return features


def feature_widths(data: Dataset, multiples: Mapping[int, float]) -> list[float]:
    """Return a width for each feature: its standard deviation, times its multiple where it has one."""
    deviations = deviations_of(data)
    # A constant feature adds nothing to a distance, whatever its width.
    widths = np.where(deviations > 0, deviations, 1.0)
    return [float(width) * multiples.get(j, 1.0) for j, width in enumerate(widths)]
