"""ARFF: the header is read here, the rows by pandas, for SciPy's reader refuses text and blanks."""

from __future__ import annotations

import io
import re

import pandas as pd

from nysviz.datasets.table import Table, unique_names
from nysviz.datasets.upload_limits import (
    FILE_COPIES,
    MAX_COLUMNS,
    MAX_ROWS,
    UploadError,
    check_limits,
    check_shape,
)

_ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)
_DATA = re.compile(rb"^[ \t]*@data[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
MAX_HEADER = 5_000_000


def is_arff(content: bytes) -> bool:
    """Whether the first line that is no comment declares a relation."""
    for line in content[:100_000].split(b"\n"):
        if line.strip() and not line.lstrip().startswith(b"%"):
            return line.lstrip()[:9].lower() == b"@relation"
    return False


def read_arff(content: bytes) -> Table:
    """Rows separated by commas or by blanks (as LIACC's files have them), columns named by the header."""
    found = _DATA.search(content)
    if found is None or found.start() > MAX_HEADER:
        raise UploadError("The ARFF file has no line '@data' with rows below it; send the whole file.")
    body = content[found.end() :]
    names = _declared(content[: found.start()])
    if (rows := body.count(b"\n")) > MAX_ROWS:
        check_limits(rows, 1)
    first = next((line for line in body[:1_000_000].split(b"\n") if line.strip(b" \t\r")), b"").lstrip()
    check_shape(max(rows, 1) if first else 0, len(names), beside=FILE_COPIES * len(content))
    if first.startswith(b"{"):
        raise UploadError(
            "The ARFF file is written sparsely ({index value, …}); save it with all its values."
        )
    try:
        body.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "latin-1"
    frame = pd.read_csv(
        io.BytesIO(body),
        sep="," if b"," in first else r"\s+",
        header=None,
        # One more for a comma at the end; whatever stands there is refused, not cut off.
        names=list(range(len(names) + 1)),
        index_col=False,
        comment="%",
        quotechar="'" if b"'" in first else '"',
        skipinitialspace=True,
        na_values="?",
        low_memory=False,
        encoding=encoding,
    )
    check_limits(len(frame), len(names))
    beyond = frame.iloc[:, len(names)].notna()
    frame = frame.iloc[:, : len(names)]
    if beyond.any():
        raise UploadError(
            f"Row {int(beyond.argmax()) + 1} of the ARFF file has more cells than the {len(names)} columns "
            "that its header declares; declare them all."
        )
    frame.columns = pd.Index(unique_names(names))
    return Table(frame, f"Read as ARFF with {len(names)} declared columns.")


def _declared(header: bytes) -> list[str]:
    names = []
    for line in header.decode("latin-1" if not _is_utf8(header) else "utf-8").splitlines():
        if line.strip().lower().startswith("@attribute"):
            declared = _ATTRIBUTE.match(line.strip())
            names.append(declared[1].strip("'\"") if declared else "")
            if len(names) > MAX_COLUMNS:
                check_limits(1, len(names))
    if not names:
        raise UploadError("The ARFF file declares no columns (@attribute); send the whole file.")
    return names


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
