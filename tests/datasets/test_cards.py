import csv
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from nysviz.datasets import catalog, default_data_folder
from nysviz.datasets.cards import CATALOG, find_card
from nysviz.datasets.readers import READERS
from nysviz.datasets.scaling import PREPARATIONS

PUBLISHED = CATALOG.parent / "published"


def published(name):
    with (PUBLISHED / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_sizes_are_those_that_the_papers_print():
    cards = {known.name: known for known in catalog()}
    for row in published("zhang2008_table2.csv"):
        assert (cards[row["data"]].n, cards[row["data"]].d) == (int(row["size"]), int(row["dimension"]))
    for row in published("yang2012_table1.csv"):
        known, train, test = cards[row["data"]], int(row["train"]), int(row["test"])
        assert known.d == int(row["attributes"]) and known.task == row["task"]
        # The archive's training file, all rows split by the paper, or fewer than all.
        sizes = {"adult": train, "cod-rna": train, "cpu": 8192}
        assert known.n == sizes.get(row["data"], train + test) and known.n >= train


@pytest.mark.parametrize("known", catalog(), ids=lambda known: known.name)
def test_a_card_is_complete(known):
    assert known.n > 0 and known.d > 0 and known.title and known.source and known.licence
    assert known.sentence.endswith(".") and known.kind in ("embedded", "generator", "file")
    assert known.task in ("classification", "regression", None)
    assert known.preparation is None or PREPARATIONS[known.preparation].sentence in known.sentence
    assert known.preparations == (("tf-idf", "cosine") if known.sparse else ())
    if known.kind == "file":
        assert known.files and known.layout["format"] in READERS
        assert known.role or not known.papers
        assert len(known.sha256) in (0, len(known.files))
        assert known.task != "classification" or known.labels or known.label_count
        assert all(Path(file).name == file for file in known.files)
    for knob in known.parameters:
        ends = knob.default in knob.choices if knob.choices else knob.low <= knob.default <= knob.high
        assert ends and knob.sentence.endswith(".")


@pytest.mark.parametrize("known", [c for c in catalog() if c.addresses], ids=lambda known: known.name)
def test_addresses_are_those_of_archives_and_safe(known):
    assert len(known.addresses) in (1, len(known.files))
    for address in known.addresses:
        parts = urlsplit(address)
        assert parts.hostname in {
            "www.csie.ntu.edu.tw", "archive.ics.uci.edu", "prdownloads.sourceforge.net",
            "storage.googleapis.com", "www.cad.zju.edu.cn",
        }  # fmt: skip
        assert parts.username is None and parts.port is None and not parts.query
        # Where anybody on the way could change the file, only its checksum tells.
        assert parts.scheme == "https" or (parts.scheme == "http" and known.sha256)
    for host in known.redirects:
        assert urlsplit(f"//{host}").hostname == host and "." in host
    for digest in known.sha256:
        assert len(digest) == 64 and int(digest, 16) >= 0


def test_what_is_on_disk_and_where_the_folder_is(monkeypatch, tmp_path):
    def there():
        return {known.name for known in catalog(tmp_path) if known.on_disk}

    always = {known.name for known in catalog(tmp_path) if known.kind != "file"}
    assert there() == always
    (tmp_path / "usps").write_text("")
    (tmp_path / "german.numer").write_text("")
    assert there() == always | {"german"}  # usps needs its second file too
    (tmp_path / "usps.t").write_text("")
    assert there() == always | {"german", "usps"}
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    assert default_data_folder() == tmp_path
    monkeypatch.delenv("NYSVIZ_DATA")
    assert default_data_folder().name == "nysviz"


@pytest.mark.parametrize("name, said", [("germn", "german"), ("USPS", "usps"), (None, "no data set called")])
def test_unknown_names_are_refused_with_the_nearest_ones(name, said):
    with pytest.raises(ValueError, match=said):
        find_card(name)
