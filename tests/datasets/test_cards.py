import tomllib
from pathlib import Path

import pytest

from nysviz.datasets import catalog, default_data_folder, load
from nysviz.datasets.cards import CATALOG, card
from nysviz.datasets.loading import GENERATORS
from nysviz.datasets.readers import READERS
from nysviz.datasets.scaling import PREPARATIONS

NAMED_IN_THE_PAPERS = {
    "german",
    "splice",
    "adult1a",
    "dna",
    "segment",
    "w1a",
    "svmguide1a",
    "satimage",
    "usps",
    "cpu",
    "adult",
    "elevators",
    "ailerons",
    "delta_ailerons",
    "cal_housing",
    "mnist",
    "yaleb",
    "la1",
}


def test_names_are_unique_and_those_of_the_design():
    names = [known.name for known in catalog()]
    assert len(names) == len(set(names)) and set(names) >= NAMED_IN_THE_PAPERS | set(GENERATORS)


def test_every_fact_comes_from_the_catalog_file():
    with CATALOG.open("rb") as file:
        facts = tomllib.load(file)
    for known in catalog():
        assert known.sentence.startswith(facts[known.name]["sentence"])
        assert (known.n, known.d, known.title) == tuple(facts[known.name][key] for key in ("n", "d", "title"))


@pytest.mark.parametrize("known", catalog(), ids=lambda known: known.name)
def test_a_card_is_complete(known):
    assert known.n > 0 and known.d > 0 and known.title and known.source and known.licence
    assert known.sentence.endswith(".") and known.kind in ("embedded", "generator", "file")
    assert known.task in ("classification", "regression", None)
    assert known.preparation is None or PREPARATIONS[known.preparation].sentence in known.sentence
    if known.kind == "file":
        assert known.files and known.layout["format"] in READERS
        assert known.task != "classification" or known.labels or known.label_count
        assert all(Path(file).name == file for file in known.files)
    for knob in known.parameters:
        assert knob.low <= knob.default <= knob.high and knob.sentence.endswith(".")


def test_on_disk_follows_the_folder(tmp_path):
    def there():
        return {known.name for known in catalog(tmp_path) if known.on_disk}

    always = {known.name for known in catalog(tmp_path) if known.kind != "file"}
    assert there() == always
    (tmp_path / "usps").write_text("")
    (tmp_path / "german.numer").write_text("")
    assert there() == always | {"german"}  # usps needs its second file too
    (tmp_path / "usps.t").write_text("")
    assert there() == always | {"german", "usps"}


def test_the_data_folder_is_the_variable_or_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    assert default_data_folder() == tmp_path
    monkeypatch.delenv("NYSVIZ_DATA")
    assert default_data_folder().name == "nysviz"


@pytest.mark.parametrize(
    "name, said",
    [
        ("germn", "german"),
        ("USPS", "usps"),
        ("../secret", "no data set called"),
        ("", "known names"),
        (None, "no data set called"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest_ones(name, said):
    with pytest.raises(ValueError, match=said):
        card(name)


def test_a_name_never_leads_out_of_the_folder(tmp_path):
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "german.numer").write_text("1 1:1\n")
    for name in ("../german.numer", "german.numer", str(tmp_path / "german.numer")):
        with pytest.raises(ValueError, match="no data set called"):
            load(name, data_folder=folder)
