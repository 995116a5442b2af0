"""Every format as its libraries write it, as few write it, and crafted to do harm."""

import bz2
import gzip
import io
import pickle
import re
import struct

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.io import loadmat

import nysviz as nv
from nysviz.datasets import default_data_folder, parse
from nysviz.datasets.upload import read, summarise
from tests.datasets.upload_samples import (
    SAMPLES,
    X,
    Y,
    columns,
    mat,
    notes,
    npy,
    npz,
    parquet,
    refusal,
    zip_of,
)

pytestmark = pytest.mark.usefixtures("warm_reader")


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_gives_the_same_points_and_labels(name):
    alone = name in ("f.npy", "g.npy")
    data = parse(SAMPLES[name], name, False if alone else None)
    assert np.array_equal(data.X, X * (X > 0.5) if name == "g.mat" else X) and data.name == name[0]
    assert data.y is None if alone else np.array_equal(data.y - data.y.min(), Y)
    assert data.task == (None if alone else "classification")


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?"])
def test_matlab_variables_equal_those_that_scipy_reads(kind):
    content = mat(kind < "i4", fea=(np.arange(30).reshape(10, 3) % 7).astype(kind), gnd=np.arange(10.0))
    assert np.array_equal(parse(content, "f.mat").X, loadmat(io.BytesIO(content))["fea"])


@pytest.mark.parametrize("name", SAMPLES)
def test_the_content_decides_and_the_ending_of_packed_files_is_taken_off(name):
    packed = SAMPLES[name] if name.endswith(("gz", "bz2")) else gzip.compress(SAMPLES[name], mtime=0)
    inner = name.removesuffix(".gz").removesuffix(".bz2")
    assert np.array_equal(parse(packed, f"{inner}.gz").X, parse(SAMPLES[name], name).X)
    assert parse(packed, f"{inner}.gz").name == inner.partition(".")[0]


def test_parquet_of_many_types():
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
            "truth": [True, False, True, True],
            "text": pd.Categorical(["u", "v", "u", "u"]),
            "small": np.array([1, 2, 3, 5], dtype=np.float32),
            "lists": [[1], [2], [], [3]],
        }
    )
    data = parse(parquet(frame), "f.parquet", target="small", encode=True)
    assert data.feature_names == ("whole", "truth", "text = u", "text = v")
    assert data.X.tolist() == [[1, 1, 1, 0], [3, 1, 1, 0], [4, 1, 1, 0]] and data.y.tolist() == [1, 3, 5]
    assert "'lists' hold neither numbers nor text" in notes(data) and "1 of 4 rows" in notes(data)


def test_pickles_are_never_read():
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("the pickle was run",))

    held = np.array([Trap()], dtype=object)
    assert "pickled" in refusal(npy(held, allow_pickle=True), "f.npy")
    assert "pickled" in refusal(npz(X=held), "f.npz")
    for ending in ("npy", "pkl", "mat"):
        refusal(pickle.dumps(Trap()), f"f.{ending}")
    # Fields of an array are no features.
    assert "send real numbers" in refusal(npy(np.zeros(3, [("a", "f8"), ("k", "S4")])), "f.npy")


