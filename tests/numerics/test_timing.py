"""Times that are compared: three runs of short work, one of long work."""

import pytest

from nysviz.numerics.timing import timed


@pytest.mark.parametrize(
    "seconds, expected, remark",
    [([0.3, 0.01, 0.02], 0.02, "median of 3"), ([0.4, 0.01, 0.02], 0.4, "one run")],
)
def test_the_median_of_three_runs_that_stay_below_a_second_or_one_run(seconds, expected, remark):
    runs = iter(enumerate(seconds))
    found = timed(lambda: next(runs))
    assert (found.result, found.seconds, found.remark) == (0, expected, remark)
