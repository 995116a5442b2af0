import numpy as np
import pytest
from scipy import stats

from nysviz.papers.zhang2008.figure2 import FEWEST_RUNS, correlation

RNG = np.random.default_rng(0)
X = RNG.standard_normal(60)
Y = X**3 + RNG.standard_normal(60)
GROUPS = np.repeat([0, 1, 2], 20)


def test_correlations_are_scipys():
    found = correlation(X, Y)
    assert found.runs == 60
    assert found.spearman == pytest.approx(stats.spearmanr(X, Y).statistic, abs=1e-12)
    assert found.pearson == pytest.approx(stats.pearsonr(X, Y).statistic, abs=1e-12)
    tied = np.round(X), np.round(Y)
    assert correlation(*tied).spearman == pytest.approx(stats.spearmanr(*tied).statistic, abs=1e-12)


@pytest.mark.parametrize("name", ["spearman", "pearson"])
def test_intervals_are_those_of_scipys_bootstrap(name):
    statistic = {"spearman": stats.spearmanr, "pearson": stats.pearsonr}[name]
    peer = stats.bootstrap(
        (X, Y),
        lambda x, y: statistic(x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=1_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    np.testing.assert_allclose(getattr(correlation(X, Y), f"{name}_interval"), peer, atol=0.03)


def test_too_few_runs_or_no_spread_are_not_a_number():
    assert np.isnan(correlation(X[:1], Y[:1]).spearman) and correlation(X[:0], Y[:0]).runs == 0
    few = correlation(X[: FEWEST_RUNS - 1], Y[: FEWEST_RUNS - 1])
    assert not np.isnan(few.spearman) and np.isnan(few.spearman_interval).all()
    # A method whose runs are all the same but for rounding has no correlation to show.
    same = 5.0 + 1e-15 * X
    for found in (correlation(same, Y), correlation(Y, np.full(60, 2.0))):
        assert np.isnan(found.spearman) and np.isnan(found.pearson)
        assert np.isnan([*found.spearman_interval, *found.pearson_interval]).all()
