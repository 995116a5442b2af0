import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks import mixture
from nysviz.matrix import KernelMatrix
from tests import naive

X = np.random.default_rng(0).standard_normal((70, 4))
KERNELS = [nv.Gaussian(1.0), nv.Laplacian(1.0), nv.Polynomial(2), nv.Linear()]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shares", ["uniform", "ridge"])
def test_it_is_a_mixture_of_approximations(kernel, shares):
    a = nv.approximate(X, kernel, "ensemble", 6, experts=4, shares=shares)
    K = kernel(X)
    expected = naive.mixture(K, np.split(a.pivots, 4), a.shares)
    product = a.factor @ a.factor.T
    np.testing.assert_allclose(product, expected, atol=1e-8 * np.abs(K).max())
    np.testing.assert_allclose(a.transform(X) @ a.transform(X).T, product, atol=1e-8 * np.abs(K).max())
    if shares == "uniform":
        np.testing.assert_allclose(a.shares, 0.25)


def test_one_expert_is_uniform_sampling():
    one = nv.approximate(X, KERNELS[0], "ensemble", 9, 4, experts=1)
    uniform = nv.approximate(X, KERNELS[0], "uniform", 9, 4)
    assert list(one.pivots) == list(uniform.pivots)
    np.testing.assert_allclose(one.factor @ one.factor.T, uniform.factor @ uniform.factor.T, atol=1e-12)
    assert one.kernel_evaluations == uniform.kernel_evaluations


def test_every_expert_draws_its_own_rows_uniformly():
    counts = np.zeros(10)
    for seed in range(400):
        pivots = mixture.ensemble(KernelMatrix(X[:10], KERNELS[0]), 3, np.random.default_rng(seed), 2).pivots
        counts += np.bincount(pivots, minlength=10)
    assert (abs(counts - 240) < 5 * np.sqrt(240)).all()


@pytest.mark.parametrize("rows", [7, 1_000])
def test_fitted_shares_minimise_the_penalised_error(rows, monkeypatch):
    """First-order conditions of least squares with μ ≥ 0."""
    monkeypatch.setattr(mixture, "rows_per_block", lambda n, columns: rows)
    kernel, seed = KERNELS[0], 1
    a = nv.approximate(X, kernel, "ensemble", 5, seed, experts=5, shares="ridge")
    rng = np.random.default_rng(seed)
    parts = [rng.permutation(70)[:5] for _ in range(5)]
    # Columns that no expert reproduces by itself come first.
    order = rng.permutation(70)
    sample = [i for i in order if i not in set(np.concatenate(parts))][: mixture.FITTED_COLUMNS]
    assert len(sample) == 20
    K = kernel(X)
    seen = np.array([naive.nystroem_of_pivots(K, list(part))[:, sample].ravel() for part in parts])
    penalty = mixture.RIDGE * sum((row**2).sum() for row in seen) / 5
    slope = seen @ (a.shares @ seen - K[:, sample].ravel()) + penalty * a.shares
    scale = np.abs(seen @ K[:, sample].ravel()).max()
    assert (a.shares >= 0).all() and (a.shares > 0).any()
    assert (slope >= -1e-9 * scale).all()
    np.testing.assert_allclose(slope[a.shares > 0], 0, atol=1e-9 * scale)


def test_shares_are_fitted_to_landmarks_too_where_no_other_rows_are_left(monkeypatch):
    asked = []
    columns = KernelMatrix.columns
    monkeypatch.setattr(KernelMatrix, "columns", lambda K, rows: asked.append(rows) or columns(K, rows))
    a = nv.approximate(X, KERNELS[0], "ensemble", 30, 2, experts=3, shares="ridge")
    left = np.setdiff1d(np.arange(70), a.pivots)
    sample = asked[-1]
    assert 0 < len(left) < 20 == len(set(sample))
    assert set(sample[: len(left)]) == set(left) and (a.shares > 0).any()


def test_fitted_shares_beat_equal_ones_in_the_frobenius_norm():
    ratios = []
    for seed in range(10):
        found = {
            shares: nv.errors(
                X, KERNELS[0], nv.approximate(X, KERNELS[0], "ensemble", 8, seed, shares=shares)
            )
            for shares in ("uniform", "ridge")
        }
        ratios.append(found["ridge"].frobenius / found["uniform"].frobenius)
    assert np.mean(ratios) < 1


def indefinite():
    runs = (nv.approximate(X, KERNELS[0], "ensemble", 4, s, shares="ridge") for s in range(20))
    return next(a for a in runs if not a.residual_is_psd)


def test_the_nuclear_norm_of_an_indefinite_residual(monkeypatch):
    a = indefinite()
    rest = KERNELS[0](X) - a.factor @ a.factor.T
    assert a.shares.sum() > 1 and np.linalg.eigvalsh(rest).min() < -1e-6
    found = nv.errors(X, KERNELS[0], a)
    np.testing.assert_allclose(found.trace, naive.nuclear(rest), rtol=1e-9)
    np.testing.assert_allclose(found.relative_trace, naive.nuclear(rest) / 70, rtol=1e-9)
    monkeypatch.setattr("nysviz.measures.exact.NUCLEAR_ROWS", 69)
    beyond = nv.errors(X, KERNELS[0], a)
    assert np.isnan(beyond.trace) and np.isnan(beyond.relative_trace)
    assert beyond.frobenius == found.frobenius


def test_equal_shares_leave_a_semidefinite_residual():
    a = nv.approximate(X, KERNELS[0], "ensemble", 8)
    rest = KERNELS[0](X) - a.factor @ a.factor.T
    assert a.residual_is_psd and np.linalg.eigvalsh(rest).min() > -1e-12
    np.testing.assert_allclose(nv.errors(X, KERNELS[0], a).trace, naive.nuclear(rest), rtol=1e-9)


def test_a_mixture_has_no_single_w():
    a = nv.approximate(X, KERNELS[0], "ensemble", 8)
    with pytest.raises(ValueError, match="no single W"):
        a.eigh(form="extension")
    best = a.truncate(3)
    assert best.rank == 3
    np.testing.assert_allclose(
        best.factor @ best.factor.T, naive.best_of_rank(a.factor @ a.factor.T, 3), atol=1e-10
    )
    np.testing.assert_allclose(a.truncate(3, how="landmark").factor, best.factor)
