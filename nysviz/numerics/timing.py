"""Timing for comparisons: the median of three runs of short work, one run of longer work."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Generic, TypeVar

T = TypeVar("T")

RUNS = 3
# Longest run that is repeated, so that three stay below a second; longer work is run once.
SHORT_SECONDS = 1.0 / RUNS
RULE = f"median of three runs, or one run that takes over {SHORT_SECONDS:.1f} s"


@dataclass(frozen=True)
class Timed(Generic[T]):
    """The result of the first run, and the seconds of all."""

    result: T
    runs: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """Median of the runs."""
        return median(self.runs)

    @property
    def remark(self) -> str:
        """The meaning of the seconds, in words."""
        return "one run" if len(self.runs) == 1 else f"median of {len(self.runs)}"


def timed(work: Callable[[], tuple[T, float]]) -> Timed[T]:
    """Run work that returns its result and its seconds, and repeat it if it is short.

    Parameters
    ----------
    work : callable
        The same result at every call; modules that only the first call loads are loaded before.
    """
    result, spent = work()
    more = RUNS - 1 if spent <= SHORT_SECONDS else 0
    return Timed(result, (spent, *(work()[1] for _ in range(more))))
