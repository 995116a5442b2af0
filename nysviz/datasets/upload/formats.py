"""Which format a file has, by its content first and by its name's ending second, packed or not."""

import bz2
import gzip
import io
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from nysviz.datasets.upload import binary, limits
from nysviz.datasets.upload.arff import is_arff, read_arff
from nysviz.datasets.upload.columns import checked_codes, finish_table
from nysviz.datasets.upload.table import Table, named_numbers, plain
from nysviz.datasets.upload.text import read_text
from nysviz.datasets.upload.turning import advise_turning, turn_table
from nysviz.refusal import Refusal

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".data")
# A packed file may be a chain of packed pieces; a chain of empty ones would only cost time.
MAX_PIECES = 10_000
_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"
# Bytes that scikit-learn takes for each pair of LIBSVM, with those that it makes room for in advance.
PAIR_BYTES = 24
# No form may backtrack: a line may be as long as the sample.
_NUMBER = rb"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+"
_PAIRS = re.compile(
    rb"\s*+" + _NUMBER + rb"(?:\s++qid:\d++)?+"
    rb"((?:\s++\d++:(?:" + _NUMBER + rb"|nan|inf))*+)\s*+(?:#.*+)?+"
)
# A single "pair" such as 10:15 in each line is the time of the day.
_TIME = re.compile(rb"\s*+\d\d?+:[0-5]\d")
SAMPLE_BYTES, SAMPLE_LINES = 100_000, 50


def strip_packing(filename: str) -> PurePosixPath:
    """Return the last part of the file's name, without .gz or .bz2."""
    path = PurePosixPath(PurePosixPath(str(filename).replace("\\", "/")).name)
    return path.with_suffix("") if path.suffix.lower() in (".gz", ".bz2") else path


@limits.bounded()
def read(
    content: bytes,
    filename: str,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    missing_values: Sequence[str | float] = (),
    first_line: int | None = None,
    turn: bool = False,
) -> Table:
    """Read a file once, to be summarised and built; parameters and errors as of ``nv.parse``."""
    if header not in (None, True, False):
        raise Refusal(f"header is {plain(header)!r}; give True, False or None.")
    if turn not in (True, False):
        raise Refusal(f"turn is {plain(turn)!r}; give True or False.")
    if first_line is not None and (type(first_line) is not int or first_line < 1):
        raise Refusal(f"first_line is {plain(first_line)!r}; give the number of a line, from 1, or None.")
    if not isinstance(content, bytes | bytearray | memoryview):
        raise Refusal(f"content is of type {type(content).__name__}; the bytes of a file are needed.")
    if len(content) > limits.MAX_BYTES:
        raise Refusal(
            f"The file has {len(content) / 1e6:.1f} MB; at most {limits.MAX_BYTES / 1e6:.0f} MB are read, so "
            f"{limits.FEWER}."
        )
    limits.check_bytes(len(content))
    content = unpack(bytes(content))
    if not content.strip():
        raise Refusal("The file is empty; send a table with at least one row of numbers.")
    ending, is_turned = strip_packing(filename).suffix.lower(), False
    if binary.is_workbook(content):
        table = _guarded("workbook", lambda: binary.read_workbook(content, header, sheet, first_line))
    elif content.startswith(
        (binary.NPY, b"PK\x03\x04", b"PK\x05\x06", binary.MATLAB, b"MATLAB 7.3", binary.HDF)
    ):
        table, is_turned = _guarded("NumPy or MATLAB", lambda: binary.read_arrays(content, turn)), True
    elif content.startswith(binary.PARQUET):
        table = _guarded("Parquet", lambda: binary.read_parquet(content))
    elif ending == ".arff" or is_arff(content):
        table = _guarded("ARFF", lambda: read_arff(content))
    elif ending not in (".csv", ".tsv") and is_libsvm(content):
        table = _guarded("LIBSVM", lambda: read_libsvm(content))
    elif ending in TEXT_ENDINGS:
        table = read_text(content, header, encoding, None, first_line)
    else:
        raise Refusal(
            f"The file ends in {plain(ending, 20) or 'nothing'} and does not begin like data that are read; "
            f"save the table as text ending in {', '.join(TEXT_ENDINGS)}, or as Excel, LIBSVM, ARFF, "
            "Parquet, NumPy or MATLAB data."
        )
    for name, value, assumed in (
        ("header", header, table.header),
        ("encoding", encoding, table.encoding),
        ("sheet", sheet, table.sheets or None),
        ("first_line", first_line, table.first_line),
    ):
        if value is not None and assumed is None:
            text = f"{name} is {plain(value)!r}, but the format of this file leaves no choice; leave it away."
            raise Refusal(text)
    table = finish_table(table, checked_codes(missing_values))
    if turn:
        table = table if is_turned else turn_table(table)
        return replace(table, notes=(*table.notes, "The table was turned: each of its columns is a point."))
    return advise_turning(table)


