"""The list of claims is complete, and verdicts come from the rows on disk; some depend on a choice."""

import json
import math

import numpy as np
import pytest
from scipy.stats import ttest_ind

from nysviz.datasets import catalog
from nysviz.papers.claim import Claim, ClaimVerdict, limits, make_outcome, untried
from nysviz.papers.claims import CLAIMS, PAPERS, can_run, jobs, on_the_same, recorded, recorded_sets, report
from nysviz.papers.data import LINE, at_hand
from nysviz.papers.experiments import EXPERIMENTS, PLANNED, record
from nysviz.papers.labels import data_label
from nysviz.papers.records import FOLDER, Records, catalog_name, origins, read, sizes_of, write
from nysviz.papers.statistics import at_most
from nysviz.papers.zhang2008.claims import are_equal
from nysviz.studies.claims import by_choice
from nysviz.sweep import run_jobs
from tests.papers.rows import row, runs, single

COUNTS = {"z": 15, "f": 8, "y": 10, "o": 11, "e": 14}
IDS = [f"{letter}{k}" for letter, count in COUNTS.items() for k in range(1, count + 1)]
NAMES = {card.name for card in catalog()} | {LINE}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=IDS)
def test_a_claim_can_be_recorded(claim):
    assert claim.experiments and claim.paper in PAPERS
    assert can_run(claim) or claim.id == "z11"
    assert {*claim.paper_sets, claim.link.get("data", LINE)} <= NAMES


def test_what_is_recorded_is_what_claims_read():
    for one in EXPERIMENTS.values():
        parts = [(one.data, one.repeats), (one.embedded, 1), *one.recorded]
        assert all(set(names) <= NAMES and repeats >= 1 for names, repeats in parts)
    assert list(CLAIMS) == IDS
    read = {experiment for claim in CLAIMS.values() for experiment in claim.experiments}
    assert set(PLANNED) == read - {"zhang-table1"} | {"oglic-rows", "tournament", "many-rows", "learners"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - {"yang-fig1", "yang-fig1-seeds", "yang-fig2"}))
def test_a_single_run_has_a_table(name):
    one = EXPERIMENTS[name]
    rows = list(one.reproduce(one.data if one.fixed else ["iris"], 1, 0))
    assert {row.experiment for row in rows} == {name}
    assert report(one, rows)
    if one.fixed:
        with pytest.raises(ValueError, match="alone; leave other data out"):
            list(one.reproduce(["iris"], 1, 0))


def below(records, limit=1.0):
    return make_outcome({r.data: r.value < limit for r in records}, "", {})


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
    assert (finding.verdict is ClaimVerdict.DEPENDS) == label.startswith("depends")
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
    assert are_equal(a, b, 0.25) == (ends.low > -0.25 and ends.high < 0.25)


DEPENDS = {
    "z6": "data sets", "z10": "eigensolver", "z14": "kernel", "f7": "K is given", "y3": "frequency scale",
}  # fmt: skip
DEPENDS |= {"y6": "data sets", "o8": "limit"}


def test_recorded_verdicts_that_other_choices_change():
    records = recorded()
    for name, choice in DEPENDS.items():
        assert choice in CLAIMS[name].judge(records).label, name


def test_no_number_of_a_claim_stands_beside_a_name_of_the_code():
    records = recorded()
    names = {name for claim in CLAIMS.values() for name, _ in claim.judge(records).numbers}
    assert [name for name in sorted(map(data_label, names)) if "@" in name or "_" in name] == []


def test_rows_come_back(tmp_path):
    rows = runs("zhang-fig1", "frobenius", {"uniform": 1234.5678, "kmeans": 1e-7}, repeats=3)
    rows.append(row("zhang-fig1", "a", "svd", 3, 0, "frobenius", 2.0, seconds=1.23456))
    write(rows, tmp_path / "zhang-fig1.csv")
    back = {(r.data, r.method, r.m, r.repeat): r for r in read(tmp_path / "zhang-fig1.csv", sizes_of(rows))}
    assert len(back) == len(rows)
    for one in rows:
        same = back[one.data, one.method, one.m, one.repeat]
        assert same.value == pytest.approx(one.value, rel=6e-5)
        assert (same.experiment, same.n, same.d, same.measure) == (one.experiment, one.n, one.d, one.measure)
        assert math.isnan(same.seconds) if math.isnan(one.seconds) else same.seconds == 1.23


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "data,method,m,repeat,measure,value,seconds\na,u,x,0,f,1,\n"])
def test_a_damaged_file_is_told_in_one_sentence(tmp_path, text):
    path = tmp_path / "zhang-fig1.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^zhang-fig1\.csv .*\.$"):
        read(path, {"a": [10, 2]})


def test_a_recording_is_judged_as_its_rows(tmp_path):
    said = []
    record(["zhang-property8"], tmp_path, seed=3, say=said.append)
    found = CLAIMS["z3"].judge(recorded(tmp_path))
    assert found.verdict is ClaimVerdict.NOT
    (origin,) = origins(tmp_path).values()
    assert origin["seed"] == 3 and origin["parts"] == [{"absent": [], "data": ["line"], "repeats": 1}]
    assert said[-1].startswith("zhang-property8: 9 rows")
    assert not (set(json.dumps(origins(tmp_path))) & {"\\"})


def test_a_live_run_is_held_against_the_same_sets():
    claim = CLAIMS["z15"]
    values = {"departure_orthogonal": 1e-14, "angle_orthogonal": 1.0, "angle_extension": 1.0}
    plain = {"breast_cancer": 0.5, "digits": 1e-14}
    sets = (single("zhang-prop4", values | {"departure_extension": x}, [name]) for name, x in plain.items())
    records = Records(row for rows in sets for row in rows)
    assert recorded_sets(claim, records) == ("breast_cancer", "digits")
    assert claim.decide(records).verdict is ClaimVerdict.PARTLY
    assert on_the_same(claim, records, ["breast_cancer"]).verdict is ClaimVerdict.REPRODUCED
    rows = [r for done in run_jobs(jobs(claim, ["breast_cancer"], 2, 0)) for r in done.records]
    live = claim.decide(Records(rows))
    assert live.verdict is ClaimVerdict.REPRODUCED and live.data == ("breast_cancer",) and live.repeats == 2


def test_sets_that_cannot_be_loaded_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    there, sentences = at_hand(["iris", "german", "line", "irish"])
    assert there == ["iris", "line"]
    assert sentences == [
        "german is left out: its files (german.numer) are not in the data folder.",
        "irish is left out: the catalog has no set of this name.",
    ]


def test_what_is_recorded_is_whole():
    """The files in the repository: rows and origin of every experiment, and no more than 2 MB."""
    told, records = origins(), recorded()
    for experiment, origin in told.items():
        rows = records.of_experiments(experiment)
        names = {name for part in origin["parts"] for name in part["data"]}
        assert {catalog_name(r.data) for r in rows} == names
        assert rows.repeats <= max(part["repeats"] for part in origin["parts"])
        assert {"nysviz", "commit", "date", "machine", "seed", "seconds"} <= set(origin)
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 2e6
