"""Rows drawn or chosen by determinants: of blocks of K, and of its leading eigenvectors."""

from collections import Counter

import numpy as np
import pytest

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import eigenvector_pivoting
from nysviz.landmarks.determinantal import dpp, dpp_exact
from nysviz.landmarks.eigenvector_pivoting import arp, osinsky
from nysviz.numerics import loops
from tests import naive
from tests.landmarks.frequencies import EIGHT, HEAP, SIX, p_value, sequences_drawn

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


@pytest.mark.parametrize("method, m, draws", [(dpp_exact, 3, 9_000), (dpp_exact, 7, 9_000), (arp, 3, 8_000)])
def test_draws_from_the_eigenpairs(method, m, draws):
    kernel = nv.Gaussian(0.8)
    dense = kernel(EIGHT)
    K = KernelMatrix(EIGHT, kernel, dense, naive.descending_eigh(dense))
    if method is arp:
        probabilities = naive.projection_probabilities(naive.descending_eigh(dense)[1][:, :m])
    else:
        probabilities = naive.subset_probabilities(dense, m)
    rng = np.random.default_rng(0)
    counts = Counter(tuple(sorted(map(int, method(K, m, rng).pivots))) for _ in range(draws))
    assert p_value(counts, probabilities) > 1e-3


def lengths(pick, n):
    """Lengths of the parts of [0, 1) on which ``pick``, which ascends, is each of n rows."""

    def end(row):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if pick(middle) <= row else (low, middle)
        return high

    ends = np.array([0.0, *(end(row) for row in range(n))])
    return np.diff(ends), (ends[:-1] + ends[1:]) / 2


class Numbers:
    """A generator that draws these numbers."""

    def __init__(self, normals, uniforms):
        self.normals, self.uniforms = normals, uniforms

    def standard_normal(self, shape):
        return self.normals[:, : shape[1]]

    def random(self, count):
        return np.array(self.uniforms)[:count]


@pytest.mark.parametrize("columns", [2, 3])
def test_two_rows_of_a_sketch_have_the_probabilities_of_its_basis(columns, monkeypatch):
    """All 15 sets of two of six rows, to ten digits; and the mean error of the oblique projections."""
    monkeypatch.setattr(eigenvector_pivoting, "OVERSAMPLING", columns - 2)
    K, normals = KernelMatrix(SIX, nv.Gaussian(0.8)), np.random.default_rng(4).standard_normal((6, 6))

    def pivots(*uniforms):
        return arp(K, 2, Numbers(normals, uniforms), basis="sketch").pivots

    found = Counter()
    for first, (share, u) in enumerate(zip(*lengths(lambda u: pivots(u, 0.5)[0], 6), strict=True)):
        for second, part in enumerate(lengths(lambda v, u=u: pivots(u, v)[1], 6)[0]):
            found[tuple(sorted((first, second)))] += share * part
    # The leading vectors of K̃ = KΩ (ΩᵀKΩ)⁻¹ (KΩ)ᵀ.
    images = K.full() @ normals[:, :columns]
    inner = normals[:, :columns].T @ images
    V = naive.descending_eigh(images @ np.linalg.inv(inner) @ images.T)[1][:, :2]
    expected = naive.projection_probabilities(V)
    assert {J: found[J] for J in expected} == pytest.approx(expected, abs=1e-10)
    assert sum(found.values()) == pytest.approx(1.0)
    for A in (K.full(), naive.square_root(K.full())):
        mean = sum(p * (naive.oblique_rest(A, V, J) ** 2).sum() for J, p in expected.items())
        assert mean == pytest.approx(3 * ((A - A @ V @ V.T) ** 2).sum())


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


@pytest.mark.parametrize("start", ["uniform", "kmeanspp"])
@pytest.mark.parametrize("sigma", [1.0, 3.0])
def test_a_matrix_at_hand_does_not_change_the_swaps_of_a_singular_w(sigma, start):
    kernel = nv.Gaussian(sigma)
    for seed in range(4):
        rows = np.random.default_rng(seed).standard_normal((200, 2))
        asked, held = KernelMatrix(rows, kernel), KernelMatrix(rows, kernel, kernel(rows))
        runs = [dpp(K, 40, np.random.default_rng(seed), start=start) for K in (asked, held)]
        assert np.array_equal(runs[0].pivots, runs[1].pivots)
        assert asked.evaluations == held.evaluations


def trace_error(method, m, kernel, seed=0, **options):
    a = nv.approximate(HEAP, kernel, method, m, seed, **options)
    return kernel.diag(HEAP).sum() - (a.factor**2).sum()


@pytest.mark.parametrize("m", [20, 30])
def test_both_keep_within_the_factor_where_uniform_rows_do_not(m):
    kernel = nv.Gaussian(1.0)
    bound = (m + 1) * naive.descending_eigh(kernel(HEAP))[0][m:].sum()
    assert np.mean([trace_error("arp", m, kernel, seed) for seed in range(20)]) < bound
    # A sketch's basis holds nearly as much as the eigenvectors, which the columns of random rows do not.
    assert np.mean([trace_error("arp", m, kernel, seed, basis="sketch") for seed in range(20)]) < bound
    assert trace_error("osinsky", m, kernel) < bound
    assert np.mean([trace_error("uniform", m, kernel, seed) for seed in range(20)]) > bound


@pytest.mark.parametrize("kernel", [nv.Gaussian(1.0), nv.Laplacian(2.0), nv.Polynomial(3)])
@pytest.mark.parametrize("seed", range(6))
def test_without_chance_each_row_has_the_least_expected_error(kernel, seed):
    rows = np.random.default_rng(seed).standard_normal((10, 3))
    found = osinsky(KernelMatrix(rows, kernel), 5, np.random.default_rng(0)).pivots
    assert [int(i) for i in found] == naive.osinsky(kernel(rows), 5)
