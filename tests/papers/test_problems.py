"""The data sets of an experiment: those at hand are loaded, the others named."""

import pytest

from nysviz.papers.problems import at_hand, loaded


def test_sets_that_cannot_be_loaded_are_named_in_the_same_words_everywhere(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    names = ["iris", "german", "wine", "w1a"]
    there, sentences = at_hand(names)
    assert [data.name for data in loaded(names)] == there == ["iris", "wine"]
    assert [record.getMessage() for record in caplog.records] == [" ".join(sentences)]
    assert sentences[0] == "german is left out: its files (german.numer) are not in the data folder."
    assert len(sentences) == 2 and sentences[1].startswith("w1a is left out: ")


def test_an_unknown_name_is_refused_at_once():
    with pytest.raises(ValueError, match=r"^irish: not in the catalog; it has .*iris"):
        loaded(["iris", "irish"])
