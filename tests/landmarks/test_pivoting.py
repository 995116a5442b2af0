import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks import pivoting
from nysviz.landmarks.pivoting import PartialCholesky, icd, rpcholesky
from nysviz.matrix import KernelMatrix
from tests import naive
from tests.landmarks.frequencies import p_value, sequences_drawn

X = np.random.default_rng(0).standard_normal((50, 3))
KERNELS = [nv.Gaussian(0.7), nv.Laplacian(1.0), nv.Polynomial(2), nv.Linear()]
FIVE = np.array([[0.0, 0], [0.3, 0], [0.2, 0.3], [2, 1], [3, -1]])
FORMS = ["simple", "accelerated"]


def select(method, kernel, m, rows=X, seed=0, **options):
    return method(KernelMatrix(rows, kernel), m, np.random.default_rng(seed), **options)


@pytest.mark.parametrize("kernel", KERNELS)
def test_icd_is_incomplete_cholesky(kernel):
    m = 3 if kernel == nv.Linear() else 9
    pivots, factor = naive.incomplete_cholesky(kernel(X), m)
    found = select(icd, kernel, m)
    assert list(found.pivots) == pivots
    np.testing.assert_allclose(found.factor, factor, atol=1e-9)


def test_rounding_does_not_choose_the_first_pivot():
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert np.ptp(nv.Linear().diag(unit)) > 0.0
    for seed in range(4):
        rows = unit[np.random.default_rng(seed).permutation(len(unit))]
        assert select(icd, nv.Linear(), 2, rows).pivots[0] == 0
    drawn = {nv.approximate(unit, nv.Linear(), "icd", 1, seed, first="random").pivots[0] for seed in range(9)}
    assert len(drawn) > 5


def test_icd_takes_the_first_of_equal_pivots():
    found = select(icd, nv.Gaussian(1e-3), 5)
    assert list(found.pivots) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_rpcholesky_factor_is_that_of_its_pivots(kernel, form):
    found = select(rpcholesky, kernel, 20, form=form)
    K = kernel(X)
    expected = naive.nystroem_of_pivots(K, list(found.pivots))
    assert naive.frobenius(found.factor @ found.factor.T - expected) < 1e-8 * naive.frobenius(K)
    triangle = found.factor[found.pivots]
    np.testing.assert_allclose(np.triu(triangle, 1), 0, atol=1e-12)
    assert (np.diag(triangle) > 0).all()


def test_a_chosen_row_is_reproduced_exactly():
    for found in (select(icd, KERNELS[0], 20), select(rpcholesky, KERNELS[0], 20, form="simple")):
        assert (np.triu(found.factor[found.pivots], 1) == 0).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", [nv.Gaussian(0.8), nv.Polynomial(2)])
def test_rpcholesky_draws_in_proportion_to_the_residual(kernel, form):
    probabilities = naive.sequence_probabilities(naive.rpcholesky_step(kernel(FIVE)), 3)
    counts = sequences_drawn(rpcholesky, FIVE, kernel, 3, 3_000, form=form)
    assert p_value(counts, probabilities) > 1e-4


def test_rpcholesky_over_several_rounds_has_the_same_distribution(monkeypatch):
    """Two proposals a round, so that the third pivot often comes from a second or third round."""
    monkeypatch.setattr(pivoting, "FIRST_PROPOSALS", 2)
    monkeypatch.setattr(pivoting, "MOST_PROPOSALS", 2)
    kernel = nv.Gaussian(0.8)
    probabilities = naive.sequence_probabilities(naive.rpcholesky_step(kernel(FIVE)), 3)
    counts = sequences_drawn(rpcholesky, FIVE, kernel, 3, 3_000)
    assert p_value(counts, probabilities) > 1e-4


def test_both_forms_reach_the_same_error_on_average():
    kernel = nv.Gaussian(1.0)
    means, spreads = [], []
    for form in FORMS:
        traces = [
            50 - (select(rpcholesky, kernel, 15, seed=s, form=form).factor ** 2).sum() for s in range(60)
        ]
        means.append(np.mean(traces))
        spreads.append(np.var(traces) / len(traces))
    assert abs(means[0] - means[1]) < 4 * np.sqrt(sum(spreads))


@pytest.mark.parametrize("method", [icd, rpcholesky])
def test_pivoting_stops_at_the_rank(method):
    rows = np.repeat(X[:4], 3, axis=0)
    found = select(method, nv.Gaussian(1.0), 9, rows)
    assert sorted(i // 3 for i in found.pivots) == [0, 1, 2, 3]
    assert found.notes == ("After 4 of 9 pivots the residual diagonal is at rounding; it stops there.",)
    assert found.factor.shape == (12, 4)


def test_the_residual_diagonal_is_kept_up_to_date():
    kernel = nv.Laplacian(1.0)
    K = kernel(X)
    partial = PartialCholesky(KernelMatrix(X, kernel), 6)
    for pivots in ([7], [3, 20], [11], [0, 49]):
        rest = naive.residual_after(K, list(partial.pivots[: partial.size]))
        if len(pivots) == 1:
            partial.add(pivots[0])
        else:
            np.testing.assert_allclose(partial.residual_rows(np.array(pivots)), rest[pivots], atol=1e-12)
            partial.add_block(np.array(pivots), np.linalg.cholesky(rest[np.ix_(pivots, pivots)]))
        rest = naive.residual_after(K, list(partial.pivots[: partial.size]))
        np.testing.assert_allclose(partial.residual, np.diag(rest), atol=1e-12)
        assert (partial.residual[partial.pivots[: partial.size]] == 0).all()
        assert (partial.residual >= 0).all()


def test_many_pivots_keep_their_digits():
    """All pivots of a matrix that falls to rounding: the factor must still reproduce it."""
    kernel = nv.Gaussian(1.5)
    K = kernel(X)
    for method in (icd, rpcholesky):
        G = select(method, kernel, 50).factor
        assert naive.frobenius(K - G @ G.T) < 1e-11 * naive.frobenius(K)
