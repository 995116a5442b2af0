"""The bandwidths that the papers call standard, and which of them is affordable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nysviz.advice.dense_rows import dense_rows
from nysviz.advice.distances import Distances
from nysviz.advice.trial import Landmarks
from nysviz.blocks import FloatArray
from nysviz.kernels import default_width

# Landmarks are worth their rows up to this part of them: Zhang, Tsang and Kwok 2008, figure 1, ends there.
WORTH = 0.1


@dataclass(frozen=True)
class Bandwidth:
    """A bandwidth that a paper calls standard, as σ in the units of the distances."""

    rule: Literal["default width", "median", "far end"]
    sigma: float


def standard_bandwidths(X: FloatArray, distances: Distances) -> tuple[Bandwidth, ...]:
    """The papers' standard choices, narrowest first.

    σ = √(width/2) of Zhang's default width, the mean squared distance to the mean; σ = √q of the median and
    of the 99th percentile of the squared distances, the middle and the wide end of Oglic's range.

    Raises
    ------
    ValueError
        When all rows are equal.
    """
    width = default_width(dense_rows(X))
    if not (width > 0 and len(distances.squares)):
        raise ValueError(
            "All rows are equal, or all but, so the data suggest no bandwidth; choose other data."
        )
    found = (
        Bandwidth("default width", math.sqrt(width / 2.0)),
        Bandwidth("median", math.sqrt(distances.median.value)),
        Bandwidth("far end", math.sqrt(distances.far.value)),
    )
    return tuple(sorted(found, key=lambda one: one.sigma))


def suggested(found: Sequence[Landmarks], n: int) -> int | None:
    """Choose among bandwidths, narrowest first, by the landmarks that each needs; None where all fall short.

    The narrowest one keeps most of what tells rows apart, and needs most landmarks. So: the narrowest that
    needs at most ``WORTH`` of the rows, or else the one that needs fewest.

    Parameters
    ----------
    found : sequence of Landmarks
        In the order of ``standard_bandwidths``, all for the same error.
    n : int
        Rows of the data.

    Returns
    -------
    int or None
        An index of ``found``.
    """
    needed = [one.m for one in found]
    for index, m in enumerate(needed):
        if m is not None and m <= WORTH * n:
            return index
    reached = [index for index, m in enumerate(needed) if m is not None]
    return min(reached, key=lambda index: needed[index] or 0) if reached else None
