"""Workbooks of Excel (xlsx, xlsb, xls) and OpenDocument (ods): a sheet is read as the CSV saved from it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from nysviz.datasets.upload.limits import MAX_CELLS, MAX_UNPACKED, UploadError, check_limits
from nysviz.datasets.upload.own_process import read_apart
from nysviz.datasets.upload.table import Table, plain
from nysviz.datasets.upload.text import read_text

# The mark of the container of xls files, and of xlsx files with a password.
XLS = b"\xd0\xcf\x11\xe0"
# A member that every workbook in a zip archive has.
MEMBERS = (b"[Content_Types].xml", b"content.xml")


def is_workbook(content: bytes) -> bool:
    """Whether the file is a workbook rather than another archive."""
    return content.startswith(XLS) or (
        content.startswith(b"PK") and any(member in content for member in MEMBERS)
    )


def read_workbook(content: bytes, header: bool | None = None, sheet: str | None = None) -> Table:
    """Return the table on a sheet; without its name, on the first that is shown and has two rows or more."""
    described, text = read_apart(
        content,
        "workbook",
        partial(_check, asked=sheet),
        most_cells=MAX_CELLS,
        most_bytes=MAX_UNPACKED,
        asked=sheet,
    )
    table = read_text(text, header, "utf-8", ",")
    name, sheets = described["sheet"], described["sheets"]
    others = f" of {len(sheets)}" if len(sheets) > 1 else ""
    return replace(
        table,
        reading=f"Read from the sheet '{plain(name, 40)}'{others}.",
        encoding=None,
        sheets=(name, *(one for one in sheets if one != name)),
    )


def _check(described: dict[str, Any], asked: str | None) -> None:
    sheets, rows, columns = described["sheets"], described["rows"], described["columns"]
    if asked is not None and asked not in sheets:
        listed = ", ".join(f"'{plain(name, 40)}'" for name in sheets[:10])
        raise UploadError(f"The workbook has no sheet '{plain(asked, 40)}'; name one of {listed}.")
    if not rows * columns:
        raise UploadError(
            "The workbook has no sheet with a table; send one with at least one row of numbers."
        )
    check_limits(rows, columns)
    if described["bytes"] > MAX_UNPACKED:
        raise UploadError(
            f"The sheet takes more than the {MAX_UNPACKED / 1e6:.0f} MB that are read; send a sample of its "
            "rows or fewer columns."
        )
