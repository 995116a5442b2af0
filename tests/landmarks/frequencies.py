"""Are sequences drawn as often as their probabilities say?"""

from collections import Counter

import numpy as np
from scipy.stats import chisquare

from nysviz.kernels.matrix import KernelMatrix

LEAST_EXPECTED = 5.0
# Few rows, so that all sequences of picks can be listed; three of the first are close.
EIGHT = np.array([[0.0, 0], [0.3, 0], [0.2, 0.3], [2, 1], [3, -1], [2.5, 0.4], [0.1, 0.1], [-1.5, 0.5]])
FIVE, SIX = EIGHT[:5], EIGHT[:6]
RNG = np.random.default_rng(0)
# Eighty rows in a heap, and twelve far from all others: columns that are drawn at random miss these.
HEAP = np.vstack([0.1 * RNG.standard_normal((80, 3)), 20.0 * RNG.standard_normal((12, 3))])


def sequences_drawn(select, X, kernel, length, repeats, **options):
    """How often each sequence of picks occurs over generators of different seeds."""
    K = KernelMatrix(X, kernel, dense=kernel(X))
    runs = (select(K, length, np.random.default_rng(seed), **options).pivots for seed in range(repeats))
    return Counter(tuple(map(int, pivots)) for pivots in runs)


def p_value(counts, probabilities):
    """Chi-square test of the counts of outcomes against their probabilities, rare outcomes put together."""
    if any(probabilities.get(outcome, 0.0) <= 1e-12 for outcome in counts):
        return 0.0
    seen = np.array([counts.get(outcome, 0) for outcome in probabilities])
    expected = sum(counts.values()) * np.array(list(probabilities.values()))
    rare = expected < LEAST_EXPECTED
    seen, expected = (np.append(one[~rare], one[rare].sum()) for one in (seen, expected))
    enough = expected >= LEAST_EXPECTED
    seen, expected = seen[enough], expected[enough]
    return float(chisquare(seen, expected * seen.sum() / expected.sum()).pvalue)
