"""fetch against an archive on this machine, redirects and packings; what is refused leaves nothing behind."""

import bz2
import gzip
import hashlib
import json
import resource
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from nysviz.datasets import cards, catalog, default_data_folder, fetch, load, transfer
from nysviz.datasets.transfer import SILENCE, ArchiveError, Transfer, is_packed, unpack
from tests.datasets import archive
from tests.datasets.upload_samples import libsvm, zip_of

X = np.random.default_rng(0).integers(1, 10, size=(40, 3))
Y = np.resize([-1, 1], 40)
GOOD = libsvm(X, Y)
SHA = hashlib.sha256(GOOD).hexdigest()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with archive.running() as running:
        yield running


@pytest.fixture
def catalogued(monkeypatch, tmp_path):
    def write(addresses, files=("little",), **more):
        facts = {"title": "Little", "sentence": "Small.", "kind": "file", "n": 40, "d": 3} | {
            "task": "classification", "source": "the page", "licence": "none", "labels": [-1, 1],
            "value_range": [1, 9], "files": list(files), "addresses": list(addresses),
        } | more  # fmt: skip
        lines = [f"{key} = {json.dumps(value)}" for key, value in facts.items()]
        path = tmp_path / "catalog.toml"
        path.write_text("[little]\nlayout = { format = 'libsvm' }\n" + "\n".join(lines))
        monkeypatch.setattr(cards, "CATALOG", path)
        folder = tmp_path / "data"
        folder.mkdir(exist_ok=True)
        return folder

    return write


