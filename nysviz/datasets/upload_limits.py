"""What an upload may ask of the machine, checked before anything is read into memory."""

from __future__ import annotations

MAX_BYTES = 50_000_000
# What a packed file may grow to. Readers hold a few copies of it, all together well below 1.5 GiB.
MAX_UNPACKED = 100_000_000
MAX_ROWS = 1_000_000
MAX_COLUMNS = 5_000
# Numbers in the table: 224 MB of them. 500 000 rows of 54 columns fit.
MAX_CELLS = 28_000_000
FEWER = "send a sample of its rows or fewer columns"


class UploadError(ValueError):
    """One sentence about a file: what was seen, what is needed, what to do."""


def check_shape(rows: int, columns: int, remedy: str = FEWER) -> None:
    """Refuse a table that is too long, too wide or too large, or that holds nothing.

    Raises
    ------
    UploadError
    """
    if rows < 1 or columns < 1:
        raise UploadError(
            f"The file holds a table of {rows} rows and {columns} columns; send at least one row of numbers."
        )
    if rows > MAX_ROWS:
        raise UploadError(
            f"The file has {rows} rows; at most {MAX_ROWS} are read, so send a sample of its rows."
        )
    if columns > MAX_COLUMNS:
        raise UploadError(
            f"The file has {columns} columns; at most {MAX_COLUMNS} are read, so send fewer columns."
        )
    if rows * columns > MAX_CELLS:
        raise UploadError(
            f"The file holds {rows} × {columns} numbers, more than the {MAX_CELLS / 1e6:.0f} million that "
            f"are read; {remedy}."
        )
