"""Methods that are made for some kernels only."""

import numpy as np
import pytest

import nysviz as nv

ROWS = np.random.default_rng(0).standard_normal((5, 2))


def refused(method: str, kernel: nv.kernels.Kernel) -> bool:
    """Whether the method is not made for the kernel; assert that it then says so in one sentence."""
    if nv.METHODS[method].suits(kernel):
        return False
    with pytest.raises(ValueError, match=rf"^{method} is made for the .* kernel only, .*\.$"):
        nv.approximate(ROWS, kernel, method, 2)
    with pytest.raises(ValueError, match=rf"^{method} is made for the .* kernel only, .*\.$"):
        nv.error_curve(ROWS, kernel, method, [2])
    return True
