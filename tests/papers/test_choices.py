"""A verdict that another reasonable choice changes is shown as depending on that choice."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from nysviz.papers.claim import Claim, found, limits, on_every, untried
from nysviz.papers.claims import CLAIMS, Records, Verdict, recorded
from nysviz.papers.statistics import at_most
from nysviz.papers.zhang2008.claims import equal
from nysviz.ui.claims.result import by_choice
from tests.papers.rows import row


def below(records, limit=1.0):
    return found(on_every({r.data: r.value < limit for r in records}), "", {})


def claim(*choices):
    return Claim("t1", "zhang", "", "", ("e",), below, "", "bounds", choices=choices)


def rows(**values):
    return Records(row("e", data, "uniform", 10, 0, "error", value) for data, value in values.items())


@pytest.mark.parametrize(
    "values, label",
    [
        ({"german": 0.5}, "depends on the limit"),
        ({"german": 0.05}, "reproduced"),
        ({"german": 2.0, "splice": 0.05}, "depends on the data sets"),
        ({"german": 2.0, "splice": 3.0}, "not reproduced"),
        ({"german": 2.0, "splice": 0.5, "dna": 0.5}, "depends on the limit and the data sets"),
    ],
)
def test_the_verdict_follows_from_the_choices(values, label):
    finding = claim(*limits(1.0, 0.1), untried("the clock", "processor", "wall")).judge(rows(**values))
    assert finding.label == label
    assert (finding.verdict is Verdict.DEPENDS) == label.startswith("depends")
    assert finding.stated is below(rows(**values)).verdict
    assert dict(by_choice(finding))["the clock"].endswith("wall → not tried")


@pytest.mark.parametrize("mean, spread, n", [(1.0, 0.01, 20), (1.0, 3.0, 5), (1.2, 0.01, 20), (0.5, 0.1, 20)])
def test_at_most_needs_the_whole_interval(mean, spread, n):
    rng = np.random.default_rng(1)
    a, b = np.exp(spread * rng.normal(size=(2, n))) * [[mean], [1.0]]
    cells = {("d", 1): {"a": a, "b": b}}
    logs = np.log(a / b)
    # Student's 97.5 % quantile for 4 and 19 degrees of freedom.
    high = logs.mean() + {5: 2.7764, 20: 2.0930}[n] * logs.std(ddof=1) / np.sqrt(n)
    assert at_most(cells, "a", "b", 1.1) == {("d", 1): high <= np.log(1.1)}


@pytest.mark.parametrize("gap", [-0.4, -0.1, 0.0, 0.2])
def test_equality_is_two_one_sided_tests(gap):
    rng = np.random.default_rng(2)
    a, b = 3.0 + 0.2 * rng.normal(size=20), 3.0 + gap + 0.3 * rng.normal(size=12)
    ends = ttest_ind(a, b, equal_var=False).confidence_interval(0.9)
    assert equal(a, b, 0.25) == (ends.low > -0.25 and ends.high < 0.25)


DEPENDS = {
    "z6": "the data sets",
    "z10": "the data sets",
    "z14": "the test kernel",
    "f7": "whether K is given",
    "y3": "the frequency scale",
    "y6": "the data sets",
    "o8": "the limit",
}


def test_recorded_verdicts_that_other_choices_change():
    records = recorded()
    for name, choice in DEPENDS.items():
        assert choice in CLAIMS[name].judge(records).label, name
