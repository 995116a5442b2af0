"""A data set with a kernel: what many runs share, and what travels to another process."""

from __future__ import annotations

import threading
import weakref
from dataclasses import replace
from typing import Any

import numpy as np

from nysviz import memory
from nysviz.blocks import FloatArray, IntArray
from nysviz.kernels import Kernel, checked_sparse
from nysviz.matrix import HELD_ROWS, KernelMatrix
from nysviz.measures import (
    SAMPLED_ROWS,
    Norms,
    frobenius,
    norm_of_rows,
    sampled_rows,
    spectral_norm,
)
from nysviz.rows import checked_rows

# Up to so many rows errors are exact; above, they come from sampled rows.
EXACT_ROWS = HELD_ROWS


class _Held:
    """What is expensive to form and the same for equal problems: K, or sampled rows of it, and norms."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.K: FloatArray | None = None
        self.sample: tuple[IntArray, FloatArray] | None = None
        self.norms: Norms | None = None


# Equal problems that arrive in one process one after the other share what is held, while any of them lives.
_held: weakref.WeakValueDictionary[tuple[str, Kernel], _Held] = weakref.WeakValueDictionary()
_held_lock = threading.Lock()


class Problem:
    """The kernel matrix k(X, X) that runs approximate, formed once for all of them.

    Parameters
    ----------
    name : str
        For the records.
    X : (n, d) array
        Sparse rows for the linear kernel alone.
    kernel : Kernel
    digest : str
        Names the content of X: problems of equal digest and kernel are the same problem.
    y : (n,) array, optional
    dense : (n, n) array, optional
        K where it is at hand.
    """

    def __init__(
        self,
        name: str,
        X: FloatArray,
        kernel: Kernel,
        digest: str,
        y: Any = None,
        dense: FloatArray | None = None,
    ) -> None:
        self.name = name
        self.X = checked_rows(X)
        checked_sparse(self.X, kernel)
        self.kernel = kernel
        self.digest = digest
        self.y = y
        # Once and for all: the memory may run short, or do so no more, while this is worked on.
        self._is_exact = self.n <= min(EXACT_ROWS, memory.held_rows())
        self._join(dense)

    def _join(self, dense: FloatArray | None = None) -> None:
        with _held_lock:
            self._mine = _held.setdefault((self.digest, self.kernel), _Held())
        if dense is not None:
            self._mine.K = dense

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_mine"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._join()

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def is_exact(self) -> bool:
        """Whether K is small enough to be held."""
        return self._is_exact

    @property
    def K(self) -> FloatArray:
        """The matrix itself, (n, n)."""
        with self._mine.lock:
            if self._mine.K is None:
                self._mine.K = self.kernel(self.X)
            return self._mine.K

    def matrix(self) -> KernelMatrix:
        """K as the methods see it, with its entries where they are held."""
        return KernelMatrix(self.X, self.kernel, dense=self.K if self.is_exact else None)

    @property
    def holds_rows(self) -> bool:
        """Whether the rows that errors are measured on are held; of longer ones they are evaluated again."""
        return self.is_exact or memory.is_held(self.n, SAMPLED_ROWS)

    def sample(self) -> IntArray:
        """Numbers of the sampled rows, ascending, the same for every run."""
        return np.sort(sampled_rows(self.n, SAMPLED_ROWS))

    def rows(self) -> tuple[IntArray | None, FloatArray]:
        """K with None, or where it is too large, the numbers of sampled rows (s,) and these rows, (s, n).

        The sample is the same for every run, so that runs can be compared in pairs.
        """
        if self.is_exact:
            return None, self.K
        with self._mine.lock:
            if self._mine.sample is None:
                rows = self.sample()
                self._mine.sample = rows, self.kernel(self.X[rows], self.X)
            return self._mine.sample

    def norms(self, *, spectral: bool = False) -> Norms:
        """Norms of K; the Frobenius norm is that of the sampled rows where K is too large.

        The spectral norm, some twenty products with K, is NaN there and where it is not asked for.
        """
        with self._mine.lock:
            if self._mine.norms is None:
                if self.holds_rows:
                    _, part = self.rows()
                    size = frobenius(part)
                else:
                    size = norm_of_rows(self.X, self.kernel, self.sample())
                trace = float(self.kernel.diag(self.X).sum())
                self._mine.norms = Norms(size, float("nan"), trace)
            if spectral and self.is_exact and np.isnan(self._mine.norms.spectral):
                largest = spectral_norm(self.K) if self._mine.norms.frobenius > 0 else 0.0
                self._mine.norms = replace(self._mine.norms, spectral=largest)
            return self._mine.norms

    @property
    def scale(self) -> float:
        """What turns a norm of the sampled rows into an estimate for all rows: √(n/s), 1 where K is held."""
        return 1.0 if self.is_exact else float(np.sqrt(self.n / min(self.n, SAMPLED_ROWS)))
