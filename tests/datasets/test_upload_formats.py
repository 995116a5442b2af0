import bz2
import gzip
import io
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import loadmat

import nysviz as nv
from nysviz.datasets import default_data_folder, parse
from tests.datasets.upload_samples import SAMPLES, X, Y, mat, notes, npy, npz, parquet, refusal

pytestmark = pytest.mark.usefixtures("warm_reader")


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "g.mat"])
def test_every_format_gives_the_same_points_and_labels(name):
    alone = name in ("f.npy", "g.npy")
    data = parse(SAMPLES[name], name, False if alone else None)
    assert np.array_equal(data.X, X) and data.task == (None if alone else "classification")
    assert data.y is None if alone else np.array_equal(data.y - data.y.min(), Y) and data.name == "f"


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?"])
def test_matlab_variables_equal_those_that_scipy_reads(kind, compressed):
    values = (np.arange(30).reshape(10, 3) % 7).astype(kind)
    content = mat(compressed, fea=values, sparse=sparse.csc_array(values.astype(float)), gnd=np.arange(10.0))
    for name in ("fea", "sparse"):
        known = loadmat(io.BytesIO(content), spmatrix=False)[name]
        alone = mat(compressed, **{name: known})
        known = known.toarray() if sparse.issparse(known) else known
        assert np.array_equal(parse(alone, "f.mat", target=False).X, known)


def test_sparse_matlab():
    data = parse(SAMPLES["g.mat"], "g.mat")
    assert np.array_equal(data.X, X * (X > 0.5)) and np.array_equal(data.y, Y)


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
    refusal(pickle.dumps(Trap()), "f.npy")
    refusal(pickle.dumps(Trap()), "f.pkl")
    refusal(pickle.dumps(Trap()), "f.mat")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
def test_a_bomb_is_stopped_at_the_ceiling(pack):
    piece = pack(bytes(10_000_000))
    assert "unpacks to more than the 100 MB" in refusal(piece * 100, "f.csv.gz")  # a chain of 1 GB


def test_bombs_inside_formats():
    zeros = np.zeros((4_000, 4_000))  # 128 MB
    assert "more than the 100 MB" in refusal(npz(X=zeros), "f.npz")
    assert "unpacks to more" in refusal(mat(fea=zeros), "f.mat")
    assert "1000000 are read" in refusal(parquet(pd.DataFrame({"a": np.zeros(1_000_001)})), "f.parquet")
    wide = {f"c{j}": np.zeros(100_000) for j in range(301)}
    assert "100000 × 301 numbers" in refusal(parquet(pd.DataFrame(wide)), "f.parquet")
    text = pd.DataFrame({"a": ["x" * 100_000] * 2_000, "b": 1.0})
    assert "The text of the Parquet file" in refusal(parquet(text), "f.parquet")
    # A header that announces more than there is asks for no memory.
    head = npy(np.zeros((2, 2))).replace(b"(2, 2)", b"(9999999999, 99)")
    assert "more than the" in refusal(head, "f.npy")
    assert "does not begin" in refusal(b"\0\0\x08\x02" + b"\xff" * 8, "f.idx")


def test_huge_indices_and_wide_sparse_tables_are_refused():
    assert "has 1000000000 columns" in refusal(b"1 1:1 1000000000:1\n", "f.libsvm")
    rows = b"1 5000:1\n" * 6_001
    assert "zeros are stored" in refusal(rows, "f.libsvm")
    refusal(b"1 1:1 9000000000000000000:1\n", "f.libsvm")
    refusal(b"1 99999999999999999999999:1\n", "f.libsvm")
    refusal(b"1 -3:1\n", "f.libsvm")
    assert "columns" in refusal(mat(fea=sparse.csc_array((5, 60_000))), "f.mat")


REAL = {"german": "german.numer", "splice": "splice", "segment": "segment.dat", "yaleb": "YaleB_32x32.mat"}


@pytest.mark.parametrize("name, filename", REAL.items())
def test_the_real_files_are_read_as_the_catalog_reads_them(name, filename, needs):
    needs(name)
    # The classes of segment are numbers in its last column, without a name.
    content, target = (default_data_folder() / filename).read_bytes(), 19 if name == "segment" else None
    data, known = parse(content, filename, target), nv.load(name, raw=True)
    assert np.array_equal(data.X, known.X) and np.array_equal(data.y, known.y) and data.task == known.task
