import numpy as np
import pytest
from scipy import stats

from nysviz.papers.zhang2008.correlation import FEWEST_RUNS, correlation, within

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
        n_resamples=2_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    np.testing.assert_allclose(getattr(correlation(X, Y), f"{name}_interval"), peer, atol=0.03)


def test_bootstrap_samples_are_drawn_within_groups():
    """Two groups far apart, each without spread: the correlation is 1 in every sample that has both."""
    x, groups = np.repeat([0.0, 1.0], 6), np.repeat([0, 1], 6)
    assert correlation(x, 3 * x, groups).pearson_interval == pytest.approx((1, 1))
    assert correlation(x, 3 * x, groups).spearman_interval == pytest.approx((1, 1))


def test_too_few_runs_or_no_spread_are_not_a_number():
    assert np.isnan(correlation(X[:1], Y[:1]).spearman) and correlation(X[:0], Y[:0]).runs == 0
    few = correlation(X[: FEWEST_RUNS - 1], Y[: FEWEST_RUNS - 1])
    assert not np.isnan(few.spearman) and np.isnan(few.spearman_interval).all()
    # A method whose runs are all the same but for rounding has no correlation to show.
    same = 5.0 + 1e-15 * X
    for found in (correlation(same, Y), correlation(Y, np.full(60, 2.0))):
        assert np.isnan(found.spearman) and np.isnan(found.pearson)
        assert np.isnan([*found.spearman_interval, *found.pearson_interval]).all()


def test_deviations_within_groups():
    x, y = within(X, Y, GROUPS)
    for group in range(3):
        mine = group == GROUPS
        np.testing.assert_allclose(x[mine], X[mine] - X[mine].mean(), atol=1e-14)
        np.testing.assert_allclose(y[mine], Y[mine] - Y[mine].mean(), atol=1e-14)
    # A relation between groups alone is gone.
    shifted = within(X + 100 * GROUPS, RNG.standard_normal(60) + 100 * GROUPS, GROUPS)
    assert abs(correlation(*shifted).pearson) < 0.4
    assert correlation(X + 100 * GROUPS, Y + 100 * GROUPS).pearson > 0.9
