"""The data folder is full, cannot be written to, or is taken away while the app runs."""

import shutil

import pytest

from nysviz.datasets import cards, fetch
from nysviz.engine.shared import engine
from tests.datasets import test_download
from tests.datasets.test_download import GOOD
from tests.pages.driving import settle
from tests.pages.test_not_offered import opened

pytestmark = pytest.mark.slow
server, catalogued = test_download.server, test_download.catalogued


def test_a_folder_taken_away_during_a_fetch(server, catalogued):
    server["/little"] = GOOD
    folder = catalogued([server.address("/little")])
    with pytest.raises(ValueError, match=r"\.$") as problem:
        fetch("little", folder, lambda *step: shutil.rmtree(folder, ignore_errors=True))
    assert "\n" not in str(problem.value) and not (folder / "little").exists()
    assert fetch("little", folder).new and (folder / "little").read_bytes() == GOOD


@pytest.fixture
def little_page(server, catalogued, monkeypatch):
    """A data folder of its own, and a catalog to which the small set is added."""
    server["/little"] = GOOD
    whole = cards.CATALOG.read_text(encoding="utf-8")
    folder = catalogued([server.address("/little")])
    cards.CATALOG.write_text(whole + "\n" + cards.CATALOG.read_text(encoding="utf-8"))
    monkeypatch.setenv("NYSVIZ_DATA", str(folder))
    return folder


def test_pages_go_on_when_the_folder_is_taken_away_in_between(little_page):
    fetch("little", little_page)
    at = opened(data="Little")
    assert not at.error and at.text[0].value.startswith("little 40 3 ")
    shutil.rmtree(little_page)
    at.number_input(key="seed").set_value(3)
    settle(at)
    told = [problem.value for problem in at.warning]
    assert len(told) == 1 and told[0].startswith("The files of Little are not in the data folder any more")
    assert at.text[0].value.split()[0] != "little" and not at.error
    # A fresh page shows other data.
    engine.clear()
    at = opened(data="Little")
    name, n, *_ = at.text[0].value.split()
    assert name != "little" and int(n) > 0
    assert all(problem.value.endswith(".") for problem in at.error)
