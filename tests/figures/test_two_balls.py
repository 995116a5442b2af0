"""The axes of the eigenvectors' charts have round numbers, and never a single one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nysviz.figures.two_balls import _nice_range, _ticks


@given(low=st.floats(-1.0, 1.0), width=st.floats(1e-4, 2.0))
def test_an_axis_has_two_or_three_ticks(low, width):
    start, end = _nice_range(low, low + width)
    ticks = _ticks(start, end)
    assert 2 <= len(ticks) <= 3
    apart = np.diff(ticks)
    assert (apart > 0).all() and apart.min() == pytest.approx(apart.max(), rel=1e-3)
    assert start < ticks[0] and ticks[-1] < end
