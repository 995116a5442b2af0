"""A set without room for it is refused in one sentence, which says what fits, before it is made or read."""

import re

import pytest

from nysviz.datasets import (
    chosen_spectrum,
    clusters,
    eigengap_mixture,
    fetch,
    load,
    size_limits,
    swiss_roll,
    two_balls,
)
from nysviz.numerics import machine
from tests.datasets import test_download
from tests.datasets.test_download import GOOD
from tests.traced import traced

# The archive on this machine, and the catalog of one small set.
server, catalogued = test_download.server, test_download.catalogued


@pytest.fixture
def gibibyte(monkeypatch):
    monkeypatch.setattr(machine, "limit_bytes", lambda: 2**30)
    monkeypatch.setattr(machine, "free_bytes", lambda: 2**29)


@pytest.mark.usefixtures("gibibyte")
@pytest.mark.parametrize(
    "make, wanted",
    [
        (clusters, {"n": 1_000_000, "d": 50}),
        (clusters, {"n": 40_000, "d": 10_000}),
        (two_balls, {"n": 1_000_000, "redundant": 30}),
        (eigengap_mixture, {"n": 1_000_000, "r": 15, "gap": 0.04}),
    ],
)
def test_a_set_that_is_too_large_is_refused_before_it_is_made(make, wanted):
    def refused():
        with pytest.raises(ValueError, match=r"one data set may take at most 134.MB here, .*\.$") as told:
            make(**wanted)
        return str(told.value)

    said, peak = traced(refused)
    assert peak < 1e6
    # What it says to be enough is, and one more is not.
    words = re.sub(r"(?<=\d)\N{NARROW NO-BREAK SPACE}", "", said).partition("enough for")[2]
    n = int(words.split()[0])
    d = wanted.get("d") or 2 + wanted.get("redundant", 28)
    size_limits.check_fits(n, d)
    assert not size_limits.is_held(n + 1, d)


@pytest.mark.parametrize("make", [two_balls, clusters, swiss_roll, eigengap_mixture, chosen_spectrum])
def test_generated_points_are_made_once_and_cannot_be_written_to(make):
    wide = {clusters: {"d": 40}, two_balls: {"redundant": 38}, eigengap_mixture: {"r": 15, "gap": 0.04}}
    if make in wide:
        made, peak = traced(lambda: make(n=100_000, **wide[make]))
        assert peak < size_limits.MAKING * made.X.nbytes
    data = make(n=200)
    assert data.from_catalog and data.X.base is None
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 1.0


def test_a_file_that_is_too_large_is_not_opened(server, catalogued, monkeypatch):
    server["/little"] = GOOD
    folder = catalogued([server.address("/little")])
    fetch("little", folder)
    assert load("little", data_folder=folder).from_catalog
    asked = len(server.asked)
    monkeypatch.setattr(size_limits, "most_bytes", lambda: 100)
    monkeypatch.setattr("nysviz.datasets.loading.read_checked", lambda *_: pytest.fail("read"))
    with pytest.raises(ValueError, match=r"Little has 40 × \d+ values, .* may take at most 100.B here"):
        load("little", data_folder=folder)
    for file in folder.iterdir():
        file.unlink()
    with pytest.raises(ValueError, match="may take at most"):
        fetch("little", folder)
    assert len(server.asked) == asked
