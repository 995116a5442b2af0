import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks import mixture
from tests import naive

X = np.random.default_rng(0).standard_normal((70, 4))
GAUSSIAN = nv.Gaussian(1.0)


@pytest.mark.parametrize("kernel, shares", [(GAUSSIAN, "uniform"), (nv.Polynomial(2), "ridge")])
def test_it_is_a_mixture_of_approximations(kernel, shares):
    a = nv.approximate(X, kernel, "ensemble", 6, experts=4, shares=shares)
    K = kernel(X)
    expected = naive.mixture(K, np.split(a.pivots, 4), a.shares)
    product = a.factor @ a.factor.T
    np.testing.assert_allclose(product, expected, atol=1e-8 * np.abs(K).max())
    np.testing.assert_allclose(a.transform(X) @ a.transform(X).T, product, atol=1e-8 * np.abs(K).max())
    if shares == "uniform":
        np.testing.assert_allclose(a.shares, 0.25)


@pytest.mark.parametrize("rows", [7, 1_000])
def test_fitted_shares_minimise_the_penalised_error(rows, monkeypatch):
    """First-order conditions of least squares with μ ≥ 0."""
    monkeypatch.setattr(mixture, "rows_per_block", lambda n, columns: rows)
    kernel, seed = GAUSSIAN, 1
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
