"""One measured number of an experiment, as ``reproduce`` writes it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A tidy row: which run, which measure, its value.

    Attributes
    ----------
    experiment, data : str
    n, d : int
        Size of the data set.
    method : str
    m : int
        Landmarks, or frequencies of random features.
    repeat : int
        From 0; a method without randomness has only that one.
    measure : str
        frobenius, spectral, trace, relative_frobenius, quantization, misalignment, test_error, mse, lift,
        relative_accuracy, bound or eigenvalue.
    value : float
    seconds : float
        Wall time of what the value measures; NaN where it was not taken.
    """

    experiment: str
    data: str
    n: int
    d: int
    method: str
    m: int
    repeat: int
    measure: str
    value: float
    seconds: float
