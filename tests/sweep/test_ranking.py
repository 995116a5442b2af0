"""Values by method, tests of their differences, and mean ranks: against scipy and published ones."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

from nysviz.sweep.ranking import critical_difference, friedman, paired_p, ranked, significant

RNG = np.random.default_rng(0)


def test_paired_p_is_that_of_wilcoxon():
    a, b = RNG.random(12), RNG.random(12)
    assert paired_p(a, b) == wilcoxon(a, b).pvalue
    assert paired_p(a, np.array([0.5])) == wilcoxon(a - 0.5).pvalue
    assert paired_p(a, a) == 1.0
    assert math.isnan(paired_p(a[:1], b[:1]))
    # Runs that are still missing from one method leave the others out.
    assert paired_p(a, b[:9]) == wilcoxon(a[:9], b[:9]).pvalue
    # Ties and zeros.
    for r, digits in itertools.product((2, 9, 51), (8, 1, 0)):
        a, b = RNG.normal(size=r).round(digits), (RNG.normal(size=r) + 0.5).round(digits)
        if not np.array_equal(a, b):
            assert paired_p(a, b) == pytest.approx(wilcoxon(a, b).pvalue, rel=1e-12)


def test_holm_by_hand():
    assert significant([0.01, 0.04, 0.03, float("nan")]) == [True, False, False, False]
    assert significant([0.01, 0.02, 0.03]) == [True, True, True]
    assert significant([]) == []


# Demšar 2006, table 5 (a): the two-tailed Nemenyi test at 0.05, k = 2 … 10.
PUBLISHED_Q = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)


def names(k):
    return [f"method {j}" for j in range(k)]


@pytest.mark.parametrize("sets,k,ties", [(14, 4, True), (2, 9, False)])
def test_friedman_is_scipys(sets, k, ties):
    values = RNG.integers(1, 5, (sets, k)).astype(float) if ties else RNG.random((sets, k))
    values[:, 0] *= 0.6
    found = friedman(values, names(k))
    ranks, peer = rankdata(values, axis=1), friedmanchisquare(*values.T)
    np.testing.assert_allclose(found.ranks, ranks)
    np.testing.assert_allclose(list(found.means.values()), sorted(ranks.mean(axis=0)))
    assert (found.chi2, found.p) == pytest.approx((peer.statistic, peer.pvalue))
    # Iman and Davenport.
    chi2 = peer.statistic
    assert found.f == pytest.approx((sets - 1) * chi2 / (sets * (k - 1) - chi2))


def test_the_example_of_demsar():
    """Demšar 2006, section 3.2.2: mean ranks of four classifiers on fourteen data sets."""
    # AUC of his table 6, C4.5, +m, +cf, +m+cf.
    # In the next to last row two are printed alike, 0.975; his mean ranks have the third before the fourth.
    auc = np.array([
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ])  # fmt: skip
    found = friedman(1.0 - auc, ["C4.5", "+m", "+cf", "+m+cf"])
    four = ("C4.5", "+m", "+cf", "+m+cf")
    assert [round(found.means[name], 3) for name in four] == [3.143, 2.0, 2.893, 1.964]
    # He prints 9.28 and 3.69 without the correction for ties.
    k, sets = 4, 14
    sums = np.array(list(found.means.values()))
    plain = 12 * sets / (k * (k + 1)) * (float(sums @ sums) - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.01)
    assert found.chi2 > plain
    assert found.difference == pytest.approx(1.25, abs=0.005)
    # No two are a critical difference apart, as he says of the Nemenyi test at 0.05.
    assert not found.differ("+m+cf", "C4.5")


def test_quantiles_are_the_published_ones():
    for k, q in enumerate(PUBLISHED_Q, 2):
        # The table's third digit is off by one at k = 3 and 7.
        assert critical_difference(10, k) == pytest.approx(q * math.sqrt(k * (k + 1) / 60), abs=3e-3)


def test_rounding_and_infinity_share_ranks():
    values = np.array([[1.0, 1.0 + 1e-12, 2.0, math.inf, math.inf]])
    np.testing.assert_allclose(ranked(values), [[1.5, 1.5, 3.0, 4.5, 4.5]])
    assert ranked(np.array([[math.inf, 1.0]])).tolist() == [[2.0, 1.0]]


def test_sets_that_agree_and_sets_that_say_nothing():
    agreed = friedman(np.tile([1.0, 2.0, 3.0], (6, 1)), names(3))
    assert agreed.agreement == pytest.approx(1.0)
    assert agreed.f == math.inf and agreed.p_f == 0.0
    assert agreed.differ("method 0", "method 2")
    one = friedman(np.array([[2.0, 1.0, 3.0]]), names(3))
    assert one.difference == math.inf and math.isnan(one.p_f)
    equal = friedman(np.ones((6, 3)), names(3))
    assert (equal.chi2, equal.p) == (0.0, 1.0)
    assert not equal.differ("method 0", "method 2")
