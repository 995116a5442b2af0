"""The factor from columns: the same whether its rows are handed out or not."""

import numpy as np
import pytest

import nysviz as nv
from nysviz.landmarks import nystroem

X = np.random.default_rng(1).standard_normal((900, 3))
# The narrow kernel has a safe Cholesky factor, the wide one loses rank.
KERNELS = {"narrow": nv.Gaussian(0.5), "wide": nv.Gaussian(30.0)}


@pytest.mark.parametrize("width", KERNELS)
def test_rows_handed_out_give_the_same_factor(width, monkeypatch):
    kernel = KERNELS[width]
    E, W = kernel(X, X[:40]), kernel(X[:40])
    at_once, projection, note = nystroem.nystroem_factor(E, W)
    assert bool(note) == (width == "wide")
    monkeypatch.setattr(nystroem, "MUCH_WORK", 0.0)
    handed_out, same_projection, _ = nystroem.nystroem_factor(E, W)
    np.testing.assert_allclose(handed_out, at_once, rtol=1e-9, atol=1e-10 * np.abs(at_once).max())
    np.testing.assert_array_equal(projection, same_projection)
    np.testing.assert_allclose(handed_out @ handed_out.T, E @ np.linalg.pinv(W, 1e-12) @ E.T, atol=1e-4)
