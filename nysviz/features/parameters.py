"""Parameters in scikit-learn's manner, as numbers that nysviz works with."""

import secrets
from numbers import Integral
from typing import Any

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.kernels import Gaussian, default_width
from nysviz.refusal import Refusal


def default_kernel(rows: FloatArray) -> Gaussian:
    """Gaussian kernel of the default width of the data, (n, d)."""
    width = default_width(rows)
    # Where all rows are equal every width gives the same kernel matrix.
    return Gaussian.from_width(width) if width > 0 else Gaussian(1.0)


def seed_of(random_state: Any) -> int:
    """Seed of a generator: fresh for None, the number itself, else drawn from the generator given."""
    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, Integral):
        if random_state < 0:
            raise Refusal(f"random_state = {random_state}; a whole number from 0 is needed.")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise Refusal(f"random_state = {random_state!r}; an int, a RandomState, a Generator or None is needed.")
