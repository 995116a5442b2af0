"""The error that no choice of landmarks can beat: that of the best rank m."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nysviz.advice.curve import crossing
from nysviz.advice.question import Question
from nysviz.blocks import FloatArray
from nysviz.spectrum import spectrum
from nysviz.sweep import Job

# A full decomposition of so many rows takes about a second.
FLOOR_ROWS = 2_000


@dataclass(frozen=True, eq=False)
class Floor:
    """Relative errors of the best rank 1, …, s on s rows (Eckart and Young 1936).

    Where these are a part of all n, they are smaller than those of all rows in the mean: leading
    eigenvectors of a part suit the part.
    """

    errors: FloatArray
    rows: int
    n: int

    def at(self, m: int) -> float:
        """Error of the best rank m."""
        return float(self.errors[min(m, len(self.errors)) - 1])

    def needed(self, target: float) -> int | None:
        """Smallest rank that meets the target."""
        return crossing(np.arange(1.0, len(self.errors) + 1), self.errors, target)


def floor_job(asked: Question) -> Job:
    """Return the job of ``floor``."""
    key = ("floor", asked.digest, asked.kernel, asked.norm, asked.seed)
    return Job(key, "floor", 1.0, lambda: (floor(asked),))


def floor(asked: Question) -> Floor:
    """Errors of the best ranks, of at most ``FLOOR_ROWS`` random rows; O(s³)."""
    rows = asked.X
    if asked.n > FLOOR_ROWS:
        rows = rows[np.random.default_rng([asked.seed, 5]).permutation(asked.n)[:FLOOR_ROWS]]
    values = spectrum(rows, asked.kernel)
    powers = values if asked.norm == "trace" else values**2
    # From the smallest on, so that small sums are not lost beside large ones.
    tails = np.concatenate([np.cumsum(powers[::-1])[::-1], [0.0]])
    share = tails[1:] / tails[0] if tails[0] > 0 else np.zeros(len(values))
    return Floor(share if asked.norm == "trace" else np.sqrt(share), len(values), asked.n)
