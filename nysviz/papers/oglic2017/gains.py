"""What lifts over several repeats amount to: their mean, their spread, and whether they differ from 1."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.papers.oglic2017.lift import Cell, Lifts
from nysviz.sweep.ranking import paired_p, significant

# Below so many pairs a signed-rank test cannot reach 5 %.
FEWEST_PAIRS = 6


@dataclass(frozen=True)
class Gain:
    """The lift of one scheme at one cell over its repeats.

    Attributes
    ----------
    mean : float
        Geometric: a ratio and its inverse then count alike.
    low, high : float
        One standard deviation of the logarithm below and above; the mean itself for a single run.
    p : float
        Of a two-sided Wilcoxon signed-rank test of log lift against 0; NaN below ``FEWEST_PAIRS`` runs.
    runs : int
    """

    mean: float
    low: float
    high: float
    p: float
    runs: int


def gain(values: FloatArray) -> Gain:
    """Summarise the lifts of one scheme at one cell."""
    logs = np.log(values)
    middle = float(logs.mean())
    spread = float(logs.std(ddof=1)) if len(logs) > 1 else 0.0
    p = paired_p(logs, np.zeros(len(logs))) if len(logs) >= FEWEST_PAIRS else math.nan
    return Gain(math.exp(middle), math.exp(middle - spread), math.exp(middle + spread), p, len(logs))


def gains(found: Lifts, scheme: str) -> dict[Cell, Gain]:
    """Summaries of a scheme at every cell that has runs of it."""
    return {cell: gain(values[scheme]) for cell, values in found.items() if scheme in values}


def clearly(of: dict[Cell, Gain]) -> dict[Cell, int]:
    """+1 where the lift is above 1 by more than chance, −1 where below, else 0; Holm over the cells."""
    sure = significant([one.p for one in of.values()])
    return {
        cell: (1 if one.mean > 1 else -1) if yes else 0
        for (cell, one), yes in zip(of.items(), sure, strict=True)
    }
