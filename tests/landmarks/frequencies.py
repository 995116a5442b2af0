"""Are sequences drawn as often as their probabilities say?"""

from collections import Counter

import numpy as np
from scipy.stats import chisquare

from nysviz.matrix import KernelMatrix

LEAST_EXPECTED = 5.0


def sequences_drawn(select, X, kernel, length, repeats, **options):
    """How often each sequence of picks occurs over generators of different seeds."""
    K = KernelMatrix(X, kernel, dense=kernel(X))
    runs = (select(K, length, np.random.default_rng(seed), **options).pivots for seed in range(repeats))
    return Counter(tuple(map(int, pivots)) for pivots in runs)


def p_value(counts, probabilities):
    """Chi-square test of the counts of outcomes against their probabilities, rare outcomes put together."""
    total = sum(counts.values())
    impossible = [outcome for outcome in counts if probabilities.get(outcome, 0.0) <= 1e-12]
    if impossible:
        return 0.0
    expected, seen, rare = [], [], np.zeros(2)
    for outcome, probability in probabilities.items():
        pair = np.array([total * probability, counts.get(outcome, 0)])
        if pair[0] < LEAST_EXPECTED:
            rare += pair
        else:
            expected.append(pair[0])
            seen.append(pair[1])
    if rare[0] >= LEAST_EXPECTED:
        expected.append(rare[0])
        seen.append(rare[1])
    expected = np.array(expected) * sum(seen) / sum(expected)
    return float(chisquare(seen, expected).pvalue)