def _guarded(kind: str, reader: Callable[[], Table]) -> Table:
    try:
        return reader()
    except (Refusal, MemoryError, limits.LargeFile):
        raise
    except Exception as problem:
        # Broad on purpose: pyarrow, pandas, scikit-learn and zipfile raise a dozen types on a damaged file.
        raise Refusal(
            f"The file looks like {kind} data but cannot be read as such ({type(problem).__name__}), so it "
            "is damaged or cut off; save it again, or send the table as CSV."
        ) from problem


def _is_packed(content: bytes) -> bool:
    return content.startswith(_GZIP) or (content.startswith(_BZIP2) and content[4:10] == b"1AY&SY")


def unpack(content: bytes) -> bytes:
    """Return the content of a gzip or bzip2 file, unpacked only once as a stream that stops at a ceiling."""
    if not _is_packed(content):
        return content
    kind = "gzip" if content.startswith(_GZIP) else "bzip2"
    if content.count(_GZIP + b"\x08" if kind == "gzip" else _BZIP2) > MAX_PIECES:
        raise Refusal(f"The {kind} file is a chain of too many pieces; pack it again in one piece.")
    try:
        with (gzip.open if kind == "gzip" else bz2.open)(io.BytesIO(content), "rb") as file:
            content = file.read(limits.MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error, ValueError) as problem:
        raise Refusal(
            f"The {kind} file is damaged or cut off; send the whole file again, or unpack it first."
        ) from problem
    limits.check_unpacked(len(content), f"The {kind} file")
    limits.check_bytes(len(content))
    if _is_packed(content):
        raise Refusal(f"The {kind} file holds another packed file; pack the table once only.")
    return content


def is_libsvm(content: bytes) -> bool:
    """Whether the first lines are a label each and pairs index:value."""
    sample = content[:SAMPLE_BYTES]
    whole = len(content) <= SAMPLE_BYTES
    lines = [line for line in sample.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    lines = (lines if whole or len(lines) == 1 else lines[:-1])[:SAMPLE_LINES]
    if not whole and len(lines) == 1:
        lines[0] = lines[0].rpartition(b" ")[0]  # a long line is cut where a pair ends
    matches = [_PAIRS.fullmatch(line) for line in lines]
    pairs = [match[1] for match in matches if match and match[1]]
    return all(matches) and bool(pairs) and not all(map(_TIME.fullmatch, pairs))


class _Lines(io.BytesIO):
    """A file whose lines let other threads work, which scikit-learn's reader alone would not."""

    def __next__(self) -> bytes:
        limits.seconds_left()
        return super().__next__()


def read_libsvm(content: bytes) -> Table:
    """Read a label and the pairs index:value of each line; indices that are not named are 0."""
    # Imported late: scikit-learn is slow to import.
    from sklearn.datasets import load_svmlight_file

    limits.check_shape(
        sum(max(content[block].count(b"\n"), 1) for block in limits.blocks_of_lines(content)), 1
    )
    limits.check_bytes(len(content), limits.FILE_COPIES + PAIR_BYTES * content.count(b":") / len(content))
    try:
        X, y = load_svmlight_file(_Lines(content), zero_based=True)
    except Refusal:
        raise
    except ValueError as problem:
        if "sorted and unique" not in str(problem):
            raise
        raise Refusal("The indices of a line do not rise; give each index once, in their order.") from problem
    zero_based = X.nnz > 0 and int(X.indices.min()) == 0
    # LIBSVM's files of kernel matrices number the rows by 0:1, 0:2 and so on.
    serials = X[:, [0]].toarray().ravel()
    is_kernel = min(X.shape) > 2 and np.array_equal(serials, np.arange(1, len(serials) + 1))
    zero_based = zero_based and not is_kernel
    if X.shape[1] > 1 and not zero_based:
        X = X[:, 1:]
    remedy = "the largest index counts, since zeros are stored too; send fewer rows or smaller indices"
    limits.check_shape(X.shape[0], X.shape[1], remedy)
    frame = named_numbers(X.toarray(), 0 if zero_based or not X.nnz else 1)
    frame.insert(0, "target", y)
    notes = ["Read as LIBSVM text: a label and pairs index:value a line."]
    if is_kernel:
        notes.append("The pairs 0:1, 0:2, … number the rows, as in LIBSVM's files of kernel matrices.")
    is_square = is_kernel and X.shape[0] == X.shape[1]
    return Table(frame, tuple(notes), target="target", is_similarities=is_square)
