"""The preparations that the papers use, each by the name that it has in the catalog."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nysviz.numerics.blocks import FloatArray


def scale_to_unit_box(X: FloatArray) -> FloatArray:
    """Bring every feature of X (n, d) to [-1, 1], 2 (x - min)/(max - min) - 1; a constant one becomes 0."""
    low, high = X.min(axis=0), X.max(axis=0)
    constant = high == low
    scaled: FloatArray = 2.0 * ((X - low) / np.where(constant, 1.0, high - low)) - 1.0
    scaled[:, constant] = 0.0
    return scaled


def standardise(X: FloatArray) -> FloatArray:
    """Bring every feature of X (n, d) to mean 0 and variance 1 (divisor n); a constant one becomes 0."""
    # Compared by range, not by deviation: rounding gives a constant column a deviation just above zero.
    constant = X.max(axis=0) == X.min(axis=0)
    centred = X - X.mean(axis=0)
    scaled: FloatArray = centred / np.where(constant, 1.0, centred.std(axis=0))
    scaled[:, constant] = 0.0
    return scaled


def tf_idf(X: FloatArray) -> Any:
    """Weight counts of words by ln((1 + n) / (1 + documents with the word)) + 1, each row to unit length."""
    from sklearn.feature_extraction.text import TfidfTransformer  # half a second, for documents alone

    return TfidfTransformer().fit_transform(X)


def to_unit_length(X: FloatArray) -> Any:
    """Divide each row by its length, so that inner products are cosines."""
    from sklearn.preprocessing import normalize

    return normalize(X)


@dataclass(frozen=True)
class Preparation:
    """A change of the values as loaded, and the sentence that says so."""

    apply: Callable[[FloatArray], FloatArray]
    sentence: str


PREPARATIONS: Mapping[str, Preparation] = {
    "unit box": Preparation(scale_to_unit_box, "Every feature is scaled to [-1, 1]."),
    "standardised": Preparation(standardise, "Every feature is standardised to mean 0 and variance 1."),
    "divided by 255": Preparation(lambda X: X / 255.0, "Pixel values are divided by 255."),
    "tf-idf": Preparation(tf_idf, "Counts are weighted by tf-idf, and every row has unit length."),
    "cosine": Preparation(to_unit_length, "Every row is scaled to unit length."),
}