def refused(folder, match):
    """Fetch, expect one sentence, and nothing in the folder that was not there before."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=match) as problem:
        fetch("little", folder)
    sentence = str(problem.value)
    assert "\n" not in sentence and sentence.endswith(".") and "breast_cancer" in sentence
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before
    return sentence


def test_a_set_arrives_with_progress_and_is_left_alone_the_second_time(server, catalogued):
    server["/little"] = GOOD
    folder, seen = catalogued([server.address("/little")], sha256=[SHA]), []
    brought = fetch("little", folder, lambda *step: seen.append(step))
    assert (folder / "little").read_bytes() == GOOD and [path.name for path in folder.iterdir()] == ["little"]
    assert brought.new and brought.files == (folder / "little",) and "checksum" in brought.sentence
    assert seen[-1] == ("little", len(GOOD), len(GOOD)) and seen == sorted(seen)
    assert np.array_equal(load("little", data_folder=folder, raw=True).X, X)
    again = fetch("little", folder)
    assert not again.new and server.asked == ["/little"]


def test_without_a_secure_address_the_checksum_decides(server, catalogued, monkeypatch):
    monkeypatch.setattr(transfer, "LOOPBACK", ())
    server["/little"] = GOOD.replace(b"\n", b"\r\n")
    folder = catalogued([server.address("/little")], sha256=[SHA])
    refused(folder, "checksum is not the known one")
    server["/little"] = GOOD
    assert fetch("little", folder).new


def test_a_damaged_file_is_replaced_only_by_a_sound_one(server, catalogued):
    folder = catalogued([server.address("/little")])
    (folder / "little").write_bytes(GOOD[:100])
    with pytest.raises(ValueError, match="python -m nysviz fetch little"):
        load("little", data_folder=folder)
    server["/little"] = GOOD[:200]
    refused(folder, "holds 1?[0-9] x 3 values where|could not be read")
    server["/little"] = GOOD
    assert fetch("little", folder).new and (folder / "little").read_bytes() == GOOD


def redirecting(to, status=302):
    return lambda handler: archive.send(handler, b"", status=status, Location=to)


ANSWERS = [
    # It ends too early, or says too little: only the announced bytes are read, up to the end of a row.
    (archive.announcing(GOOD[:300], len(GOOD)), "no connection, or it broke"),
    (archive.announcing(GOOD, GOOD.index(b"\n", 200) + 1), "x 3 values where the catalog says 40 x 3"),
    (b"", "it sent nothing"),
    # More than the set can need.
    (archive.announcing(b"", 10**12), r"announces 10{12} bytes, and this set needs \d+ at most"),
    (archive.announcing(b"1 1:1\n" * 200_000, -1), r"more than the \d+ bytes"),
    # Where the catalog does not lead.
    (redirecting("http://localhost/little"), "another host, which the catalog does not name"),
    (redirecting("http://[nowhere/x"), "it redirects to what is no address"),
    (redirecting("file:///etc/passwd"), "another host"),
    (redirecting("/little"), "redirects more than 5 times"),
    # Garbage.
    (b"\n <!DOCTYPE html><html>please log in</html>", "a web page in place"),
    (b"<HTML>gone</HTML>", "a web page in place"),
    (b"\x00\xff" * 500, "could not be read as libsvm"),
    (GOOD + b"1 1:3\n", "41 x 3 values where the catalog says 40 x 3"),
    (GOOD.replace(b"-1 ", b"7 "), "the labels 1, 7 where the catalog says -1, 1"),
    (GOOD.replace(b"1:9", b"1:1e5"), "to 100000 where the catalog says 1 to 9"),
    (GOOD.replace(b"2:9", b"2:nan"), "missing or infinite"),
    (GOOD.replace(b"3:9", b"4:9"), "could not be read"),
    # Errors in our words.
    (None, r"it answered 404 \(Not Found\)"),
    (lambda handler: archive.send(handler, b"", status=799), "it answered 799;"),
    (lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n"), "no connection, or it broke"),
]


@pytest.mark.parametrize("answer, said", ANSWERS, ids=range(len(ANSWERS)))
def test_what_an_archive_must_not_send_is_refused(server, catalogued, answer, said):
    server["/little"] = answer
    refused(catalogued([server.address("/little")], sha256=[SHA]), said)


def test_redirects_and_answers_without_a_length_are_followed(server, catalogued):
    server["/little"] = archive.announcing(GOOD, -1)
    for to, more in (("/little", {}), (server.address("/little", "localhost"), {"redirects": ["localhost"]})):
        server["/moved"] = redirecting(to, status=301)
        folder = catalogued([server.address("/moved")], **more)
        assert fetch("little", folder).new
        (folder / "little").unlink()


def test_a_server_that_falls_silent_or_drips(server, catalogued, monkeypatch):
    assert SILENCE <= 30  # nobody waits longer for a single byte
    folder = catalogued([server.address("/little")])
    monkeypatch.setattr(transfer, "SILENCE", 0.3)
    server["/little"] = archive.dripping(GOOD, pause=1.5, chunk=100)
    started = time.monotonic()
    refused(folder, "did not answer in time|no connection, or it broke")
    assert time.monotonic() - started < 1.4
    monkeypatch.setattr(transfer, "SILENCE", 30.0)
    monkeypatch.setattr(transfer, "PATIENCE", 0.4)
    server["/little"] = archive.dripping(GOOD, pause=0.05)
    refused(folder, r"it sent \d+ bytes in \d+ seconds")


@pytest.mark.parametrize(
    "ending, pack",
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".zip", lambda body: zip_of(**{"folder/little": body, "other": b"x"})),
        (".jar", lambda body: zip_of(little=body)),
    ],
)
def test_packed_files_are_unpacked_and_a_bomb_stops_at_the_limit(server, catalogued, ending, pack):
    path, body = f"/packed{ending}", pack(GOOD)
    server[path] = body
    folder = catalogued([server.address(path)])
    assert fetch("little", folder).new and (folder / "little").read_bytes() == GOOD
    assert len(list(folder.iterdir())) == 1
    (folder / "little").unlink()
    server[path] = body[: len(body) // 2]
    refused(folder, "a damaged packing")
    server[path] = GOOD
    refused(folder, "a damaged packing")
    server[path] = pack(b"1 1:1\n" * 500_000)
    assert len(server.served[path]) < 20_000
    refused(folder, "its packing holds more than the")


def test_two_files_of_one_archive_or_of_two_addresses(server, catalogued):
    lines = GOOD.splitlines(keepends=True)
    first, second = b"".join(lines[:30]), b"".join(lines[30:])
    server["/all.zip"] = zip_of(a=first, b=second)
    folder = catalogued([server.address("/all.zip")], files=("a", "b"))
    assert fetch("little", folder).new
    assert np.array_equal(load("little", data_folder=folder).X, X)
    (folder / "b").unlink()
    catalogued([server.address("/a.bz2"), server.address("/b")], files=("a", "b"))
    server["/a.bz2"], before = bz2.compress(first), (folder / "a").read_bytes()
    refused(folder, "404")
    assert (folder / "a").read_bytes() == before
    server["/b"] = second
    assert fetch("little", folder).new
    assert np.array_equal(load("little", data_folder=folder).X, X)


def test_sets_that_need_no_file_or_have_no_address(tmp_path):
    for name in ("digits", "two_balls"):
        assert not fetch(name, tmp_path).new
    for known in catalog(tmp_path):
        if known.kind == "file" and not known.addresses:
            with pytest.raises(ValueError, match="by hand") as problem:
                fetch(known.name, tmp_path)
            assert known.files[0] in str(problem.value) and known.alternative in str(problem.value)
    assert not list(tmp_path.iterdir())


def test_several_at_once_end_with_one_whole_file(server, catalogued):
    server["/little"] = archive.dripping(GOOD, pause=0.01, chunk=100)
    folder, told = catalogued([server.address("/little")]), []

    def bring():
        told.append(fetch("little", folder).sentence)

    threads = [threading.Thread(target=bring) for _ in range(4)]
    for thread in threads:
        thread.start()
    # The name appears only with the whole file under it.
    while any(thread.is_alive() for thread in threads):
        if (folder / "little").exists():
            assert (folder / "little").read_bytes() == GOOD
    assert len(told) == 4 and [path.name for path in folder.iterdir()] == ["little"]


def test_the_real_files_have_the_checksums_of_the_catalog(needs):
    known = [card for card in catalog() if card.kind == "file" and card.on_disk and card.sha256]
    if not known:
        needs("german")
    for card in known:
        assert "checksum as expected" in fetch(card.name).sentence
    assert not list(default_data_folder().glob(".fetch-*"))


def test_a_killed_fetch_leaves_no_file_under_the_name(server, catalogued, monkeypatch):
    folder = catalogued([server.address("/little")])
    server["/little"] = archive.dripping(GOOD, pause=0.05, chunk=10)
    code = (
        "import pathlib, sys; from nysviz.datasets import cards, fetch\n"
        f"cards.CATALOG = pathlib.Path({str(cards.CATALOG)!r})\n"
        f"fetch('little', {str(folder)!r}, lambda *step: print(step, flush=True))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert "little" in process.stdout.readline()
        process.kill()
    (left,) = folder.iterdir()
    assert left.name.startswith(".fetch-") and not catalog(folder)[0].on_disk
    server["/little"] = GOOD

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("little", folder, stop)
    assert list(folder.iterdir()) == [left]
    assert fetch("little", folder).new and (folder / "little").read_bytes() == GOOD


def test_a_disk_that_is_full(server, catalogued):
    server["/little"] = GOOD
    folder = catalogued([server.address("/little")])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The system then refuses to let any file grow past 100 bytes, as a full disk would.
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(ValueError, match=r"could not be stored in .* \(File too large\)"):
            fetch("little", folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(folder.iterdir())
    assert fetch("little", folder).new


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
        one.check_redirect("https://archive.org/file", there)
    else:
        with pytest.raises(ArchiveError, match=r"another host|not secure"):
            one.check_redirect("https://archive.org/file", there)


def test_names_inside_a_packing_lead_nowhere(tmp_path):
    packed = tmp_path / "x.zip"
    packed.write_bytes(zip_of(**{"../../little": b"up", "other": b"x"}))
    target = tmp_path / "in" / "little"
    target.parent.mkdir()
    unpack(packed, {"little": target}, 100)
    assert target.read_bytes() == b"up" and not (tmp_path.parent / "little").exists()
    packed.write_bytes(zip_of(**{"a/little": b"1", "b/little": b"2"}))
    with pytest.raises(ArchiveError, match="2 files called little"):
        unpack(packed, {"little": target}, 100)
    with pytest.raises(ArchiveError, match="0 files called absent"):
        unpack(packed, {"absent": target}, 100)


def test_a_file_that_keeps_its_ending_stays_packed():
    assert not is_packed("https://x/t10k-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz")
    assert is_packed("https://x/usps.t.bz2", "usps.t") and not is_packed("https://x/usps.t", "usps.t")
