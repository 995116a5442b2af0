"""Damaged files of every format: read, or refused in one sentence; no crash, no freeze, no memory taken."""

import bz2
import gzip
import zlib

import numpy as np
import pandas as pd
import pytest

from nysviz.datasets.upload import read, summarise
from tests.datasets.upload_samples import SAMPLES, SHEET, X, Y, changed, check, mat, npy, npz, parquet, zip_of
from tests.security.fuzzing import mutated, tried

pytestmark = pytest.mark.usefixtures("warm_reader")
SEEDS, QUICK, ALL = 3, 6, 30_000
FIELDS = np.dtype([("a", ">f8"), ("day", "M8[s]"), ("word", "S3"), ("pair", "<i2", 2)])
TEXTS = [
    "größe;b;Art\n1,5;-2e3;x\n4;;y\n1.234,5;7;x\n".encode(),
    b'"a","b c","y"\n"1","x, y",1\n2,z,0\n"3 ""4""",,1\n',
    b"# remark\n1 2  3\n4 5 6\n7 8 9\n",
    b"when\tTrue\n2020-01-02 10:15\tTrue\n3.4.2021\tFalse\n1 234 567\tNA\n",
    SAMPLES["f.csv"].decode().encode("utf-16"),
    b"1|2\n",
    b" ",
]
FILES = {
    **SAMPLES,
    **{f"{k}.txt": text for k, text in enumerate(TEXTS)},
    "q.svm": b"# remark\n1 qid:3 1:0.5 3:1e3 # end\n-1 qid:4 2:.5\n1\n",
    "q.arff": b"@relation r\n@attribute 'a \\'b' {x,'y z'}\n@attribute c string\n@attribute d real\n@data\n"
    b"'y z', \"q % r\", ?\n% no\nx,'s\\'t',1e3\n",
    "s.npy": npy(np.zeros(5, FIELDS)),
    "s.npz": npz(X=X.astype("f2"), label=np.array(["ä", "b", "c"] * 4), t=np.array(b"x")),
    "h.mat": mat(False, images=np.zeros((4, 3, 12), "u1"), y=Y, c=1j * X, cell=np.array([X, "a"], object)),
    "g.parquet": parquet(
        pd.DataFrame({"a": X[:, 0], "i": 2**60 + Y, "s": [f"text {k}" for k in range(12)], "b": Y > 1}),
        compression="gzip",
        use_dictionary=False,
        column_encoding={"s": "DELTA_BYTE_ARRAY"},
    ),
}
WORKBOOKS = {"f.xlsx": SHEET, "f.ods": "content.xml"}
PIECES = [
    *(bytes([k]) for k in b"019.,;:-+ \t\n\r\"'#%@?{}\\|()[]_aeE="), b"\0", b"\xff", b"\xff\xfe",
    b"\xe2\x80", b"\xef\xbb\xbf",
    b"\x0b", b"\x1b[31m", "٣é\u00a0−".encode(), b"nan", b"-inf", b"1e308", b"-1e999", b"0x1F",
    b"1_0", b"1,5", b"1.234,5", b"1 000", b"1'000", b"True", b"NA,", b"1:1 ", b"9999999999:1 ", b"-1:1 ",
    b"12:30 ", b"2020-01-02", b"@data\n", b"@attribute x {a,b}\n", b"'a", b'"\n', b"=1+1", b"\x1f\x8b\x08",
    b"BZh", b"PK\x03\x04", b"PK\x01\x02", b"PAR1", b"'descr': '|O'", b"(99999, 99999)", b"<i8", b"\x0f\0\0\0",
    b"\x15\x00\x15\xfe\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x08", b"<html>",
]  # fmt: skip


def inside(name, change):
    """Return a packed file whose content is changed, packed anew: else a checksum guards its reader."""
    content = FILES[name]
    if name.endswith(".gz"):
        return gzip.compress(change(gzip.decompress(content)), 1, mtime=0)
    if name.endswith(".bz2"):
        return bz2.compress(change(bz2.decompress(content)))
    if name == "f.mat":
        packed = zlib.compress(change(zlib.decompress(content[136:])))
        return content[:128] + b"\x0f\0\0\0" + len(packed).to_bytes(4, "little") + packed
    if name.endswith(".npz"):
        return zip_of(**{"X.npy": change(npy(X)), "y.npy": change(npy(Y))})
    if name in WORKBOOKS:
        return changed(content, WORKBOOKS[name], change)
    return change(content)


def case(name, seed, number):
    rng = np.random.default_rng([seed, number, *name.encode()])

    def change(content):
        return mutated(content, rng, PIECES, list(FILES.values()))

    return inside(name, change) if number % 2 else change(FILES[name])


def read_and_described(content, name, target):
    """Assert what the pages rest on; a refusal for want of memory is none that a small file may get."""
    check(content, name, target)
    try:
        found = summarise(read(content, name))
    except ValueError as refusal:
        if isinstance(refusal.__cause__, MemoryError):
            raise
        return
    assert len(found.table.frame) and found.columns.index.is_unique
    assert all(name.isprintable() for name in found.columns.index)


def cases(name, seed, count):
    for number in range(count):
        yield case(name, seed, number), name, (None, 0, False)[number % 3]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [*(pytest.param(k, marks=pytest.mark.slow) for k in range(SEEDS)), SEEDS])
@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused(name, seed):
    count = QUICK if seed == SEEDS else -(-ALL // (len(FILES) * SEEDS))
    assert tried(read_and_described, cases(name, seed, count)) == ""
