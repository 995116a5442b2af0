"""The gain of each row as the next landmark."""

import numpy as np

from nysviz.analysis.steps.record import Trace
from nysviz.numerics.blocks import FloatArray

# A residual below this part of K's largest entry is rounding.
LEAST_LEFT = 1e-12


def gains_of(K: FloatArray, trace: Trace) -> FloatArray:
    """Return each row's reduction of the trace error at each step, as a part of tr K; (T, n).

    Row i as a further landmark takes off Σ_j R_ji² / R_ii, where R = K − K̃ is the residual before the step.
    O(n² r) a step.
    """
    total = float(np.trace(K)) or 1.0
    threshold = LEAST_LEFT * float(np.abs(K.diagonal()).max(initial=0.0))
    gains = np.zeros((len(trace), len(K)))
    for t in range(len(trace)):
        G = trace.factor(t)
        R = K - G @ G.T
        diagonal = R.diagonal()
        is_open = diagonal > threshold
        squares = np.einsum("ji,ji->i", R, R)
        gains[t, is_open] = squares[is_open] / diagonal[is_open] / total
    return gains
