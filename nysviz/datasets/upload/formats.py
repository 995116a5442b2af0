"""Which format a file has, by its content first and by its name's ending second, packed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import PurePosixPath

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.arff import is_arff, read_arff
from nysviz.datasets.upload.binary import (
    HDF,
    MATLAB,
    NPY,
    PARQUET,
    is_workbook,
    read_arrays,
    read_parquet,
    read_workbook,
)
from nysviz.datasets.upload.libsvm import is_libsvm, read_libsvm
from nysviz.datasets.upload.numbers import finished
from nysviz.datasets.upload.table import Table, plain
from nysviz.datasets.upload.text import read_text
from nysviz.refusal import Refusal

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".data")
PACKED_ENDINGS = (".gz", ".bz2")
# With those of other formats, whose content decides and not their ending.
ENDINGS = (
    *TEXT_ENDINGS, ".npy", ".npz", ".mat", ".parquet", ".xlsx", ".xlsb", ".xls", ".ods", ".arff",
    ".libsvm", ".svm", ".svmlight", *PACKED_ENDINGS,
)  # fmt: skip
_BINARY: tuple[tuple[bytes, str, Callable[[bytes], Table]], ...] = (
    *((start, "NumPy", read_arrays) for start in (NPY, b"PK\x03\x04", b"PK\x05\x06")),
    *((start, "MATLAB", read_arrays) for start in (MATLAB, b"MATLAB 7.3", HDF)),
    (PARQUET, "Parquet", read_parquet),
)
# A packed file may be a chain of packed pieces; a chain of empty ones would only cost time.
MAX_PIECES = 10_000
_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"


def without_packing(filename: str) -> PurePosixPath:
    """The last part of the file's name, without .gz or .bz2."""
    path = PurePosixPath(PurePosixPath(str(filename).replace("\\", "/")).name)
    return path.with_suffix("") if path.suffix.lower() in PACKED_ENDINGS else path


def read(
    content: bytes,
    filename: str,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Read a file once, to be summarised and built; parameters and errors as of ``nv.parse``."""
    if header not in (None, True, False):
        raise Refusal(f"header is {plain(header)!r}; give True, False or None.")
    if not isinstance(content, bytes | bytearray | memoryview):
        raise Refusal(f"content is of type {type(content).__name__}; the bytes of a file are needed.")
    if len(content) > limits.MAX_BYTES:
        raise Refusal(
            f"The file has {len(content) / 1e6:.1f} MB; at most {limits.MAX_BYTES / 1e6:.0f} MB are read, so "
            "send a sample of its rows or fewer columns."
        )
    content = bytes(content)
    limits.check_bytes(len(content))
    if not content.strip():
        raise Refusal("The file is empty; send a table with at least one row of numbers.")
    table = _read(content, filename, header, encoding, sheet)
    for name, given, found in (
        ("header", header, table.header),
        ("encoding", encoding, table.encoding),
        ("sheet", sheet, table.sheets or None),
    ):
        if given is not None and found is None:
            raise Refusal(
                f"{name} is {plain(given)!r}, but the format of this file leaves no choice; leave it away."
            )
    return finished(table)


def _read(
    content: bytes, filename: str, header: bool | None, encoding: str | None, sheet: str | None
) -> Table:
    ending = without_packing(filename).suffix.lower()
    packed_ending = PurePosixPath(str(filename)).suffix.lower()
    if is_packed(content):
        content = unpack(content)
        limits.check_bytes(len(content))
        if not content.strip():
            raise Refusal("The packed file is empty; send a table with at least one row of numbers.")
    elif packed_ending in PACKED_ENDINGS:
        ending = packed_ending
    if is_workbook(content):
        return read_workbook(content, header, sheet)
    for start, kind, reader in _BINARY:
        if content.startswith(start):
            return _guarded(reader, content, kind)
    if ending == ".arff" or is_arff(content):
        return _guarded(read_arff, content, "ARFF")
    if ending not in (".csv", ".tsv") and is_libsvm(content):
        return _guarded(read_libsvm, content, "LIBSVM")
    if ending in TEXT_ENDINGS:
        return read_text(content, header, encoding)
    listed = f"{', '.join(TEXT_ENDINGS[:-1])} or {TEXT_ENDINGS[-1]}"
    raise Refusal(
        f"The file ends in {plain(ending, 20) or 'nothing'} and does not begin like data that are read; "
        f"save the table as text ending in {listed}, or as Excel, LIBSVM, ARFF, Parquet, NumPy or MATLAB "
        "data."
    )


def _guarded(reader: Callable[[bytes], Table], content: bytes, kind: str) -> Table:
    try:
        table = reader(content)
        rows, columns = table.frame.shape
        limits.check_limits(rows, max(columns - (table.target is not None), 1))
        return table
    except (Refusal, MemoryError):
        raise
    except Exception as problem:
        # Broad on purpose: pyarrow, pandas, scikit-learn and zipfile raise a dozen types on a damaged file.
        raise Refusal(
            f"The file looks like {kind} data but cannot be read as such ({type(problem).__name__}), so it "
            "is damaged or cut off; save it again, or send the table as CSV."
        ) from problem


def is_packed(content: bytes) -> bool:
    """Whether the file begins as gzip or bzip2 do."""
    return content.startswith(_GZIP) or (content.startswith(_BZIP2) and content[4:10] == b"1AY&SY")


def unpack(content: bytes) -> bytes:
    """What a gzip or bzip2 file holds, unpacked as a stream that stops at a ceiling, and only once."""
    kind = "gzip" if content.startswith(_GZIP) else "bzip2"
    if content.count(b"\x1f\x8b\x08" if kind == "gzip" else _BZIP2) > MAX_PIECES:
        raise Refusal(f"The {kind} file is a chain of too many pieces; pack it again in one piece.")
    opened = gzip.open if kind == "gzip" else bz2.open
    try:
        with opened(io.BytesIO(content), "rb") as file:
            text = file.read(limits.MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error, ValueError) as problem:
        raise Refusal(
            f"The {kind} file is damaged or cut off; send the whole file again, or unpack it first."
        ) from problem
    limits.check_unpacked(len(text), f"The {kind} file")
    if is_packed(text):
        raise Refusal(f"The {kind} file holds another packed file; pack the table once only.")
    return text
