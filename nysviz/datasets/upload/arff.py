"""ARFF: the header is read here, the rows by pandas, for SciPy's reader refuses text and blanks."""

from __future__ import annotations

import io
import re

import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.table import Table, is_numeric, unique_names
from nysviz.refusal import Refusal

# No form may backtrack: the longest line is as long as the file. A quoted text ends in its own line.
_QUOTED = rb"""(?:'(?:\\.|[^'\\\n])*+'|"(?:\\.|[^"\\\n])*+")"""
_ATTRIBUTE = re.compile(rb"^[ \t]*+@attribute[ \t]++(" + _QUOTED + rb"|[^\s{]++)[ \t]*+(\S*+)", re.I | re.M)
_DATA = re.compile(rb"^[ \t]*+@data[ \t]*+\r?+(?:%[^\n]*+)?+$", re.I | re.M)
# A remark, or a quotation mark at the start of a cell and, unless it stays open, the text up to the next.
_MARKED = re.compile(rb"""([%'"])(?:(?<=%)[^\n]*+|(?<=[\s,]['"])((?:\\.|(?!\1)[^\\\n])*+\1)?+)""")
_ESCAPED = re.compile(rb"\\(.)")
_SPARSE = re.compile(rb"^[ \t]*+\{", re.M)
_NUMERIC = (b"numeric", b"real", b"integer")
MAX_HEADER = 5_000_000


def is_arff(content: bytes) -> bool:
    """Whether the first line that is no comment declares a relation."""
    for line in content[:100_000].removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip() and not line.lstrip().startswith(b"%"):
            return line.lstrip()[:9].lower() == b"@relation"
    return False


def read_arff(content: bytes) -> Table:
    """Rows separated by commas or by blanks (as LIACC's files have them), columns named by the header.

    Only ``?`` and an empty cell are missing values. Text in a column not declared as numbers stays text.
    """
    found = _DATA.search(content)
    if found is None or found.start() > MAX_HEADER:
        raise Refusal("The ARFF file has no line '@data' with rows below it; send the whole file.")
    declared = _ATTRIBUTE.findall(content[: found.start()])
    if not declared:
        raise Refusal("The ARFF file declares no columns (@attribute); send the whole file.")
    width, kinds = len(declared), [kind.lower() for _, kind in declared]
    body = content[found.end() :]
    rows = body.count(b"\n") - body.endswith(b"\n")
    text_bytes = limits.TEXT_BYTES * rows * sum(kind not in _NUMERIC for kind in kinds)
    limits.check_shape(rows, width, beside=limits.FILE_COPIES * len(content) + text_bytes)
    if _SPARSE.search(body):
        raise Refusal("The ARFF file is written sparsely ({index value, …}); save it with all its values.")
    first = re.search(rb"^[ \t]*+[^%\s].*+", body, re.M)
    line = first[0] if first else b""
    limits.check_limits(1, line.count(b",") or len(line.split()))  # pandas takes long over too many cells
    try:
        content.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "latin-1"
    frame = pd.read_csv(
        io.BytesIO(_MARKED.sub(_requoted, body)),
        sep="," if b"," in line else r"\s+",
        header=None,
        # One more for a comma at the end; whatever stands there is refused, not cut off.
        names=list(range(width + 1)),
        index_col=False,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=["?", "? ", ""],
        dtype={j: str for j, kind in enumerate(kinds) if kind == b"string"},
        low_memory=False,
        encoding=encoding,
    )
    limits.check_limits(len(frame), width)
    if (beyond := frame.iloc[:, width].notna()).any():
        raise Refusal(
            f"Row {int(beyond.argmax()) + 1} of the ARFF file has more cells than the {width} columns that "
            "its header declares; declare them all."
        )
    names = unique_names([_unquoted(name).decode(encoding) for name, _ in declared])
    frame = frame.iloc[:, :width].set_axis(pd.Index(names), axis=1)
    others = [name for name, kind in zip(names, kinds, strict=True) if kind not in _NUMERIC]
    texts = frozenset(name for name in others if not is_numeric(frame[name]))
    return Table(frame, (f"Read as ARFF with {width} declared columns.",), texts=texts)


def _unquoted(text: bytes) -> bytes:
    return _ESCAPED.sub(rb"\1", text[1:-1]) if text[:1] in (b"'", b'"') else text


def _requoted(found: re.Match[bytes]) -> bytes:
    """Return a quoted text as pandas reads it, a remark as nothing."""
    whole, mark, closed = found[0], found[1], found[2]
    if mark == b"%":
        return b""
    if closed is None:
        raise Refusal(
            f"A text of the ARFF file begins with {mark.decode()} and does not end; close the quotation."
        )
    return b'"' + _unquoted(whole).replace(b'"', b'""') + b'"'
