"""Values by method, and tests of their differences."""

import math

import numpy as np
import pytest
from scipy.stats import wilcoxon

from nysviz.kernels import Gaussian
from nysviz.sweep import Record
from nysviz.sweep.ranking import by_method, paired_p, significant

RNG = np.random.default_rng(0)


def record(method, m, repeat, value):
    values = {"frobenius": value}
    return Record("d", 10, 2, Gaussian(1.0), method, (), m, repeat, repeat, values, 0.1)


def test_values_of_shuffled_records_by_method():
    records = [
        record(name, m, r, level + 0.01 * r / m)
        for name, level in (("a", 1.0), ("b", 2.0), ("svd", 0.5))
        for m in (1, 2)
        for r in range(6)
    ]
    records += [record("icd", m, 0, 1.5) for m in (1, 2)]
    RNG.shuffle(records)
    values = by_method(records, "frobenius")
    assert list(values) == [1, 2]
    np.testing.assert_allclose(values[2]["a"], 1.0 + 0.005 * np.arange(6))


def test_paired_p_is_that_of_wilcoxon():
    a, b = RNG.random(12), RNG.random(12)
    assert paired_p(a, b) == wilcoxon(a, b).pvalue
    assert paired_p(a, np.array([0.5])) == wilcoxon(a - 0.5).pvalue
    assert paired_p(a, a) == 1.0
    assert math.isnan(paired_p(a[:1], b[:1]))
    # Runs that are still missing from one method leave the others out.
    assert paired_p(a, b[:9]) == wilcoxon(a[:9], b[:9]).pvalue


@pytest.mark.parametrize("r", [2, 9, 51])
def test_paired_p_with_ties_and_zeros_is_that_of_wilcoxon(r):
    for digits in (8, 1, 0):
        a, b = RNG.normal(size=r).round(digits), (RNG.normal(size=r) + 0.5).round(digits)
        if not np.array_equal(a, b):
            assert paired_p(a, b) == pytest.approx(wilcoxon(a, b).pvalue, rel=1e-12)


def test_holm_by_hand():
    assert significant([0.01, 0.04, 0.03, float("nan")]) == [True, False, False, False]
    assert significant([0.01, 0.02, 0.03]) == [True, True, True]
    assert significant([]) == []
