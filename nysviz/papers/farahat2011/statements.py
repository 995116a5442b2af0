"""What the paper says of its figure 1, as comparisons that a run can hold or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray

Values = Mapping[int, Mapping[str, FloatArray]]


@dataclass(frozen=True)
class Statement:
    """One method is said to be ahead of another: more accurate, or faster; ``where`` if not everywhere."""

    ahead: str
    behind: str
    measure: str
    where: str = ""

    @property
    def larger_is_ahead(self) -> bool:
        """Accuracy should be large, seconds small."""
        return self.measure != "seconds"


MOST = "on most sets"
# Section 4: greedy improves significantly on the sampling methods and for most sets on SGMA and k-means;
# the partition-based one outperforms all other adaptive and deterministic sampling methods.
ACCURACY = (
    *(
        Statement(ahead, behind, "relative_accuracy", MOST if (ahead, behind) == ("greedy", "sgma") else "")
        for ahead in ("greedy", "partition_greedy")
        for behind in ("uniform", "adaptive_full", "adaptive_partial", "sgma")
    ),
    Statement("greedy", "kmeans", "relative_accuracy", MOST),
)
# Section 4: greedy is more efficient than SGMA and AdaptFull and less than uniform and AdaptPart.
SECONDS = (
    Statement("greedy", "sgma", "seconds"),
    Statement("greedy", "adaptive_full", "seconds"),
    Statement("uniform", "greedy", "seconds"),
    Statement("adaptive_partial", "greedy", "seconds"),
)


@dataclass(frozen=True)
class Verdict:
    """At how many of the numbers of columns a statement holds, and both means at the middle one, ``at``."""

    statement: Statement
    holds: int
    of: int
    at: int
    ahead: float
    behind: float

    @property
    def reproduced(self) -> bool:
        """Whether it holds at most numbers of columns."""
        return 2 * self.holds > self.of


def verdicts(values: Values, statements: tuple[Statement, ...]) -> list[Verdict]:
    """Compare the means (of seconds the medians) of each pair wherever both have runs."""
    found = []
    for statement in statements:
        middle = np.mean if statement.larger_is_ahead else np.median
        pairs = [
            (m, float(middle(methods[statement.ahead])), float(middle(methods[statement.behind])))
            for m, methods in sorted(values.items())
            if statement.ahead in methods and statement.behind in methods
        ]
        if pairs:
            sign = 1.0 if statement.larger_is_ahead else -1.0
            holds = sum(sign * a > sign * b for _, a, b in pairs)
            found.append(Verdict(statement, holds, len(pairs), *pairs[(len(pairs) - 1) // 2]))
    return found
