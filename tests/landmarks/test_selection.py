import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks.selection import Option, draw_distinct
from tests import naive
from tests.landmarks.frequencies import p_value


def test_draw_distinct_draws_one_after_the_other():
    weights = np.array([0.5, 3.0, 0.0, 1.0, 2.0])
    counts = {}
    for seed in range(4_000):
        picks = tuple(int(i) for i in draw_distinct(weights, 3, np.random.default_rng(seed)))
        counts[picks] = counts.get(picks, 0) + 1
    step = lambda chosen: naive.without_replacement_step(weights, chosen)  # noqa: E731
    assert p_value(counts, naive.sequence_probabilities(step, 3)) > 1e-4


def test_draw_distinct_of_fewer_is_a_prefix_and_never_padded():
    weights = np.array([0.0, 1e-300, 2.0, 0.0, 1.0])
    most = draw_distinct(weights, 5, np.random.default_rng(0))
    assert sorted(most) == [1, 2, 4]
    for count in range(4):
        assert list(draw_distinct(weights, count, np.random.default_rng(0))) == list(most[:count])
    assert len(draw_distinct(np.zeros(4), 2, np.random.default_rng(0))) == 0


WHOLE = Option("steps", "steps", 5, bounds=(1, 10))
REAL = Option("ridge", "ridge", 1.0, bounds=(0.5, 2.0))
CHOICE = Option("form", "form", "a", choices=("a", "b"))


@pytest.mark.parametrize(
    "option, value",
    [
        (WHOLE, 1),
        (WHOLE, 10),
        (WHOLE, np.int64(3)),
        (REAL, 2),
        (REAL, 0.5),
        (REAL, np.float64(1.5)),
        (CHOICE, "b"),
    ],
)
def test_options_that_are_fine(option, value):
    option.check(value)


@pytest.mark.parametrize(
    "option, value, needed",
    [
        (WHOLE, 0, "a whole number from 1 to 10"),
        (WHOLE, 11, "a whole number from 1 to 10"),
        (WHOLE, 2.5, "a whole number from 1 to 10"),
        (WHOLE, True, "a whole number from 1 to 10"),
        (WHOLE, "3", "a whole number from 1 to 10"),
        (REAL, 2.1, "a number from 0.5 to 2"),
        (REAL, float("nan"), "a number from 0.5 to 2"),
        (REAL, None, "a number from 0.5 to 2"),
        (CHOICE, "c", "one of 'a', 'b'"),
        (CHOICE, 1, "one of 'a', 'b'"),
    ],
)
def test_options_that_are_not(option, value, needed):
    with pytest.raises(ValueError, match=f"{option.name} = .*; {needed} is needed."):
        option.check(value)


@pytest.mark.parametrize(
    "method, option", [(name, o) for name, entry in nv.METHODS.items() for o in entry.options]
)
def test_every_option_is_checked_before_the_work_and_obeyed(method, option):
    X = np.random.default_rng(0).standard_normal((40, 3))
    with pytest.raises(ValueError, match=f"{option.name} = "):
        nv.approximate(X, nv.Gaussian(1.0), method, 5, **{option.name: "nonsense"})
    for value in option.choices or option.bounds:
        if method != "dpp" or not isinstance(value, int) or value < 10_000:
            a = nv.approximate(X, nv.Gaussian(1.0), method, 5, **{option.name: value})
            assert a.rank >= 1
