"""The file that rows go to: looked at before the runs, written after them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from nysviz.experiments.row import Row


def checked_output(path: Path) -> None:
    """Raise one sentence where a file cannot be written; a file that is there stays as it is.

    Raises
    ------
    ValueError
        No such folder, no right to write there, or no file but a folder.
    """
    try:
        if path.is_file():
            with path.open("ab"):
                pass
        elif path.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        elif not path.exists():
            # Where a link leads to nothing yet, what it leads to is made.
            place = path.resolve()
            with place.open("xb"):
                pass
            place.unlink()
    except OSError as problem:
        raise ValueError(
            f"{path} cannot be written ({problem.strerror}); name a file in a folder that is there and can "
            "be written to."
        ) from problem


def write(rows: Sequence[Row], path: Path) -> None:
    """Write rows as CSV, sorted, so that the order in which runs finished leaves no trace."""
    order = sorted(rows, key=lambda row: (row.data, row.method, row.m, row.repeat, row.measure))
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in order)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def write_part(rows: Sequence[Row], path: Path) -> Path | None:
    """Write the rows of interrupted runs, beside a file that is there; where they went, None without rows."""
    if not rows:
        return None
    place = path.with_name(f"{path.stem}.interrupted{path.suffix}") if path.is_file() else path
    write(rows, place)
    return place
