from collections import Counter

import numpy as np
import pytest

import nysviz as nv
from nysviz import loops
from nysviz.landmarks.determinantal import dpp, dpp_exact
from nysviz.matrix import KernelMatrix
from tests import naive
from tests.landmarks.frequencies import EIGHT, p_value, sequences_drawn

X = np.random.default_rng(0).standard_normal((120, 3))


@pytest.mark.parametrize("start", ["uniform", "kmeanspp"])
def test_subsets_are_drawn_in_proportion_to_their_determinant(start):
    kernel = nv.Gaussian(0.8)
    probabilities = naive.subset_probabilities(kernel(EIGHT), 3)
    assert max(probabilities.values()) > 20 * min(probabilities.values())
    counts = Counter()
    for picks, count in sequences_drawn(dpp, EIGHT, kernel, 3, 1_500, steps=80, start=start).items():
        counts[tuple(sorted(picks))] += count
    assert p_value(counts, probabilities) > 1e-4


@pytest.mark.parametrize("m", [3, 7])
def test_exact_draws_from_the_eigenpairs(m):
    kernel = nv.Gaussian(0.8)
    dense = kernel(EIGHT)
    K = KernelMatrix(EIGHT, kernel, dense, naive.descending_eigh(dense))
    rng = np.random.default_rng(0)
    counts = Counter(tuple(sorted(map(int, dpp_exact(K, m, rng).pivots))) for _ in range(20_000))
    assert p_value(counts, naive.subset_probabilities(dense, m)) > 1e-3


def test_exact_where_no_float_holds_the_polynomials():
    """Thirty of forty rows of a diagonal K, whose products go up to 1e420."""
    values = np.geomspace(1e14, 1e6, 40)
    K = KernelMatrix(np.arange(40.0)[:, None], nv.Gaussian(1.0), np.diag(values), (values, np.eye(40)))
    rng = np.random.default_rng(0)
    drawn = np.bincount(np.concatenate([dpp_exact(K, 30, rng).pivots for _ in range(2_000)]), minlength=40)
    expected = naive.inclusion_of_independent(values, 30)
    assert drawn.sum() == 60_000 == pytest.approx(2_000 * expected.sum())
    assert (abs(drawn / 2_000 - expected) < 4.5 * np.sqrt(expected * (1 - expected) / 2_000) + 1e-3).all()


@pytest.mark.parametrize("m", [1, 15])
def test_the_loop_takes_the_steps_of_the_definition(m):
    rng = np.random.default_rng(m)
    K = nv.Laplacian(1.0)(X[:40])
    steps = 300
    inside, outside = np.arange(m), np.arange(m, 40)
    positions, slots = rng.integers(m, size=steps), rng.integers(40 - m, size=steps)
    uniforms = rng.random(steps)
    expected = naive.swap_chain(K, inside, outside, positions, slots, uniforms)
    inverse = np.linalg.inv(K[:m, :m])
    accepted = loops.swap_chain(K, inverse, inside, outside, positions, slots, uniforms)
    # A single landmark of a Laplacian kernel is as good as any other.
    assert 0 < accepted < steps or m == 1
    assert list(inside) == [int(i) for i in expected[0]]
    assert list(outside) == [int(i) for i in expected[1]]
    np.testing.assert_allclose(inverse, np.linalg.inv(K[np.ix_(inside, inside)]), rtol=1e-8, atol=1e-8)
