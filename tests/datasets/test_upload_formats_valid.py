"""Valid files of binary formats and of LIBSVM that are seldom written, and crafted ones that do no harm."""

import io
import os
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from nysviz.datasets import describe, parse
from nysviz.datasets.upload import binary
from tests.datasets.upload_samples import notes, npy, npz, refusal, written

POINTS = np.random.default_rng(5).standard_normal((12, 3))
TEXTS = ["u", "v", "w"] * 4


def columns(table, **options):
    return written(lambda file: pq.write_table(pa.table(table), file, **options))


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
    monkeypatch.setattr("nysviz.machine.free_bytes", lambda: 300_000_000)
    content = sparse_matlab((100_000, 10), [1], [0] + [1] * 10, copies=40)
    assert "take" in refusal(content, "f.mat") and len(content) < 10_000


def test_an_array_with_named_fields_is_refused():
    array = np.zeros(3, dtype=[("a", "f8"), ("k", "S4")])
    assert "send real numbers, one row a point" in refusal(npy(array), "f.npy")


@pytest.mark.parametrize("labels", [["nan", "1"], ["None", "2"], ["01234", "98765"], ["grün", "q"]])
@pytest.mark.parametrize("kind", ["U", "S"])
def test_labels_of_text_stay_as_they_are(labels, kind):
    values = [text.encode() for text in labels * 6] if kind == "S" else labels * 6
    data = parse(npz(X=POINTS, y=np.array(values)), "f.npz")
    assert set(data.classes) == set(labels) and data.n == 12


@pytest.mark.parametrize(
    "whole",
    [
        [2**60 + k * k for k in range(12)],
        [1_700_000_000_123_456_789 + k * 10**9 for k in range(12)],
        pa.array([2**64 - 1 - 9999 * k for k in range(12)], pa.uint64()),
    ],
    ids=["identifiers", "nanoseconds", "unsigned"],
)
def test_whole_numbers_beyond_those_of_a_float_are_rounded_and_told(whole):
    data = parse(columns({"a": POINTS[:, 0], "t": whole}), "f.parquet", target=False)
    assert np.array_equal(data.X[:, 1], np.array(whole, dtype=np.float64))
    assert "'t': whole numbers beyond 9007199254740992 were rounded" in notes(data)


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", None])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_parquet_texts_of_every_encoding_and_type(encoding, kind):
    options = {"use_dictionary": False, "column_encoding": {"k": encoding, "a": "PLAIN"}} if encoding else {}
    data = parse(columns({"a": POINTS[:, 0], "k": pa.array(TEXTS, kind)}, **options), "f.parquet")
    assert data.classes == ("u", "v", "w") and data.y.tolist() == [0, 1, 2] * 4


def test_parquet_texts_that_look_like_numbers_stay_texts():
    codes, odd = ["01234", "98765"] * 6, ["nan", "1", "None"] * 4
    content = columns({"a": POINTS[:, 0], "zip": codes, "k": odd})
    kinds = {column.name: column.kind for column in describe(content, "f.parquet").columns}
    assert kinds == {"a": "numbers", "zip": "text", "k": "text"}
    assert parse(content, "f.parquet").classes == ("1", "None", "nan")
    whole = pd.DataFrame({"a": POINTS[:, 0], "c": pd.Categorical([5, 6] * 6)})
    assert parse(written(whole.to_parquet), "f.parquet", "c").classes == ("5", "6")


def test_parquet_that_crashes_the_parser_ends_in_a_sentence(tmp_path, monkeypatch):
    child = tmp_path / "child.py"
    child.write_text("import os; os.abort()")
    monkeypatch.setattr(binary, "_CHILD", child)
    assert "damaged" in refusal(columns({"a": POINTS[:, 0]}), "f.parquet")


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
    content = columns(
        {"t": ["x" * 200_000_000]}, compression="zstd", use_dictionary=False, write_statistics=False
    )
    lying = shrunk(content)
    assert len(lying) < 20_000
    assert pq.ParquetFile(io.BytesIO(lying)).metadata.row_group(0).total_byte_size == 1000
    monkeypatch.setattr(binary, "MOST_MEMORY", binary.LEAST_MEMORY)
    assert "unpacks to more than the 64 MB" in refusal(lying, "f.parquet")


def test_libsvm_indices_rise_and_stand_only_once():
    data = parse(b"1 qid:3 1:2 3:1 # 5:1\n\n-1 2:1.5\n2 1:7 2:1\n", "f.libsvm")
    assert data.X.tolist() == [[2, 0, 1], [0, 1.5, 0], [7, 1, 0]] and data.y.tolist() == [1, -1, 2]
    for pairs in (b"8:3 7:1", b"7:1 7:2"):
        assert "do not rise; give each index once" in refusal(b"1 1:1\n1 " + pairs + b"\n", "f.libsvm")


def test_nothing_of_a_visitor_is_in_the_command_that_reads_parquet(monkeypatch):
    run, commands = subprocess.run, []
    monkeypatch.setattr(
        subprocess, "run", lambda command, **options: commands.append(command) or run(command, **options)
    )
    parse(columns({"a; rm -rf x": POINTS[:, 0]}), "-c; rm -rf x.parquet", target=False)
    assert commands == [[sys.executable, "-P", str(binary._CHILD)]]
