"""ARFF: the header is read here, the rows by pandas; SciPy and liac-arff refuse rows separated by blanks."""

import io
import re

import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.table import Table, is_numeric, unique_names
from nysviz.datasets.upload.text import decode_text
from nysviz.refusal import Refusal

# No form may backtrack: the longest line is as long as the file. A quoted text ends in its own line.
_QUOTED = rb"""(?:'(?:\\.|[^'\\\n])*+'|"(?:\\.|[^"\\\n])*+")"""
_ATTRIBUTE = re.compile(rb"^[ \t]*+@attribute[ \t]++(" + _QUOTED + rb"|[^\s{]++)[ \t]*+(\S*+)", re.I | re.M)
_DATA = re.compile(rb"^[ \t]*+@data[ \t]*+\r?+(?:%[^\n]*+)?+$", re.I | re.M)
_ESCAPED = re.compile(rb"\\(.)")
_RELATION = re.compile(rb"(?:\xef\xbb\xbf)?+(?:\s++|%[^\n]*+\n)*+@relation", re.I)
_MARKS = {"'": re.compile(rb"(?:^|[\s,])'"), '"': re.compile(rb'(?:^|[\s,])"')}
_COMMENT = re.compile(rb"^[ \t]*+%[^\n]*+", re.M)
_ROW = re.compile(rb"^[^\S\n]*+\S", re.M)
_SPARSE = re.compile(rb"^[ \t]*+\{", re.M)
_NUMERIC = (b"numeric", b"real", b"integer")
MAX_HEADER = 5_000_000


def is_arff(content: bytes) -> bool:
    """Whether the first line that is no comment declares a relation."""
    return _RELATION.match(content[:100_000]) is not None


def read_arff(content: bytes) -> Table:
    """Read rows separated by commas or by blanks (as in LIACC's files), with columns named by the header.

    Only ``?`` and an empty cell are missing values. Text in a column not declared as numbers stays text.
    """
    content, _, notes = decode_text(content)
    data_line = _DATA.search(content, 0, MAX_HEADER)
    declared = _ATTRIBUTE.findall(content[: data_line.start()]) if data_line else []
    if not data_line or not declared:
        raise Refusal("The ARFF file has no line '@data' below its lines '@attribute'; send the whole file.")
    width, kinds = len(declared), [kind.lower() for _, kind in declared]
    blocks, marks, rows, is_sparse = [], dict[str, None](), 0, False
    rows_text = content[data_line.end() :]
    for block in limits.blocks_of_lines(rows_text):
        blocks.append(_COMMENT.sub(b"", rows_text[block]))
        marks |= {mark: None for mark, pattern in _MARKS.items() if pattern.search(blocks[-1])}
        rows += sum(1 for _ in _ROW.finditer(blocks[-1]))
        is_sparse = is_sparse or _SPARSE.search(blocks[-1]) is not None
    body = b"".join(blocks)
    if len(marks) > 1:
        raise Refusal("The ARFF file has texts in ' and texts in \"; write all of them in one of these.")
    text_bytes = limits.TEXT_BYTES * rows * sum(kind not in _NUMERIC for kind in kinds)
    limits.check_shape(rows, width, beside=limits.FILE_COPIES * len(content) + text_bytes)
    if is_sparse:
        raise Refusal("The ARFF file is written sparsely ({index value, …}); save it with all its values.")
    line = body.lstrip().partition(b"\n")[0]
    limits.check_shape(1, line.count(b",") or len(line.split()))  # pandas takes long over too many cells
    frame = pd.read_csv(
        io.BytesIO(body),
        sep="," if b"," in line else r"\s+",
        header=None,
        # One more for a comma at the end; whatever stands there is refused, not cut off.
        names=list(range(width + 1)),
        index_col=False,
        skipinitialspace=True,
        comment="%",
        quotechar=next(iter(marks), '"'),
        escapechar="\\" if marks else None,
        keep_default_na=False,
        na_values=["?", "? ", ""],
        dtype={j: str for j, kind in enumerate(kinds) if kind == b"string"},
        low_memory=False,
        encoding_errors="replace",
    )
    if len(frame) != rows:
        raise Refusal("A text of the ARFF file goes on in the next line; close its quotation mark.")
    if (beyond := frame.iloc[:, width].notna()).any():
        raise Refusal(
            f"Row {int(beyond.argmax()) + 1} of the ARFF file has more cells than the {width} columns that "
            "its header declares; declare them all."
        )
    names = unique_names([_unquote(name).decode(errors="replace") for name, _ in declared])
    frame = frame.iloc[:, :width].set_axis(pd.Index(names), axis=1)
    other_names = [name for name, kind in zip(names, kinds, strict=True) if kind not in _NUMERIC]
    texts = frozenset(name for name in other_names if not is_numeric(frame[name]))
    return Table(frame, (f"Read as ARFF with {width} declared columns.", *notes), texts=texts)


def _unquote(text: bytes) -> bytes:
    return _ESCAPED.sub(rb"\1", text[1:-1]) if text[:1] in (b"'", b'"') else text
