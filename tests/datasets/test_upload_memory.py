"""What one file may take of memory and time; parsers of binary formats have a process apart."""

import gzip
import io
import os
import re
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet as pq
from scipy import sparse

from nysviz.datasets import parse
from nysviz.datasets.upload import binary, build, limits, read
from nysviz.numerics import machine
from tests.datasets.upload_samples import FRAME, SAMPLES, columns, mat, npy, parquet, refusal, written
from tests.traced import traced

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
    assert "MB are available now, enough for 8" in said and "send" in said


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.usefixtures("no_memory")
def test_a_small_file_is_read_in_any_case(name):
    assert parse(SAMPLES[name], name).n == 12


def test_a_few_bytes_that_say_a_large_table_take_no_memory_before_they_are_refused(monkeypatch):
    monkeypatch.setattr(machine, "free_bytes", lambda: 300 * 2**20)
    content = b"1 4999:1\n" * 5600
    said, peak = traced(lambda: refusal(content, "x.libsvm"))
    assert "5600 rows × 4999 columns" in said and "smaller indices" in said
    assert peak < 20_000_000


LONG = b"1,2\n" * 2_000_000
TEXTS = "\n".join(f"{k / 2},t{k % 50}" for k in range(10_000)).encode()


@pytest.mark.usefixtures("no_memory")
@pytest.mark.parametrize(
    "content, name, options, said",
    [
        (LONG, "x.csv", {}, "The file has 8.0 MB, and 2.7 MB can be read"),
        (gzip.compress(LONG, mtime=0), "x.csv.gz", {}, "The file has 8.0 MB, and 2.7 MB"),
        (TEXTS, "x.csv", {"target": False, "encode": True}, "10000 rows × 51 columns"),
    ],
    ids=["long", "packed", "columns of 0 and 1"],
)
def test_what_is_large_is_refused_before_it_is_made(content, name, options, said):
    assert said in refusal(content, name, **options)


def test_parquet_that_crashes_the_parser_ends_in_a_sentence(tmp_path, monkeypatch):
    child = tmp_path / "child.py"
    child.write_text("import os; os.abort()")
    monkeypatch.setattr(binary, "CHILD", child)
    assert "damaged" in refusal(columns({"a": [1.5, 2.5]}), "f.parquet")


def shrunk(content):
    """A Parquet file of one column of text whose description says that it unpacks to 1000 bytes."""
    group = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0)
    for size in {group.total_byte_size, group.column(0).total_uncompressed_size}:
        said, wanted = bytearray(), bytearray()
        for value, into in ((2 * size, said), (2000, wanted)):
            while value > 127 or len(into) < len(said) - 1:
                into.append(value & 127 | 128)
                value >>= 7
            into.append(value)
        at = content.rindex(bytes(said))
        content = content[:at] + bytes(wanted) + content[at + len(wanted) :]
    return content


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs a limit of the memory of a process")  # noqa: PTH110
def test_a_parquet_file_that_lies_about_its_size_takes_bounded_memory(monkeypatch):
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    lying = shrunk(columns({"t": ["x" * 200_000_000]}, **options))
    assert len(lying) < 20_000
    assert pq.ParquetFile(io.BytesIO(lying)).metadata.row_group(0).total_byte_size == 1000
    monkeypatch.setattr(binary, "MOST_MEMORY", binary.LEAST_MEMORY)
    assert "unpacks to more than the 64 MB" in refusal(lying, "f.parquet")


def test_nothing_of_a_visitor_is_in_the_command_that_reads_parquet(monkeypatch):
    run, commands = subprocess.run, []
    monkeypatch.setattr(subprocess, "run", lambda of, **options: commands.append(of) or run(of, **options))
    parse(columns({"a; rm -rf x": [1.5, 2.5]}), "-c; rm -rf x.parquet", target=False)
    assert commands == [[sys.executable, "-P", str(binary.CHILD)]]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_has_the_same_seconds(name, monkeypatch):
    monkeypatch.setattr(limits, "SECONDS", 0)
    assert "takes more than the 0 s" in refusal(SAMPLES[name], name)


def test_a_parser_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    child = tmp_path / "child.py"
    child.write_text("import time; time.sleep(60)")
    monkeypatch.setattr(binary, "CHILD", child)
    monkeypatch.setattr(limits, "SECONDS", 0.5)
    begun = time.monotonic()
    assert "Reading the Parquet file takes more than" in refusal(columns({"a": [1.5, 2.5]}), "f.parquet")
    assert time.monotonic() - begun < 20


@pytest.mark.timeout(60)
def test_a_cell_far_away_on_each_of_many_sheets_takes_no_time():
    def write(file):
        with pd.ExcelWriter(file, engine="xlsxwriter") as writer:
            for k in range(40):
                writer.book.add_worksheet(f"s{k}").write(1_048_575, 9, 1)
            FRAME.to_excel(writer, sheet_name="table", index=False)

    begun = time.monotonic()
    assert parse(written(write), "x.xlsx").n == len(FRAME) and time.monotonic() - begun < 15


LONG_LINE = b"1" * 1_000_001
COSTLY = {
    "text": ("x.csv", b"a,b\n1,2\n" + LONG_LINE + b",3\n", "Line 3 has more than 1 MB"),
    "ARFF": (
        "x.arff",
        b"@relation r\n@attribute a real\n@data\n1\n" + LONG_LINE,
        "Line 3 has more than 1 MB",
    ),
    "LIBSVM": ("x.txt", b"1 1:1\n" * 60 + b"1 1:" + LONG_LINE, "Line 61 has more than 1 MB"),
}


@pytest.mark.parametrize("kind", COSTLY)
def test_what_would_take_long_is_refused_at_once(kind):
    name, content, said = COSTLY[kind]
    assert said in refusal(content, name)


def test_a_small_file_is_read_beside_others_and_a_large_one_is_not():
    for name, content in SAMPLES.items():
        table = limits.only_if_small(lambda name=name, content=content: read(content, name))
        assert limits.only_if_small(lambda table=table: build(table, "f")).n == 12
    large = [
        ("x.txt", b"1 4999:1\n" * 5600), ("x.csv", b",".join([b"1"] * 4999) + b"\n1\n" * 1000),
        ("x.csv.gz", gzip.compress(b"1,2\n" * 2_000_000, mtime=0)), ("x.npy", npy(np.zeros((9_000, 100)))),
    ]  # fmt: skip
    for name, content in large:
        with pytest.raises(limits.LargeFile):
            limits.only_if_small(lambda name=name, content=content: read(content, name))
