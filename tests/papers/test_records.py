"""Rows on disk come back as they were; verdicts come from them and from nothing else."""

import json
import math

import pytest

from nysviz.papers.claims import CLAIMS, Records, Verdict, jobs, on_the_same, recorded, recorded_sets
from nysviz.papers.experiments import at_hand, record
from nysviz.papers.records import FOLDER, catalog_name, origins, read, sizes_of, write
from nysviz.sweep import run_jobs
from tests.papers.rows import row, runs, single


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
    assert found.verdict is Verdict.NOT
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
    assert claim.decide(records).verdict is Verdict.PARTLY
    assert on_the_same(claim, records, ["breast_cancer"]).verdict is Verdict.REPRODUCED
    rows = [r for done in run_jobs(jobs(claim, ["breast_cancer"], 2, 0)) for r in done.records]
    live = claim.decide(Records(rows))
    assert live.verdict is Verdict.REPRODUCED and live.data == ("breast_cancer",) and live.repeats == 2


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
        rows = records.of(experiment)
        names = {name for part in origin["parts"] for name in part["data"]}
        assert {catalog_name(r.data) for r in rows} == names
        assert rows.repeats <= max(part["repeats"] for part in origin["parts"])
        assert {"nysviz", "commit", "date", "machine", "seed", "seconds"} <= set(origin)
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 2e6
