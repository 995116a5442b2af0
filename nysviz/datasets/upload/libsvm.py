"""LIBSVM (svmlight) text: found by its look, read by scikit-learn, made dense within limits."""

from __future__ import annotations

import io
import re

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.table import Table, named_numbers
from nysviz.refusal import Refusal

# No form may backtrack: a line may be as long as the sample.
_NUMBER = rb"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+"
_LINE = re.compile(
    rb"\s*+" + _NUMBER + rb"(?:\s++qid:\d++)?+"
    rb"(?P<pairs>(?:\s++\d++:(?:" + _NUMBER + rb"|nan|inf))*+)\s*+(?:#.*+)?+"
)
# A single "pair" such as 10:15 in each line is the time of the day.
_TIME = re.compile(rb"\s*+\d\d?+:[0-5]\d")
SAMPLE_BYTES, SAMPLE_LINES = 100_000, 50
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
    # Imported late: scikit-learn is slow to import.
    from sklearn.datasets import load_svmlight_file

    if (rows := content.count(b"\n")) > limits.MAX_ROWS:
        limits.check_limits(rows, 1)
    pairs = content.count(b":")
    needed, free = limits.FILE_COPIES * len(content) + PAIR_BYTES * pairs, limits.free_for_reading()
    if pairs > MAX_PAIRS or needed > free:
        most = min(MAX_PAIRS, int(pairs * free / needed))
        raise Refusal(
            f"The file holds {pairs} values in {rows} lines; at most {most} are read with the memory that is "
            "free now, so send a sample of its rows."
        )
    try:
        X, y = load_svmlight_file(io.BytesIO(content), zero_based=True)
    except ValueError as problem:
        if "sorted and unique" not in str(problem):
            raise
        raise Refusal("The indices of a line do not rise; give each index once, in their order.") from problem
    zero_based = X.nnz > 0 and int(X.indices.min()) == 0
    if X.shape[1] > 1 and not zero_based:
        X = X[:, 1:]
    remedy = "the largest index counts, for zeros are stored too, so send fewer rows or smaller indices"
    limits.check_shape(X.shape[0], X.shape[1], remedy)
    frame = named_numbers(X.toarray(), 0 if zero_based or not X.nnz else 1)
    frame.insert(0, "target", y)
    return Table(frame, ("Read as LIBSVM text: a label and pairs index:value a line.",), target="target")
