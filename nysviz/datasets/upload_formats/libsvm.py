"""LIBSVM (svmlight) text: found by its look, read by scikit-learn, made dense within limits."""

from __future__ import annotations

import io
import re

import pandas as pd
from sklearn.datasets import load_svmlight_file

from nysviz.datasets.table import Table
from nysviz.datasets.upload_limits import (
    FILE_COPIES,
    MAX_ROWS,
    UploadError,
    check_limits,
    check_shape,
    room_for_reading,
)

_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LINE = re.compile(
    rb"\s*" + _NUMBER + rb"(?:\s+qid:\d+)?(?P<pairs>(?:\s+\d+:(?:" + _NUMBER + rb"|nan|inf))*)\s*(?:#.*)?"
)
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
    return all(found) and any(match and match["pairs"] for match in found)


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
    X, y = load_svmlight_file(io.BytesIO(content), zero_based=True)
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
