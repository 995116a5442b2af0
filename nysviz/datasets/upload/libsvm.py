"""LIBSVM (svmlight) text: found by its look, read by scikit-learn, made dense within limits."""

from __future__ import annotations

import io
import re

import pandas as pd
from sklearn.datasets import load_svmlight_file

from nysviz.datasets.upload.limits import (
    FILE_COPIES,
    MAX_ROWS,
    UploadError,
    check_limits,
    check_shape,
    room_for_reading,
)
from nysviz.datasets.upload.table import Table

# No form may backtrack: a line may be as long as the sample.
_NUMBER = rb"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+"
_LINE = re.compile(
    rb"\s*+" + _NUMBER + rb"(?:\s++qid:\d++)?+"
    rb"(?P<pairs>(?:\s++\d++:(?:" + _NUMBER + rb"|nan|inf))*+)\s*+(?:#.*+)?+"
)
# A single "pair" such as 10:15 in each line is the time of the day.
_TIME = re.compile(rb"\s*+\d\d?+:[0-5]\d")
SAMPLE_BYTES = 100_000
SAMPLE_LINES = 50
# scikit-learn reads some three million pairs a second.
MAX_PAIRS = 12_000_000
# Bytes that it takes for each pair, with those that it makes room for in advance.
PAIR_BYTES = 24


def is_libsvm(content: bytes) -> bool:
    """Whether the first lines are a label each and pairs index:value."""
    sample = content[:SAMPLE_BYTES]
    whole = len(content) <= SAMPLE_BYTES
    lines = [line for line in sample.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    lines = (lines if whole or len(lines) == 1 else lines[:-1])[:SAMPLE_LINES]
    if not whole and len(lines) == 1:
        lines[0] = lines[0].rpartition(b" ")[0]  # a long line is cut where a pair ends
    found = [_LINE.fullmatch(line) for line in lines]
    pairs = [match["pairs"] for match in found if match and match["pairs"]]
    return all(found) and bool(pairs) and not all(map(_TIME.fullmatch, pairs))


def read_libsvm(content: bytes) -> Table:
    """A label and the pairs index:value of a line; what is not named is 0."""
    if (rows := content.count(b"\n")) > MAX_ROWS:
        check_limits(rows, 1)
    if (pairs := content.count(b":")) > MAX_PAIRS:
        raise UploadError(
            f"The file holds {pairs} values; at most {MAX_PAIRS / 1e6:.0f} million are read in this format, "
            "so send a sample of its rows."
        )
    beside = FILE_COPIES * len(content) + PAIR_BYTES * pairs
    if beside > (room := room_for_reading()):
        raise UploadError(
            f"The file holds {pairs} values in {rows} lines, which take {beside / 1e6:.0f} MB of memory to "
            f"read; {room / 1e6:.0f} MB are there for it now, enough for {int(rows * room / beside)} such "
            "lines, so send a sample of its rows."
        )
    try:
        X, y = load_svmlight_file(io.BytesIO(content), zero_based=True)
    except ValueError as problem:
        if "sorted and unique" not in str(problem):
            raise
        X, y = load_svmlight_file(io.BytesIO(_sorted(content)), zero_based=True)
    if X.shape[1] > 1 and not (X.nnz and int(X.indices.min()) == 0):
        start, X = 1, X[:, 1:]
    else:
        start = 0 if X.nnz else 1
    check_shape(
        X.shape[0],
        X.shape[1],
        "the largest index counts, for zeros are stored too, so send fewer rows or smaller indices",
    )
    frame = pd.DataFrame(X.toarray(), copy=False)
    frame.columns = pd.Index([f"x{start + j}" for j in range(X.shape[1])])
    frame.insert(0, "target", y)
    return Table(frame, "Read as LIBSVM text: a label and pairs index:value a line.", target="target")


def _sorted(content: bytes) -> bytes:
    """Return the lines with their pairs in the order of the indices.

    Raises
    ------
    UploadError
        An index stands twice in a line.
    """
    lines = content.split(b"\n")
    for number, line in enumerate(lines):
        label, *rest = line.partition(b"#")[0].split() or [b""]
        named = [pair for pair in rest if not pair.startswith(b"qid:")]
        pairs = {int(pair.partition(b":")[0]): pair for pair in named}
        if len(pairs) < len(named):
            raise UploadError(f"Line {number + 1} names an index twice; give each index one value.")
        lines[number] = b" ".join([label, *(pairs[index] for index in sorted(pairs))])
    return b"\n".join(lines)
