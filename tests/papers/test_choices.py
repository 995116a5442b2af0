"""A verdict that another reasonable choice changes is shown as depending on that choice."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_ind

from nysviz.papers.claim import Choice, Claim, found, on_every, untried
from nysviz.papers.claims import CLAIMS, Records, Verdict, recorded
from nysviz.papers.oglic2017.claims import at_rows, lift_by_rows
from nysviz.papers.published import table
from nysviz.papers.statistics import at_most
from nysviz.papers.zhang2008.claims import equal, untested_cells
from nysviz.ui.claims.result import by_choice, sampled
from tests.papers.rows import row, runs


def below(records, limit=1.0):
    return found(on_every({r.data: r.value < limit for r in records}), "", {})


def claim(*choices, asked=()):
    return Claim("t1", "zhang", "", "", "", ("e",), below, "bounds", asked=asked, choices=choices)


def rows(**values):
    return Records(row("e", data, "uniform", 10, 0, "error", value) for data, value in values.items())


LIMIT = Choice("the limit", "1", "0.1", {"limit": 0.1})


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
    finding = claim(LIMIT, untried("the clock", "processor", "wall")).judge(rows(**values))
    assert finding.label == label
    assert (finding.verdict is Verdict.DEPENDS) == label.startswith("depends")
    assert finding.stated is below(rows(**values)).verdict
    assert dict(by_choice(finding, finding.others))["the clock"].endswith("wall → not tried")


def test_the_papers_sets_are_a_choice():
    finding = claim(asked=("german", "w1a")).judge(rows(german=0.5, wine=2.0))
    assert finding.absent == ("w1a",)
    options = dict(by_choice(finding, finding.others))["the data sets"]
    assert (
        options
        == "all → partly; the paper's alone, without Wine → reproduced; without German credit → "
        + ("not reproduced")
    )


@pytest.mark.parametrize("mean, spread, n", [(1.0, 0.01, 20), (1.0, 3.0, 5), (1.2, 0.01, 20), (0.5, 0.1, 20)])
def test_at_most_needs_the_whole_interval(mean, spread, n):
    rng = np.random.default_rng(1)
    a, b = np.exp(spread * rng.normal(size=(2, n))) * [[mean], [1.0]]
    cells = {("d", 1): {"a": dict(enumerate(a)), "b": dict(enumerate(b))}}
    logs = np.log(a / b)
    # Student's 97.5 % quantile for 4 and 19 degrees of freedom.
    high = logs.mean() + {5: 2.7764, 20: 2.0930}[n] * logs.std(ddof=1) / np.sqrt(n)
    assert at_most(cells, "a", "b", 1.1) == {("d", 1): high <= np.log(1.1)}


@pytest.mark.parametrize("gap", np.linspace(-0.4, 0.4, 9))
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


@pytest.fixture(scope="module")
def records():
    return recorded()


@pytest.mark.parametrize("name", DEPENDS)
def test_recorded_verdicts_that_other_choices_change(name, records):
    finding = CLAIMS[name].judge(records)
    assert DEPENDS[name] in finding.label
    assert finding.deciding()


def test_a_sample_says_of_how_many_rows(records):
    assert "2000 of 20\N{NARROW NO-BREAK SPACE}640 rows" in sampled(CLAIMS["o1"].judge(records))
    assert sampled(CLAIMS["z5"].judge(records)) == ""


def test_the_number_of_rows_replaces_the_large_sets():
    def figure(experiment, data, mean, n):
        means = {"uniform": 1.0, "kmeanspp": mean}
        made = runs(experiment, "relative_frobenius", means, (data,), (100,), 6)
        return [replace(one, n=n) for one in made]

    gammas = ("0.1", "0.5 1/median")
    rows = []
    for gamma in gammas:
        rows += figure("oglic-fig1", f"cal_housing@gamma={gamma}", 0.1, 2000)
        rows += figure("oglic-fig1", f"digits@gamma={gamma}", 0.2, 1797)
        rows += figure("oglic-rows", f"cal_housing 4000@gamma={gamma}", 0.5, 4000)
    own = Records(row for row in rows if row.experiment == "oglic-fig1")
    swapped = at_rows(4000, own, Records(rows))
    assert {(r.experiment, r.data.partition("@")[0], r.n) for r in swapped} == {
        ("oglic-fig1", "cal_housing", 4000),
        ("oglic-fig1", "digits", 1797),
    }
    assert list(at_rows(500, own, Records(rows))) == []
    first, second = lift_by_rows(Records(rows), schemes=("kmeanspp",))
    assert first[0].startswith("cal_housing, γ = 0.100,") and second[0].startswith("cal_housing, γ = 0.500,")
    values = [float(part.split(" on ")[0]) for part in first[1].split(", ")]
    assert [part.split(" on ")[1] for part in first[1].split(", ")] == ["2000", "4000"]
    np.testing.assert_allclose(values, [10.0, 2.0], rtol=0.05)


def test_printed_values_without_a_test_are_those_printed():
    uniform = [float(cell["uniform"]) for cell in table("zhang2008_table4")]
    icd = next(cell["icd"] for cell in table("zhang2008_table4") if cell["pair"] == "1-7")
    guide = next(
        cell["mean"]
        for cell in table("zhang2008_table3_error")
        if (cell["data"], cell["method"]) == ("svmguide1a", "icd")
    )
    printed = [
        text.split(",")[0] for which in ("table 4", "table 3") for text in untested_cells(which).values()
    ]
    assert printed == [f"printed {value}" for value in (f"{np.mean(uniform):.2f}", icd, guide)]
