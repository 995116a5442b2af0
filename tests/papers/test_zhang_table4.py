"""zhang-table4: the paper's setting, its statistics, and printed beside measured numbers for USPS alone."""

from collections import defaultdict

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_ind

import nysviz as nv
from nysviz.datasets import Dataset
from nysviz.learning.ls_svm import decide, decide_restricted, error_percent, train
from nysviz.learning.two_classes import PUBLISHED_SPLITS, two_classes
from nysviz.papers.zhang2008 import table4
from nysviz.papers.zhang2008.table4 import confidence_smaller
from tests import naive

# Pictures of each digit in the archive's test file, 2 007 in all.
USPS_TEST = (359, 264, 198, 166, 200, 160, 170, 147, 166, 177)


@pytest.fixture(scope="module")
def rows():
    return list(table4.reproduce("digits", 3, 5))


def test_every_pair_method_and_m_is_there(rows):
    assert {row.data for row in rows} == {f"digits {a}-{b}" for a, b in table4.PAPER_PAIRS}
    repeats = defaultdict(set)
    for row in rows:
        repeats[row.method].add(row.repeat)
        share = row.m / row.n
        assert row.method == "exact" or min(abs(share - 0.05), abs(share - 0.1)) < 0.5 / row.n
    random = {"kmeans", "uniform", "column_norm"}
    assert {method: len(found) for method, found in repeats.items()} == {
        method: 3 if method in random else 1 for method in random | {"svd", "icd", "exact"}
    }
    assert len(rows) == 11 * 2 * (1 + 2 * (2 + 3 * 3))


@pytest.mark.parametrize("method", ["svd", "kmeans", "icd"])
def test_a_row_can_be_had_again_from_the_core(rows, method):
    """The third repeat of pair 8-9, with m = 0.1 n, C = 0.5 and the training rows' default width."""
    data = nv.load("digits")
    pair = two_classes(data, 8, 9)
    kernel = nv.Gaussian.from_width(nv.default_width(pair.X))
    repeat = 2 if method == "kmeans" else 0
    a = nv.approximate(pair.X, kernel, method, round(0.1 * len(pair.X)), seed=5 + repeat)
    machine = train(a, pair.y, 0.5)
    expected = {
        "test_error": error_percent(decide(machine, pair.X, kernel, pair.X_test), pair.y_test),
        "test_error_restricted": error_percent(decide_restricted(machine, a, pair.X_test), pair.y_test),
    }
    found = {
        row.measure: row.value
        for row in rows
        if (row.data, row.method, row.m, row.repeat) == (pair.name, method, a.requested, repeat)
    }
    assert found == pytest.approx(expected)


def test_the_exact_row_is_the_slow_twin(rows):
    pair = two_classes(nv.load("digits"), 3, 5)
    width = nv.default_width(pair.X)
    squares = ((pair.X_test[:, None, :] - pair.X) ** 2).sum(axis=2)
    K = np.exp(-((pair.X[:, None, :] - pair.X) ** 2).sum(axis=2) / width)
    alpha, b = naive.ls_svm(K, pair.y, 0.5)
    values = np.array(naive.ls_svm_decision(np.exp(-squares / width), pair.y, alpha, b))
    found = next(row for row in rows if row.data == "digits 3-5" and row.method == "exact")
    assert (found.n, found.m) == (len(K), len(K))
    assert found.value == pytest.approx(100 * (np.sign(values) != pair.y_test).mean())


@pytest.mark.parametrize("shift", [-0.5, 0.0, 0.7])
def test_confidence_is_one_minus_scipys_p(shift):
    rng = np.random.default_rng(1)
    ours, theirs = rng.normal(0, 1, 20), rng.normal(shift, 2, 15)
    p = ttest_ind(ours, theirs, equal_var=False, alternative="less").pvalue
    assert confidence_smaller(ours, theirs) == pytest.approx(1 - p)
    p = ttest_1samp(ours, shift, alternative="less").pvalue
    assert confidence_smaller(ours, np.array([shift])) == pytest.approx(1 - p)


def test_usps_runs_by_the_same_command_and_has_its_printed_numbers(monkeypatch):
    """Clouds in the place of the pictures, with the archive's numbers of rows to test on."""
    rng = np.random.default_rng(3)
    train_y, test_y = np.tile(np.arange(1, 11), 30), np.repeat(np.arange(1, 11), USPS_TEST)
    y = np.concatenate([train_y, test_y])
    X = rng.standard_normal((10, 5))[y - 1] + 0.7 * rng.standard_normal((len(y), 5))
    data = Dataset.from_arrays("usps", X, y, task="classification", from_catalog=True)
    monkeypatch.setitem(PUBLISHED_SPLITS, "usps", len(train_y))
    monkeypatch.setattr(table4, "load", lambda name: {"usps": data}[name])
    rows = list(table4.reproduce("usps", 2, 0))
    pair = next(row for row in rows if row.data == "usps 1-7" and row.method == "exact")
    assert pair.n == 60
    assert pair.value * 411 / 100 == pytest.approx(round(pair.value * 411 / 100))
    text = table4.table(rows)
    assert text.count("  printed") == 2 * 22
    lines = text.splitlines()
    below = lines[next(i for i, line in enumerate(lines) if "usps 3-8" in line) + 1]
    assert below.split()[:3] == ["printed", "2.71", "3.31"] and "3.93 ± 0.84" in below
