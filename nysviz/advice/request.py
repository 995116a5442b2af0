"""The request for advice: data, kernel, target and norm, and the rows on which errors are measured."""

import math
from dataclasses import dataclass

from nysviz.kernels import Kernel, check_sparse
from nysviz.landmarks import METHODS
from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import WithRows, generator, is_finite, quoted
from nysviz.numerics.rows import checked_rows
from nysviz.nystroem.approximation import checked_kernel, checked_method
from nysviz.refusal import Refusal

NORMS = ("trace", "frobenius")
# A method from each family whose cost is within reach, and both greedy ones of Farahat, Ghodsi and Kamel.
DEFAULT_METHODS = ("uniform", "kmeans", "kmeanspp", "icd", "rpcholesky", "rls", "partition_greedy", "greedy")
FLOOR = "svd"
# Largest n at which every method is screened on all rows; above, on random parts of SIZES rows, with the
# error measured on FRESH_ROWS other rows.
ALL_ROWS = 3_000
SIZES = (500, 1_000, 2_000)
FRESH_ROWS = 1_000
REPEATS = 4
FEWER_REPEATS = 2  # on parts smaller than the largest, which show growth and seconds alone
# Most landmarks that are tried, but no more than half of the rows, above which little is gained.
MOST_LANDMARKS = 1_000
LEVELS = 3


@dataclass(frozen=True, eq=False)
class AdviceRequest(WithRows):
    """Everything that the errors depend on. ``digest`` names the content of X in the keys of jobs."""

    X: FloatArray
    kernel: Kernel
    target: float
    norm: str
    methods: tuple[str, ...]
    seed: int = 0
    digest: str = ""

    def __post_init__(self) -> None:
        """Check the request; ValueError with one sentence where it cannot be answered."""
        if not (is_finite(self.target) and 0.0 < self.target < 1.0):
            raise Refusal(f"The target error is {quoted(self.target)}; a number between 0 and 1 is needed.")
        if self.norm not in NORMS:
            raise Refusal(f"Norm {self.norm!r} is not known here; choose one of {', '.join(NORMS)}.")
        if not self.methods:
            raise Refusal("No method is given to choose among; name one or more.")
        for method in self.methods:
            checked_method(method, {})
            checked_kernel(method, self.kernel)
            if method == FLOOR:
                raise Refusal("svd is the floor that no landmarks reach; choose among the other methods.")
            if self.norm == "trace" and not METHODS[method].data_dependent:
                raise Refusal(
                    f"{method} reproduces the diagonal of K whatever the rest, so a trace error says nothing "
                    "of it; ask for norm = 'frobenius'."
                )
        generator(self.seed)
        object.__setattr__(self, "X", checked_rows(self.X))
        object.__setattr__(self, "methods", tuple(dict.fromkeys(self.methods)))
        check_sparse(self.X, self.kernel)

    @lazy_property
    def whole(self) -> FloatArray:
        """K itself, where all rows are used: formed once, 8 n² bytes while the request exists."""
        return self.kernel(self.X)

    @property
    def uses_all_rows(self) -> bool:
        """Whether every method is tried on all rows."""
        return self.n <= ALL_ROWS

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of rows among which landmarks are chosen, ascending."""
        return (self.n,) if self.uses_all_rows else SIZES

    @property
    def stop(self) -> float:
        """The error at which a curve ends: a level of a fixed ladder, below the target."""
        # The level is at most 0.8 of the target; nearby targets have the same level and share their runs.
        return float(10.0 ** (math.floor(LEVELS * math.log10(0.8 * self.target)) / LEVELS))

    def most_landmarks(self, size: int | None = None) -> int:
        """Return the most landmarks that are tried among ``size`` rows, by default among all."""
        return min(MOST_LANDMARKS, -(-(self.n if size is None else size) // 2))

    def repeats(self, method: str, size: int) -> int:
        """Return the number of runs of a method, with other seeds and, above ``ALL_ROWS``, other rows."""
        if self.uses_all_rows:
            return REPEATS if METHODS[method].random else 1
        return REPEATS if size == self.sizes[-1] else FEWER_REPEATS
