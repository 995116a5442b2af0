"""What each row would have been worth as the next landmark."""

import numpy as np

from nysviz.analysis.steps.record import Trace
from nysviz.numerics.blocks import FloatArray

# A row of which less than this part of K's largest entry is left adds nothing but rounding.
LEAST_LEFT = 1e-12


def gains_of(K: FloatArray, trace: Trace) -> FloatArray:
    """Return what each row would take off the trace error at each step, as a part of tr K; (T, n).

    Row i as a further landmark takes off Σ_j R_ji² / R_ii, where R = K − K̃ is what the landmarks before the
    step leave. O(n² r) a step.
    """
    total = float(np.trace(K)) or 1.0
    least = LEAST_LEFT * float(np.abs(K.diagonal()).max(initial=0.0))
    gains = np.zeros((len(trace), len(K)))
    for t in range(len(trace)):
        G = trace.factor(t)
        rest = K - G @ G.T
        left = rest.diagonal()
        is_left = left > least
        squares = np.einsum("ji,ji->i", rest, rest)
        gains[t, is_left] = squares[is_left] / left[is_left] / total
    return gains
