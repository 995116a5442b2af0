"""Feature vectors of many rows: held where they fit into memory, else made again block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nysviz.blocks import FloatArray, IntArray

# The features of all rows are held up to so many bytes; above, each pass computes them anew.
HELD_BYTES = 2**28
# A block of a pass holds so many entries (32 MiB), so that products with it run at the speed of BLAS.
PASS_ENTRIES = 2**22


@dataclass(frozen=True)
class FeatureRows:
    """The rows z(x) of a feature map, given out in blocks. Made by :meth:`of`.

    Attributes
    ----------
    X : (n, d) array
    transform : callable
        From (b, d) rows to their (b, columns) features.
    columns : int
    held : (n, columns) array or None
        All features, where they take at most the bytes allowed.
    """

    X: FloatArray
    transform: Callable[[FloatArray], FloatArray]
    columns: int
    held: FloatArray | None = None

    @classmethod
    def of(
        cls,
        X: FloatArray,
        transform: Callable[[FloatArray], FloatArray],
        columns: int,
        factor: FloatArray | None = None,
    ) -> FeatureRows:
        """Hold the features, computed here or at hand as a factor, where they take up to ``HELD_BYTES``."""
        held = None
        if 8 * len(X) * columns <= HELD_BYTES:
            held = transform(X) if factor is None else factor
        return cls(X, transform, columns, held)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    def blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Give (rows, their features) block by block, in order; the features are for reading only."""
        size = max(1, PASS_ENTRIES // max(1, self.columns))
        for start in range(0, self.n, size):
            rows = slice(start, min(self.n, start + size))
            yield rows, self.transform(self.X[rows]) if self.held is None else self.held[rows]

    def take(self, rows: IntArray) -> FeatureRows:
        """The same features for some of the rows."""
        held = None if self.held is None else self.held[rows]
        return FeatureRows(self.X[rows], self.transform, self.columns, held)
