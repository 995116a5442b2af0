"""The data sets of an experiment: those at hand, and a sentence on each of the others."""

from nysviz.papers.problems import at_hand


def test_sets_that_cannot_be_loaded_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    there, sentences = at_hand(["iris", "german", "wine", "irish"])
    assert there == ["iris", "wine"]
    assert sentences == [
        "german is left out: its files (german.numer) are not in the data folder.",
        "irish is left out: the catalog has no set of this name.",
    ]