BROKEN = pa.array([b"\xff\xfe", b"ab"], pa.binary()).view(pa.string())
REFUSED = {
    "a zipped table": ("f.csv.zip", zip_of(**{"f.csv": SAMPLES["f.csv"]}), "a ZIP archive without an array"),
    "a struct": (
        "f.mat",
        mat(s={"a": 1.0}, w="word"),
        r"no table of numbers \('s \(struct\)', 'w \(char\)'\)",
    ),
    "no UTF-8": ("f.parquet", columns({"a": [1.5, 2.5], "t": BROKEN}), "A text .* is not UTF-8"),
    "cut Parquet": ("f.parquet", SAMPLES["f.parquet"][:500], "damaged or cut off; save it again, or send"),
    "cut NumPy": ("f.npy", SAMPLES["f.npy"][:150], "damaged or cut off; save it again, or send"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_the_sentence_says_the_reason_alone(kind):
    name, content, said = REFUSED[kind]
    sentence = refusal(content, name)
    assert re.search(said, sentence) and "password" not in sentence and "memory" not in sentence


def test_bombs_are_stopped_at_the_ceiling():
    for pack in (gzip.compress, bz2.compress):
        chain = pack(bytes(10_000_000)) * 100  # 1 GB
        assert "unpacks to more than the 100 MB" in refusal(chain, "f.csv.gz")
    zeros = np.zeros((4_000, 4_000))  # 128 MB
    assert "more than the 100 MB" in refusal(npz(X=zeros), "f.npz")
    assert "more than the 100 MB" in refusal(mat(fea=zeros), "f.mat")
    assert "1000001 rows" in refusal(parquet(pd.DataFrame({"a": np.zeros(1_000_001)})), "f.parquet")
    wide = {f"c{j}": np.zeros(100_000) for j in range(301)}
    assert "100000 rows × 301 columns" in refusal(parquet(pd.DataFrame(wide)), "f.parquet")
    text = pd.DataFrame({"a": ["x" * 100_000] * 2_000, "b": 1.0})
    assert "more than the 100 MB" in refusal(parquet(text), "f.parquet")
    # A header that announces more than there is asks for no memory.
    head = npy(np.zeros((2, 2))).replace(b"(2, 2)", b"(9999999999, 99)")
    assert "more than the" in refusal(head, "f.npy")
    assert "does not begin" in refusal(b"\0\0\x08\x02" + b"\xff" * 8, "f.idx")


def test_huge_indices_and_wide_sparse_tables_are_refused():
    assert "× 1000000000 columns" in refusal(b"1 1:1 1000000000:1\n", "f.libsvm")
    rows = b"1 5000:1\n" * 6_001
    assert "zeros are stored" in refusal(rows, "f.libsvm")
    refusal(b"1 1:1 9000000000000000000:1\n", "f.libsvm")
    refusal(b"1 99999999999999999999999:1\n", "f.libsvm")
    refusal(b"1 -3:1\n", "f.libsvm")
    assert "columns" in refusal(mat(fea=sparse.csc_array((5, 60_000))), "f.mat")


POINTS = np.random.default_rng(5).standard_normal((12, 3))


def element(code, content):
    return struct.pack("<II", code, len(content)) + content + b"\0" * (-len(content) % 8)


def sparse_matlab(shape, rows, starts, values=None, copies=1):
    values = np.ones(len(rows)) if values is None else np.array(values)
    content = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    for k in range(copies):
        body = element(6, struct.pack("<II", 5, max(len(rows), 1))) + element(5, struct.pack("<2i", *shape))
        body += element(1, b"fea%d" % k) + element(5, np.array(rows, "<i4").tobytes())
        body += element(5, np.array(starts, "<i4").tobytes()) + element(9, values.astype("<f8").tobytes())
        content += struct.pack("<II", 14, len(body)) + body
    return content


@pytest.mark.parametrize(
    "shape, rows, starts",
    [
        *(((3, 2), [1], [0, *starts]) for starts in ([2_000_000, 0], [1, -1], [-5, 1], [1, 2], [1])),
        *(((3, 2), [1], starts) for starts in ([1, 1, 1], [])),
        *(((3, 2), [row], [0, 1, 1]) for row in (3, -1)),
        ((-3, 2), [1], [0, 1, 1]),
        ((900_000, 2), [1], [0, 10, 0]),
    ],
)
def test_starts_and_rows_of_a_sparse_matlab_variable_are_checked(shape, rows, starts):
    assert "damaged" in refusal(sparse_matlab(shape, rows, starts), "f.mat")


def test_a_sparse_matlab_variable_may_be_empty_or_name_a_cell_twice():
    assert parse(sparse_matlab((3, 2), [], [0, 0, 0]), "f.mat", target=False).X.tolist() == [[0, 0]] * 3
    twice = sparse_matlab((3, 2), [1, 1, 2], [0, 2, 3], [1, 4, 7])
    assert parse(twice, "f.mat", target=False).X.tolist() == [[0, 0], [5, 0], [0, 7]]


def test_many_sparse_matlab_variables_are_weighed_together(monkeypatch):
    monkeypatch.setattr("nysviz.numerics.machine.free_bytes", lambda: 300_000_000)
    content = sparse_matlab((100_000, 10), [1], [0] + [1] * 10, copies=40)
    assert "more than the 100 MB" in refusal(content, "f.mat") and len(content) < 10_000


@pytest.mark.parametrize("labels", [["nan", "1"], ["None", "2"], ["01234", "98765"], ["grün", "q"]])
@pytest.mark.parametrize("kind", ["U", "S"])
def test_labels_of_text_stay_as_they_are(labels, kind):
    values = [text.encode() for text in labels * 6] if kind == "S" else labels * 6
    data = parse(npz(X=POINTS, y=np.array(values)), "f.npz")
    assert set(data.classes) == set(labels) and data.n == 12


def test_whole_numbers_beyond_those_of_a_float_are_rounded_and_told():
    whole = pa.array([2**64 - 1 - 9999 * k for k in range(12)], pa.uint64())
    data = parse(columns({"a": POINTS[:, 0], "t": whole}), "f.parquet", target=False)
    assert np.array_equal(data.X[:, 1], np.array(whole, dtype=np.float64))
    assert "'t' whole numbers beyond 9007199254740992 were rounded" in notes(data)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_parquet_texts_of_every_type(kind):
    data = parse(columns({"a": POINTS[:, 0], "k": pa.array(["u", "v", "w"] * 4, kind)}), "f.parquet")
    assert data.classes == ("u", "v", "w") and data.y.tolist() == [0, 1, 2] * 4


def test_parquet_texts_that_look_like_numbers_stay_texts():
    codes, odd = ["01234", "98765"] * 6, ["nan", "1", "None"] * 4
    content = columns({"a": POINTS[:, 0], "zip": codes, "k": odd})
    kinds = summarise(read(content, "f.parquet")).columns["kind"]
    assert kinds.to_dict() == {"a": "numbers", "zip": "text", "k": "text"}
    assert parse(content, "f.parquet").classes == ("1", "None", "nan")
    whole = pd.DataFrame({"a": POINTS[:, 0], "c": pd.Categorical([5, 6] * 6)})
    assert parse(parquet(whole), "f.parquet", "c").classes == ("5", "6")


def test_libsvm_indices_rise_and_stand_only_once():
    data = parse(b"1 qid:3 1:2 3:1 # 5:1\n\n-1 2:1.5\n2 1:7 2:1\n", "f.libsvm")
    assert data.X.tolist() == [[2, 0, 1], [0, 1.5, 0], [7, 1, 0]] and data.y.tolist() == [1, -1, 2]
    for pairs in (b"8:3 7:1", b"7:1 7:2"):
        assert "do not rise; give each index once" in refusal(b"1 1:1\n1 " + pairs + b"\n", "f.libsvm")


REAL = {"german": "german.numer", "splice": "splice", "segment": "segment.dat", "yaleb": "YaleB_32x32.mat"}


@pytest.mark.parametrize("name, filename", REAL.items())
def test_the_real_files_are_read_as_the_catalog_reads_them(name, filename, needs):
    needs(name)
    # The classes of segment are numbers in its last column, without a name.
    content, target = (default_data_folder() / filename).read_bytes(), 19 if name == "segment" else None
    data, known = parse(content, filename, target), nv.load(name, raw=True)
    assert np.array_equal(data.X, known.X) and np.array_equal(data.y, known.y) and data.task == known.task
