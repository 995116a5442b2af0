"""Gaussian processes: against scikit-learn, the plain twins and the theorems on their bounds."""

import numpy as np
import pytest
from scipy import stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

import nysviz as nv
from nysviz.analysis.learning.gaussian_process import exact_process, sparse_process
from tests import naive

RNG = np.random.default_rng(4)
X, NEW = RNG.standard_normal((120, 2)), RNG.standard_normal((15, 2))
Y, Y_NEW = (np.sin(2 * x[:, 0]) + 0.3 * RNG.standard_normal(len(x)) for x in (X, NEW))
KERNEL, NOISE = nv.Gaussian(0.9), 0.09


def test_the_exact_process_is_scikit_learns():
    peer = GaussianProcessRegressor(ConstantKernel(1.0) * RBF(0.9), alpha=NOISE, optimizer=None).fit(X, Y)
    mean, deviation = peer.predict(NEW, return_std=True)
    found = exact_process(X, Y, KERNEL, NOISE)
    assert found.evidence == found.upper == pytest.approx(peer.log_marginal_likelihood_value_, rel=1e-9)
    np.testing.assert_allclose(found.posterior(NEW), [mean, deviation**2], rtol=1e-7, atol=1e-9)
    density = stats.norm(mean, np.sqrt(deviation**2 + NOISE)).logpdf(Y_NEW)
    assert found.nlpd(NEW, Y_NEW) == pytest.approx(-density.mean(), rel=1e-9)


@pytest.mark.parametrize("method", ["uniform", "kmeans", "rpcholesky", "greedy"])
@pytest.mark.parametrize("m", [3, 15])
def test_inducing_points_are_those_of_the_twin_and_bound_the_evidence(method, m):
    a, K = nv.approximate(X, KERNEL, method, m), KERNEL(X)
    E, W = KERNEL(X, a.landmarks), KERNEL(a.landmarks)
    found, exact = sparse_process(X, Y, a, NOISE), exact_process(X, Y, KERNEL, NOISE)
    assert found.evidence == pytest.approx(naive.variational_bound(K, E, W, Y, NOISE), rel=1e-7)
    assert found.trace_term == pytest.approx(np.trace(K - naive.nystroem(E, W)) / (2 * NOISE), rel=1e-7)
    slow = naive.inducing_posterior(E, W, KERNEL(a.landmarks, NEW), KERNEL.diag(NEW), Y, NOISE)
    np.testing.assert_allclose(found.posterior(NEW), slow, rtol=1e-6, atol=1e-7)
    assert found.evidence < exact.evidence < found.upper
    # Burt, Rasmussen & van der Wilk 2019: the gap is at most t/(2σ²) (1 + ‖y‖²/(σ² + t)).
    rest = 2 * NOISE * found.trace_term
    assert exact.evidence - found.evidence <= found.trace_term * (1 + Y @ Y / (NOISE + rest))


@pytest.mark.parametrize("method", ["uniform", "svd"])
def test_with_all_rows_the_process_is_exact(method):
    exact = exact_process(X, Y, KERNEL, NOISE)
    found = sparse_process(X, Y, nv.approximate(X, KERNEL, method, len(X)), NOISE)
    assert [found.evidence, found.upper] == pytest.approx([exact.evidence] * 2, rel=1e-6)
    np.testing.assert_allclose(found.posterior(NEW), exact.posterior(NEW), rtol=1e-5, atol=1e-6)
