"""The trials of Yang et al. 2012, figure 2: which are run, what they give, and how they are told."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

import nysviz as nv
from nysviz import machine, memory
from nysviz.learning.feature_trial import EXACT, Setting, exact_rows, trial
from nysviz.papers.yang2012 import figure2
from nysviz.papers.yang2012.figure2 import (
    LINES,
    Series,
    compare,
    jobs,
    published_sizes,
    reproduce,
    scores,
    setting_of,
)
from nysviz.sweep import Problem, run_jobs

DATA = nv.load("diabetes")
KERNEL = nv.Gaussian.from_width(nv.default_width(DATA.X))
PROBLEM = Problem(DATA.name, DATA.X, KERNEL, DATA.digest, DATA.y)
SETTING = Setting("regression")


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(figure2, "MS", (5, 10, 20))
    monkeypatch.setattr(figure2, "MULTIPLES", (0.5, 1.0, 4.0))


def test_a_record_is_the_trial_of_its_seed():
    asked = jobs(PROBLEM, SETTING, LINES, (10,), 2, 7)
    records = [record for done in run_jobs(asked) for record in done.records]
    assert len(records) == 6
    for record in records:
        reading = dict(record.options)["reading"]
        alone = trial(DATA.X, DATA.y, KERNEL, SETTING, record.method, record.m, record.seed, reading)
        assert record.values["mse"] == alone.score and record.values["columns"] == alone.columns
    found = scores(records, "mse")
    assert set(found) == {"uniform", "rff", "rff_columns"}
    assert all(set(found[line][10]) == {0, 1} for line in found)


def test_the_test_is_paired_by_repeat():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(8), rng.standard_normal(8)
    # In another order, and with a repeat that only one of them has.
    found = {"a": {10: dict(enumerate(a)) | {99: 5.0}}, "b": {10: dict(reversed(list(enumerate(b))))}}
    test = compare(found, "a", "b", larger_is_better=True)[10]
    assert test.pairs == 8 and test.p == pytest.approx(ttest_rel(a, b).pvalue)
    assert compare(found, "a", "b", larger_is_better=False)[10].difference == pytest.approx(-test.difference)


def test_the_published_split():
    assert published_sizes("cpu", 8192) == (6554, 819)
    # Two thirds train where only the published training file is at hand.
    assert published_sizes("adult", 32561) == (21707, 10854)
    assert published_sizes("digits", 1797) is None
    assert setting_of("cpu", 8192, "regression").machine == "ridge"
    assert setting_of("adult", 32561, "classification").machine == "svm"
    with pytest.raises(ValueError, match="no target"):
        setting_of("swiss", 100, None)


@pytest.mark.usefixtures("few")
def test_reproduce_gives_a_row_a_trial():
    rows = list(reproduce("diabetes", 2, 1))
    assert {row.method for row in rows} == {"uniform", "rff", "rff_columns", "exact"}
    assert len(rows) == 2 * (3 * 3 + 1)
    assert {(row.experiment, row.data, row.measure) for row in rows} == {("yang-fig2", "diabetes", "mse")}
    assert all(0 <= row.value < 1.2 for row in rows)


@pytest.mark.usefixtures("few")
def test_the_exact_machine_takes_fewer_rows_on_a_small_machine(monkeypatch):
    assert exact_rows() <= 4_500
    monkeypatch.setattr(machine, "limit_bytes", lambda: 8 * 353 * 353 / memory.MATRIX_SHARE + 1)
    assert exact_rows() == 353
    expected = r"^354 training rows; the exact machine, .*, takes 353 at most on this machine: take fewer"
    with pytest.raises(ValueError, match=expected):
        trial(DATA.X, DATA.y, KERNEL, SETTING, EXACT, 354, 0)
    assert {row.method for row in reproduce("diabetes", 1, 0)} == {"uniform", "rff", "rff_columns"}
    monkeypatch.setattr(machine, "limit_bytes", lambda: 8 * 354 * 354 / memory.MATRIX_SHARE + 1)
    assert np.isfinite(trial(DATA.X, DATA.y, KERNEL, SETTING, EXACT, 354, 0).score)


def test_computer_activity_as_published(needs):
    needs("cpu")
    data = nv.load("cpu")
    kernel = nv.Gaussian.from_width(8.0 * nv.default_width(data.X))
    setting = Setting("regression", sizes=published_sizes("cpu", data.n))
    problem = Problem("cpu", data.X, kernel, data.digest, data.y)
    lines = (Series("uniform"), Series("rff", "columns"))
    records = [r for done in run_jobs(jobs(problem, setting, lines, (100,), 6, 0)) for r in done.records]
    test = compare(scores(records, "mse"), "uniform", "rff_columns", larger_is_better=False)[100]
    # At equal columns the published direction holds on these data.
    assert test.significant and test.difference > 0
