"""What the data themselves suggest: how far apart the rows are, which bandwidth and how many landmarks suit.

Everything here costs the same for 500 000 rows as for 5 000, but for one pass over the rows: distances and
errors come from samples, and each number says how far the sample may have moved it.
"""

from nysviz.suggestion.bandwidth import WORTH, Bandwidth, standard_bandwidths, suggested
from nysviz.suggestion.columns import Columns, columns, repeated_rows
from nysviz.suggestion.distances import (
    DISTANCE_ROWS,
    PERCENTILES,
    REPEATED,
    Distances,
    Percentile,
    pairwise_distances,
)
from nysviz.suggestion.trial import (
    FIRST_LANDMARKS,
    MOST_LANDMARKS,
    TARGETS,
    TRIAL_ROWS,
    TRIALS,
    Landmarks,
    Trials,
    enough_landmarks,
    trials,
)

__all__ = [
    "DISTANCE_ROWS",
    "FIRST_LANDMARKS",
    "MOST_LANDMARKS",
    "PERCENTILES",
    "REPEATED",
    "TARGETS",
    "TRIALS",
    "TRIAL_ROWS",
    "WORTH",
    "Bandwidth",
    "Columns",
    "Distances",
    "Landmarks",
    "Percentile",
    "Trials",
    "columns",
    "enough_landmarks",
    "pairwise_distances",
    "repeated_rows",
    "standard_bandwidths",
    "suggested",
    "trials",
]
