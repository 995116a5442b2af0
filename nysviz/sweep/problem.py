"""A data set with a kernel: what many runs share, and what travels to another process."""

from __future__ import annotations

import threading
import weakref
from dataclasses import replace
from typing import Any

import numpy as np

from nysviz import memory
from nysviz.blocks import FloatArray
from nysviz.curves import residual_frobenius
from nysviz.kernels import Kernel, checked_sparse
from nysviz.lowrank import LowRank
from nysviz.matrix import HELD_ROWS, KernelMatrix
from nysviz.measures import Norms, frobenius, sampled_errors, spectral_norm
from nysviz.measures.exact import ratio_of
from nysviz.rows import checked_rows
from nysviz.sweep.record import Options, Record

# Up to so many rows errors are exact; above, they come from sampled rows.
EXACT_ROWS = HELD_ROWS


class _Held:
    """What is expensive to form and the same for equal problems: K and its norms."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.K: FloatArray | None = None
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

    def norms(self, *, spectral: bool = False) -> Norms:
        """Norms of K: its trace, and where K is held the Frobenius norm, else NaN.

        So is the spectral norm, some twenty products with K, unless it is asked for.
        """
        with self._mine.lock:
            if self._mine.norms is None:
                size = frobenius(self.K) if self.is_exact else float("nan")
                trace = float(self.kernel.diag(self.X).sum())
                self._mine.norms = Norms(size, float("nan"), trace)
            if spectral and self.is_exact and np.isnan(self._mine.norms.spectral):
                largest = spectral_norm(self.K) if self._mine.norms.frobenius > 0 else 0.0
                self._mine.norms = replace(self._mine.norms, spectral=largest)
            return self._mine.norms

    def frobenius(self, a: LowRank) -> dict[str, float]:
        """Return ``frobenius`` and ``relative_frobenius`` of K − K̃: exact where K is held, else estimated."""
        if not self.is_exact:
            found = sampled_errors(self.X, self.kernel, a)
            return {"frobenius": found.frobenius, "relative_frobenius": found.relative_frobenius}
        whole = self.norms().frobenius
        size = residual_frobenius(self.K, a.factor, size=whole)
        return {"frobenius": size, "relative_frobenius": ratio_of(size, whole)}

    def record(
        self,
        method: str,
        options: Options,
        m: int,
        repeat: int,
        seed: int,
        values: dict[str, float],
        seconds: float,
    ) -> Record:
        """Return what a run on this problem measured."""
        head = (self.name, self.n, self.d, self.kernel)
        return Record(*head, method, options, m, repeat, seed, values, seconds)
