"""Nyström features of any method, or random Fourier features, from training rows, in blocks of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from nysviz.kernels import Gaussian, Kernel
from nysviz.landmarks import METHODS
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray, IntArray
from nysviz.nystroem.approximation import approximate
from nysviz.nystroem.lowrank import nystroem_features
from nysviz.refusal import Refusal

# Entries of a block of a pass (32 MiB): products with it run at the speed of BLAS.
PASS_ENTRIES = 2**22


@dataclass(frozen=True)
class FeatureRows:
    """The rows z(x) of a feature map in blocks; ``features`` has those of all rows where they are held."""

    X: FloatArray
    transform: Callable[[FloatArray], FloatArray]
    columns: int
    features: FloatArray | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Give (rows, their features) block by block, in order; the features are for reading only."""
        size = max(1, PASS_ENTRIES // max(1, self.columns))
        for start in range(0, self.n, size):
            rows = slice(start, min(self.n, start + size))
            yield rows, self.transform(self.X[rows]) if self.features is None else self.features[rows]

    def take(self, rows: IntArray) -> "FeatureRows":
        """Return the features of some of the rows."""
        features = None if self.features is None else self.features[rows]
        return FeatureRows(self.X[rows], self.transform, self.columns, features)


RANDOM_FEATURES = {name: entry.label for name, entry in METHODS.items() if not entry.data_dependent}
# Meanings of m of random features: frequencies, each with a sine and a cosine, or columns.
READINGS = {"frequencies": "m frequencies, so 2m columns", "columns": "m columns, so m/2 frequencies"}
# Where n × m entries are more than this (256 MiB), landmarks come from a random sample of the training rows
# whose entries are at most half of it: a selection takes three times its factor.
SELECTION_ENTRIES = 2**25


@dataclass(frozen=True)
class FeatureMap:
    """From (b, d) rows to their (b, columns) features; ``factor`` holds the training rows' own, if any."""

    transform: Callable[[FloatArray], FloatArray]
    columns: int
    factor: FloatArray | None = None

    def of_training(self, X: FloatArray) -> FeatureRows:
        """Return the features of the rows that the map was made from, held if ``memory.is_held``."""
        features = None
        if memory.is_held(len(X), self.columns):
            features = self.transform(X) if self.factor is None else self.factor
        return FeatureRows(X, self.transform, self.columns, features)


def feature_map(
    X: FloatArray, kernel: Kernel, method: str, m: int, seed: int, reading: str = "frequencies"
) -> FeatureMap:
    """Choose landmarks, or draw frequencies, from the rows (n, d); ``reading`` says what m counts."""
    if method in RANDOM_FEATURES:
        if not isinstance(kernel, Gaussian):
            raise Refusal(
                f"{RANDOM_FEATURES[method].capitalize()} belong to the Gaussian kernel; choose that kernel "
                "or a method with landmarks."
            )
        # Imported late: scikit-learn is slow to import.
        from nysviz.nystroem.features import FourierFeatures

        count = m if reading == "frequencies" else -(-m // 2)
        fourier = FourierFeatures(kernel.sigma, count, orthogonal=method == "orf", random_state=seed)
        return FeatureMap(fourier.fit(X[:1]).transform, 2 * count)
    rows = X
    if len(X) * m > SELECTION_ENTRIES:
        few = np.random.default_rng([seed, 2]).permutation(len(X))[: SELECTION_ENTRIES // (2 * m)]
        rows = X[np.sort(few)]
    a = approximate(rows, kernel, method, m, seed)
    transform = partial(nystroem_features, kernel, a.basis, a.projection)
    # A mixture has more columns than its rank where they outnumber the rows.
    return FeatureMap(transform, a.projection.shape[1], a.factor if rows is X else None)
