"""Where a redirect may lead, and packings; the transfers themselves are in test_download."""

import bz2
import gzip

import pytest

from nysviz.datasets.transfer import ArchiveError, Transfer, is_packed, unpack
from tests.datasets.archive import zipped


@pytest.mark.parametrize(
    "there, allowed",
    [
        ("https://mirror.example.org/x", True), ("https://deep.mirror.example.org/x", True),
        ("https://archive.org/x", True), ("http://archive.org/x", False),
        ("http://mirror.example.org/x", False), ("https://evilmirror.example.org/x", False),
        ("https://mirror.example.org.evil.net/x", False), ("https://archive.org@evil.net/x", False),
        ("ftp://archive.org/x", False), ("https:///x", False),
    ],
)  # fmt: skip
def test_which_redirects_are_followed(there, allowed):
    one = Transfer(10, ["mirror.example.org"], print)
    if allowed:
        one._may_follow("https://archive.org/file", there)
    else:
        with pytest.raises(ArchiveError, match=r"another host|not secure"):
            one._may_follow("https://archive.org/file", there)


def test_names_inside_a_packing_lead_nowhere(tmp_path):
    packed = tmp_path / "x.zip"
    packed.write_bytes(zipped(**{"..__..__little": b"up", "other": b"x"}))
    target = tmp_path / "in" / "little"
    target.parent.mkdir()
    unpack(packed, {"little": target}, 100)
    assert target.read_bytes() == b"up" and not (tmp_path.parent / "little").exists()
    packed.write_bytes(zipped(a__little=b"1", b__little=b"2"))
    with pytest.raises(ArchiveError, match="2 files called little"):
        unpack(packed, {"little": target}, 100)
    with pytest.raises(ArchiveError, match="0 files called absent"):
        unpack(packed, {"absent": target}, 100)


@pytest.mark.parametrize(
    "ending, pack", [(".gz", gzip.compress), (".bz2", bz2.compress), (".zip", lambda body: zipped(x=body))]
)
def test_the_limit_is_exact_and_damage_is_told_wherever_it_is(tmp_path, ending, pack):
    body = bytes(range(256)) * 3
    packed, target = tmp_path / f"p{ending}", tmp_path / "x"
    packed.write_bytes(pack(body))
    unpack(packed, {"x": target}, len(body))
    assert target.read_bytes() == body
    with pytest.raises(ArchiveError, match=f"more than the {len(body) - 1} bytes"):
        unpack(packed, {"x": target}, len(body) - 1)
    whole = pack(body)
    for cut in range(0, len(whole), 7):
        packed.write_bytes(whole[:cut])
        if cut == 0 and ending == ".gz":
            continue  # nothing packed is an empty file to gzip; the checks of the set refuse that
        with pytest.raises(ArchiveError, match="damaged packing"):
            unpack(packed, {"x": target}, len(body))


def test_a_file_that_keeps_its_ending_stays_packed():
    assert not is_packed("https://x/t10k-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz")
    assert is_packed("https://x/usps.t.bz2", "usps.t") and not is_packed("https://x/usps.t", "usps.t")
