"""A table that the free memory has no room for is refused in one sentence before it is made."""

import gzip
import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from nysviz import machine
from nysviz.datasets import parse
from tests.datasets.upload_samples import SAMPLES, mat, npy, parquet, refusal

ROWS, COLUMNS = 1000, 300
TABLE = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) % 7.0
CSV = "\n".join(",".join(f"{value:g}" for value in row) for row in TABLE).encode()
HEAD = b"".join(b"@attribute a%d real\n" % j for j in range(COLUMNS))
LARGE = {
    "x.csv": CSV, "x.csv.gz": gzip.compress(CSV, mtime=0), "x.libsvm": b"1 299:1\n" * ROWS,
    "x.npy": npy(TABLE.astype("u1")),
    "x.mat": mat(fea=sparse.csc_array(TABLE * (TABLE == 1))),
    "x.parquet": parquet(pd.DataFrame(TABLE.astype("i1"), columns=[f"c{j}" for j in range(COLUMNS)])),
    "x.arff": b"@relation r\n" + HEAD + b"@data\n" + CSV,
}  # fmt: skip


@pytest.fixture
def no_memory(monkeypatch):
    monkeypatch.setattr(machine, "free_bytes", lambda: 0)


@pytest.mark.parametrize("name", LARGE)
def test_a_table_without_room_is_refused_by_its_rows_and_columns(name, monkeypatch):
    monkeypatch.setattr(machine, "free_bytes", lambda: 100_000_000)
    assert parse(LARGE[name], name, False).n == ROWS
    monkeypatch.setattr(machine, "free_bytes", lambda: 0)
    said = refusal(LARGE[name], name)
    # Lines are counted before the header of an ARFF file is taken off.
    assert re.search("100[01] rows × (299|300) columns", said)
    assert "MB are there for it now, enough for 8" in said and "send" in said


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.usefixtures("no_memory")
def test_a_small_file_is_read_in_any_case(name):
    assert parse(SAMPLES[name], name).n == 12


def test_a_few_bytes_that_say_a_large_table_take_no_memory_before_they_are_refused(monkeypatch):
    monkeypatch.setattr(machine, "free_bytes", lambda: 300 * 2**20)
    content = b"1 4999:1\n" * 5600
    tracemalloc.start()
    try:
        said = refusal(content, "x.libsvm")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "5600 rows × 4999 columns" in said and "smaller indices" in said
    assert peak < 20_000_000


@pytest.mark.usefixtures("no_memory")
def test_the_bytes_of_a_file_have_a_limit_of_their_own():
    content = b"1,2\n" * 2_000_000
    assert "The file has 8.0 MB, and 2.7 MB can be read" in refusal(content, "x.csv")
    assert "The file has 8.0 MB, and 2.7 MB" in refusal(gzip.compress(content, mtime=0), "x.csv.gz")


@pytest.mark.usefixtures("no_memory")
def test_columns_of_0_and_1_are_refused_before_they_are_made():
    content = "\n".join(f"{k / 2},t{k % 50}" for k in range(10_000)).encode()
    assert parse(content, "x.csv", False).d == 1
    said = refusal(content, "x.csv", target=False, encode=True)
    assert "10000 rows × 51 columns" in said
