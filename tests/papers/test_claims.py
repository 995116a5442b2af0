"""The list of claims is complete; a verdict that another reasonable choice changes depends on that choice."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from nysviz.datasets import catalog
from nysviz.papers.claim import Claim, Verdict, found, limits, untried
from nysviz.papers.claims import CLAIMS, Records, can_run, recorded
from nysviz.papers.experiments import EXPERIMENTS, LINE, PLANNED
from nysviz.papers.statistics import at_most
from nysviz.papers.zhang2008.claims import equal
from nysviz.ui.claims import by_choice
from tests.papers.rows import row

COUNTS = {"z": 15, "f": 8, "y": 10, "o": 11, "e": 13}
IDS = [f"{letter}{k}" for letter, count in COUNTS.items() for k in range(1, count + 1)]
NAMES = {card.name for card in catalog()} | {LINE}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=IDS)
def test_a_claim_can_be_recorded(claim):
    assert claim.experiments
    assert can_run(claim) or claim.id == "z11"
    assert {*claim.asked, claim.link.get("data", LINE)} <= NAMES


def test_what_is_recorded_is_what_claims_read():
    for one in EXPERIMENTS.values():
        parts = [(one.data, one.repeats), (one.embedded, 1), *one.recorded]
        assert all(set(names) <= NAMES and repeats >= 1 for names, repeats in parts)
    assert list(CLAIMS) == IDS
    read = {experiment for claim in CLAIMS.values() for experiment in claim.experiments}
    assert set(PLANNED) == read - {"zhang-table1"} | {"oglic-rows", "tournament"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - {"yang-fig1", "yang-fig1-seeds", "yang-fig2"}))
def test_a_single_run_has_a_table(name):
    one = EXPERIMENTS[name]
    rows = list(one.reproduce(one.data if one.fixed else ["iris"], 1, 0))
    assert {row.experiment for row in rows} == {name}
    assert one.table(rows)
    if one.fixed:
        with pytest.raises(ValueError, match="alone; leave other data out"):
            list(one.reproduce(["iris"], 1, 0))


def below(records, limit=1.0):
    return found({r.data: r.value < limit for r in records}, "", {})


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
    choices = (*limits(1.0, 0.1), untried("the clock", "processor", "wall"))
    claim = Claim("t1", "zhang", "", "", ("e",), below, "", "bounds", choices=choices)
    rows = Records(row("e", data, "uniform", 10, 0, "error", value) for data, value in values.items())
    finding = claim.judge(rows)
    assert finding.label == label
    assert (finding.verdict is Verdict.DEPENDS) == label.startswith("depends")
    assert finding.stated is below(rows).verdict
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
    "z6": "data sets", "z10": "data sets", "z14": "kernel", "f7": "K is given", "y3": "frequency scale",
}  # fmt: skip
DEPENDS |= {"y6": "data sets", "o8": "limit"}


def test_recorded_verdicts_that_other_choices_change():
    records = recorded()
    for name, choice in DEPENDS.items():
        assert choice in CLAIMS[name].judge(records).label, name
