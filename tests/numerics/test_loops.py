import numpy as np
import pytest

from nysviz.numerics import loops
from tests import naive


def semidefinite(n, rank, seed=0):
    B = np.random.default_rng(seed).standard_normal((n, rank))
    return B @ B.T


def in_order(W, most=np.inf):
    """Lᵀ, L⁻¹ and the points kept, by the loop."""
    triangle, inverse = np.zeros_like(W), np.zeros_like(W)
    kept = np.empty(len(W), dtype=np.intp)
    rank = loops.cholesky_in_order(W, 1e-12 * np.diag(W), most, triangle, inverse, kept)
    assert not triangle[rank:].any() and not inverse[rank:].any()
    return triangle[:rank, :rank], inverse[:rank, :rank], list(kept[:rank])


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [0, 0, 1, 2, 2, 3], [3, 1, 3, 1, 0]])
def test_cholesky_in_order_keeps_new_rank_only(order):
    K = semidefinite(5, 5)
    triangle, inverse, kept = in_order(K[np.ix_(order, order)])
    first = [i for i, p in enumerate(order) if p not in order[:i]]
    assert kept == first
    chosen = [order[i] for i in first]
    np.testing.assert_allclose(triangle.T, np.linalg.cholesky(K[np.ix_(chosen, chosen)]), atol=1e-12)
    np.testing.assert_allclose(inverse @ triangle.T, np.eye(len(first)), atol=1e-10)


@pytest.mark.parametrize("most", [1e4, 1e7, 1e10])
def test_cholesky_in_order_leaves_out_what_would_make_the_rest_singular(most):
    X = np.random.default_rng(0).standard_normal((20, 1))
    W = np.exp(-((X - X.T) ** 2) / 2)
    kept = in_order(W, most)[2]
    expected = []
    for i in range(20):
        part = W[np.ix_([*expected, i], [*expected, i])]
        if np.trace(part) * np.trace(np.linalg.inv(part)) < most:
            expected.append(i)
    assert kept == expected and 2 < len(kept) < 20


@pytest.mark.parametrize("limit", [2, 20])
def test_accept_proposals_is_rejection_one_by_one(limit):
    """Accepted with probability (residual given those accepted) / (residual at the start)."""
    rng = np.random.default_rng(3)
    K = semidefinite(6, 6)
    for _ in range(20):
        order = rng.integers(0, 6, 9)
        H = K[np.ix_(order, order)]
        uniforms = rng.random(9)
        expected = []
        for i, p in enumerate(order):
            rest = naive.residual_after(K, [order[j] for j in expected])[p, p]
            if len(expected) < limit and rest > 1e-9 and uniforms[i] < rest / K[p, p]:
                expected.append(i)
        L, kept = np.zeros_like(H), np.empty(9, dtype=np.intp)
        rank = loops.accept_proposals(H, uniforms, 1e-9, limit, L, kept)
        assert list(kept[:rank]) == expected
        triangle = L[np.ix_(kept[:rank], range(rank))]
        np.testing.assert_allclose(triangle, np.linalg.cholesky(H[np.ix_(expected, expected)]), atol=1e-10)


@pytest.mark.parametrize("part", [1.0, 0.4, 0.05, 0.0])
def test_filter_proposals_takes_pivots_until_little_is_left(part):
    K = semidefinite(7, 5)
    kept, chosen, residual = np.empty(7, dtype=np.intp), [], K
    rank = loops.filter_proposals(K, part, 1e-9, kept)
    while not chosen or residual.trace() > max(part * K.trace(), 1e-9):
        chosen.append(np.argmax(np.diag(residual)))
        residual = naive.residual_after(K, chosen)
    assert list(kept[:rank]) == chosen


@pytest.mark.parametrize(
    "f, g, best",
    [
        ([1.0, 3.0, 2.0], [1.0, 1.0, 1.0], 1),
        ([1.0, 2.0, 2.0], [1.0, 1.0, 1.0], 1),  # the first of equals
        ([1.0, 2.0, 2.0 + 1e-12], [1.0, 1.0, 1.0], 1),  # and of what rounding tells apart
        ([1.0, 2.0, 2.0 + 1e-9], [1.0, 1.0, 1.0], 2),
        ([1.0, 3.0, 9.0], [1.0, 1.0, 1e-3], 1),  # below the floor
        ([4.0, 3.0, 2.0], [1.0, 0.5, 0.25], 2),
        ([1.0, 1.0, 1.0], [1e-3, 0.0, 1e-9], -1),
        ([0.5, 0.05, 5.0], [0.5, 0.05, 5.0], 2),  # equal ratios: the largest g
        ([0.5, 0.05, 0.06], [0.5, 0.05, 0.05], 2),  # one that is clearly larger, of a small g
        ([0.5, 0.051, 0.05], [0.5, 0.05, 0.05], 0),  # and one that is not
    ],
)
def test_best_ratio(f, g, best):
    order = np.arange(3)
    assert loops.best_ratio(np.array(f), np.array(g), np.full(3, 5e-3), 1e-2, order) == best


@pytest.mark.parametrize("order, first", [([0, 1, 2, 3], 1), ([3, 2, 0, 1], 2), ([0, 2, 3, 1], 3)])
def test_the_first_of_equals_is_that_of_the_order(order, first):
    values, order = np.array([1.0, 2.0, 2.0 - 1e-12, 2.0]), np.array(order)
    assert loops.first_of_largest(values, order) == first
    assert loops.best_ratio(values, np.ones(4), np.zeros(4), 0.0, order) == first
