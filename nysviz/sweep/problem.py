"""A data set with a kernel, which many runs share, and the record of one run."""

import threading
import weakref
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from nysviz.kernels import Kernel, KernelFunction, as_kernel, check_sparse
from nysviz.kernels.matrix import KernelMatrix
from nysviz.numerics import memory
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import WithRows
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.curves import residual_frobenius
from nysviz.nystroem.lowrank import LowRank
from nysviz.nystroem.measures import frobenius, sampled_errors, spectral_norm
from nysviz.nystroem.measures.exact import ratio_of

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
Options: TypeAlias = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Record:
    """One run: its settings and the values measured.

    ``m`` is the number of landmarks requested; repeats begin at 0, and a method without randomness has only
    repeat 0. The seed is that of the run itself, so that ``approximate`` reproduces it. A measure that the
    run does not have is absent from the values. ``seconds`` is the wall time of the run, or of the whole
    factorisation where one serves many m.
    """

    data: str
    n: int
    d: int
    kernel: Kernel
    method: str
    options: Options
    m: int
    repeat: int
    seed: int
    values: dict[str, float] = field(hash=False)
    seconds: float


def tidy(records: Iterable[Record]) -> "pd.DataFrame":
    """Return one line per run and measure, sorted, so that the order in which runs finished has no effect."""
    import pandas as pd

    columns = ["data", "n", "d", "kernel", "method", "options", "m", "repeat", "seed"]
    rows = []
    for r in records:
        head = (r.data, r.n, r.d, str(r.kernel), r.method, repr(dict(r.options)), r.m, r.repeat, r.seed)
        rows += [(*head, measure, value, r.seconds) for measure, value in r.values.items()]
    table = pd.DataFrame(rows, columns=[*columns, "measure", "value", "seconds"])
    order = ["data", "kernel", "method", "options", "m", "repeat", "measure"]
    return table.sort_values(order, kind="stable", ignore_index=True)


class _SharedValues:
    """Values that equal problems share because they are expensive: K, its norms, and those of ``once``."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.values: dict[Hashable, Any] = {}


# Problems of equal content in one process share these values as long as any of them exists.
_shared_values: weakref.WeakValueDictionary[tuple[str, Kernel], _SharedValues] = weakref.WeakValueDictionary()
_shared_lock = threading.Lock()


class Problem(WithRows):
    """The kernel matrix of runs, formed once for all problems of equal ``digest`` (of X) and kernel."""

    def __init__(
        self,
        name: str,
        X: FloatArray,
        kernel: Kernel | KernelFunction,
        digest: str,
        y: Any = None,
        dense: FloatArray | None = None,
    ) -> None:
        self.name, self.X, self.digest, self.y = name, checked_rows(X), digest, y
        self.kernel = as_kernel(kernel)
        check_sparse(self.X, self.kernel)
        # Whether K is small enough to be held: else errors come from sampled rows.
        self.is_exact = self.n <= memory.held_rows()
        self._join(dense)

    def _join(self, dense: FloatArray | None = None) -> None:
        with _shared_lock:
            self._mine = _shared_values.setdefault((self.digest, self.kernel), _SharedValues())
        if dense is not None:
            self._mine.values["K"] = dense

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_mine"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._join()

    def once(self, name: Hashable, compute: Callable[[], T]) -> T:
        """Return a value that equal problems share in one process, computed at the first call."""
        with self._mine.lock:
            if name not in self._mine.values:
                self._mine.values[name] = compute()
            return self._mine.values[name]

    @property
    def K(self) -> FloatArray:
        """The kernel matrix, (n, n)."""
        return self.once("K", lambda: self.kernel(self.X))

    def matrix(self) -> KernelMatrix:
        """Return K as the methods take it, with its entries where they are held."""
        return KernelMatrix(self.X, self.kernel, dense=self.K if self.is_exact else None)

    def norm(self, name: str) -> float:
        """Return a norm of K, "frobenius", "spectral" or "trace"; NaN for the first two if K is not held."""
        if name == "trace":
            return self.once("trace", lambda: float(self.kernel.diag(self.X).sum()))
        if not self.is_exact:
            return float("nan")
        if name == "frobenius":
            return self.once(name, lambda: frobenius(self.K))
        return self.once(name, lambda: spectral_norm(self.K) if self.norm("frobenius") > 0 else 0.0)

    def frobenius(self, a: LowRank) -> dict[str, float]:
        """Return ``frobenius`` and ``relative_frobenius`` of K − K̃: exact where K is held, else estimated."""
        if not self.is_exact:
            errors = sampled_errors(self.X, self.kernel, a)
            return {"frobenius": errors.frobenius, "relative_frobenius": errors.relative_frobenius}
        whole = self.norm("frobenius")
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
        """Return the record of a run on this problem."""
        head = (self.name, self.n, self.d, self.kernel)
        return Record(*head, method, options, m, repeat, seed, values, seconds)
