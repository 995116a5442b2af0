"""From the bytes of a text file to columns: encoding, delimiter, header and decimal sign are found."""

from __future__ import annotations

import csv
import math
import re
from contextlib import suppress
from itertools import islice

import pandas as pd

from nysviz.datasets.numerals import SIGNS, as_number, decimals_of, is_number, is_plain_number
from nysviz.datasets.table import Table, plain, unique_names
from nysviz.datasets.text_rows import SAMPLE_BYTES, body_of, frame_of, gaps_of, padded, short_rows
from nysviz.datasets.upload_limits import (
    FILE_COPIES,
    MAX_COLUMNS,
    MAX_ROWS,
    TEXT_BYTES,
    check_limits,
    check_shape,
)

# Delimiters in order of preference; a blank stands for any run of blanks.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "-nan", "#n/a", "<na>"})
# Cells that are read as missing wherever they stand: with small letters "Na" may be the name of a column.
GAPS = frozenset(
    {"", "?", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "#NA", "#N/A", "<NA>"}
)
SAMPLE_LINES = 100
# How files that are often sent by mistake begin.
OTHER_KINDS = {
    b"PK": "a zip archive or an Excel workbook",
    b"\xd0\xcf": "an old Excel workbook",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"PAR1": "a Parquet file",
    b"\x93NUMPY": "a NumPy file",
    b"MATLAB": "a MATLAB file",
    b"\x89": "a picture or an HDF file",
    b"%PDF": "a PDF document",
}

# Spreadsheets tell each other the delimiter on a line of its own, which is no row.
_SEPARATOR_LINE = re.compile(rb'"?sep=."?[;,\t]*\n', re.IGNORECASE)
_WEB_PAGE = re.compile(r"<(!doctype\b|html\b|head\b|table\b|\?xml\b)", re.IGNORECASE)
_C1 = re.compile(rb"[\x80-\x9f]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def read_text(content: bytes, header: bool | None = None) -> Table:
    """Find out how the text is written, then read it.

    Parameters
    ----------
    content : bytes
        At most ``MAX_UNPACKED``, not empty.
    header : bool or None
        Whether the first line names the columns; None finds out.

    Returns
    -------
    Table
        Columns have unique names; without a header they are called column 1, column 2, …

    Raises
    ------
    ValueError
        One sentence, when this is not a table of text within the limits.
    """
    text, encoding = _as_utf8(content)
    if told := _SEPARATOR_LINE.match(text):
        text = text[told.end() :]
    rows = text.count(b"\n") + 1
    if rows > MAX_ROWS:
        raise ValueError(
            f"The file has {rows} lines; at most {MAX_ROWS} are read, so send a sample of its rows."
        )
    lines = _first_lines(text)
    if not lines:
        raise ValueError("The file holds no lines of data; send a table with at least one row of numbers.")
    if _WEB_PAGE.match(lines[0]):
        raise ValueError(
            "The file looks like a web page (HTML), not like a table; open its address in a browser, save "
            "the table itself as CSV and send that."
        )
    delimiter, cells = _delimiter(lines)
    columns = max(len(row) for row in cells)
    if columns > MAX_COLUMNS:
        raise ValueError(
            f"The file has more than {MAX_COLUMNS} columns, the most that are read; send fewer columns."
        )
    check_limits(rows, columns)
    flat = [cell for row in cells for cell in row]
    # A comma that separates cells is no decimal sign, unless in quotation marks: single columns may have it.
    found = decimals_of(flat)
    decimal = "." if delimiter == "," else found.sign
    # Names of columns are no cells: of a wide table they may be half of the sample. Numbers with signs
    # between thousands are read as texts first.
    below = [cell for row in cells[1:] for cell in row]
    texts = sum(not (cell in GAPS or is_plain_number(cell, decimal)) for cell in below) / max(len(below), 1)
    beside = FILE_COPIES * len(text) + TEXT_BYTES * texts * rows * columns
    check_shape(rows, columns, beside=beside)
    notes: tuple[str, ...] = (_unclear(found.unclear),) if found.unclear and delimiter != "," else ()
    if header is None:
        header = _has_header(cells)
    body = body_of(text, header, delimiter)
    if header and len(cells) == 1 and len(text) <= SAMPLE_BYTES:
        raise ValueError("The file has a line of column names and no rows; send at least one row of numbers.")
    names = list(cells[0]) if header else []
    while names and not names[-1]:
        names.pop()
    frame = frame_of(body, delimiter, decimal, len(cells[0]) if header else 0)
    if len(names) > frame.shape[1]:
        raise ValueError(
            f"The line of column names has {len(names)} cells where the first row has {frame.shape[1]}; give "
            "every row the same number of cells."
        )
    gaps = gaps_of(body, frame, delimiter, decimal)
    if header and len(names) == frame.shape[1] - 1 and len(cells[0]) < frame.shape[1]:
        last = frame.shape[1] - 1
        if _ends_in_separators(cells) and frame[last].isna().all() and last not in gaps:
            frame = frame.iloc[:, :-1]
            notes += (f"The {DELIMITERS[delimiter]} at the ends of the rows have no cell behind them.",)
        else:
            names = ["row name", *names]  # as R writes tables: no name above the names of the rows
    frame.columns = pd.Index(unique_names([*names, *[""] * frame.shape[1]][: frame.shape[1]]))
    notes += short_rows(body, frame, delimiter) + padded(cells[1:] if header else cells, frame)
    words = [DELIMITERS[delimiter] if frame.shape[1] > 1 else "one column", encoding]
    words += ["decimal commas"] if decimal == "," else []
    reading = f"Read as text: {', '.join(words)}, {'a' if header else 'no'} header."
    named = {str(frame.columns[j]): texts for j, texts in gaps.items()}
    return Table(frame, reading, decimal, notes, header=header, gaps=named)


def _as_utf8(content: bytes) -> tuple[bytes, str]:
    """The text as UTF-8 with plain line ends, and the name of the encoding it had."""
    encoding, text = "UTF-8", content
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding, text = "UTF-16", content.decode("utf-16", errors="replace").encode()
    elif unmarked := _unmarked_utf16(content):
        encoding, text = "UTF-16", content.decode(unmarked, errors="replace").encode()
    elif content.startswith(b"\xef\xbb\xbf"):
        text = content[3:]
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        encoding, text = _one_byte_each(text)
    if _CONTROL.search(text[:SAMPLE_BYTES]) or b"\x00" in text:
        kind = next((kind for start, kind in OTHER_KINDS.items() if content.startswith(start)), "not text")
        raise ValueError(f"The file is {kind}; save its table as text (CSV) and send that.")
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), encoding


def _one_byte_each(text: bytes) -> tuple[str, bytes]:
    """Windows' form of Latin-1 has letters and signs, such as the euro's, where the other has none."""
    if _C1.search(text):
        with suppress(UnicodeDecodeError):
            return "Windows-1252", text.decode("cp1252").encode()
    return "Latin-1", text.decode("latin-1").encode()


def _unmarked_utf16(content: bytes) -> str | None:
    """The order of the bytes of UTF-16 without a mark at its start: every second byte of digits is 0."""
    sample = content[:SAMPLE_BYTES]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    most = 0.8 * (len(sample) // 2)
    if odd > most and not even:
        return "utf-16-le"
    return "utf-16-be" if even > most and not odd else None


def _first_lines(text: bytes) -> list[str]:
    """Up to ``SAMPLE_LINES`` lines that are not blank, after the comment lines at the top."""
    sample = text[:SAMPLE_BYTES]
    if len(text) > SAMPLE_BYTES and b"\n" in sample:
        sample = sample[: sample.rfind(b"\n")]  # a cut line would look ragged
    whole = (line.strip(" ") for line in sample.decode("utf-8", errors="replace").split("\n"))
    lines: list[str] = []
    for line in whole:
        if line.strip() and (lines or line.lstrip()[0] not in "#%"):
            lines.append(line)
    return list(islice(lines, SAMPLE_LINES))


def _split(lines: list[str], delimiter: str) -> list[list[str]]:
    try:
        # With their ends, for a cell in quotation marks may go on in the next line.
        ended = (f"{line}\n" for line in lines)
        rows = list(csv.reader(ended, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        rows = [line.split(delimiter) for line in lines]
    return [[cell.strip() for cell in row] for row in rows]


def _delimiter(lines: list[str]) -> tuple[str, list[list[str]]]:
    """The delimiter that gives rows of equal length and many numbers, with the sample split by it."""
    if "," not in lines[0] and len(lines) > 1 and all(map(_has_decimal_comma, lines[1:])):
        parts = {len(_parts(line)) for line in lines}
        if parts == {1} or len(parts) > 1:
            return ";", [[line] for line in lines]  # one column of numbers such as 1,5 below its name
    best, chosen = 0.0, (",", _split(lines, ","))
    for delimiter in DELIMITERS:
        cells = _split([line.replace("\t", " ") for line in lines] if delimiter == " " else lines, delimiter)
        lengths = [len(row) for row in cells]
        common = max(set(lengths), key=lambda length: (lengths.count(length), length))
        flat = [cell for row in cells for cell in row]
        numbers = sum(map(is_number, flat)) / max(len(flat), 1)
        score = (common > 1) * lengths.count(common) / len(lengths) * (0.2 + numbers)
        if delimiter == "," and _may_be_blanks(lines[0], flat):
            score -= 1e-6  # less than a row of another length does
        if delimiter == " " and _stand_in_cells(cells, chosen):
            continue
        if score > best + 1e-9:
            best, chosen = score, (delimiter, cells)
    return chosen


def _stand_in_cells(by_blanks: list[list[str]], other: tuple[str, list[list[str]]]) -> bool:
    """Whether blanks stand within the cells, as in "1.0 mm,2.1 %": the other sign splits all rows alike."""
    sign, cells = other
    if len(cells[0]) < 2 or len({len(row) for row in cells}) > 1:
        return False
    if len({len(row) for row in by_blanks}) > 1:
        return True
    return any(sign in cell and " " not in cell and not is_number(cell) for row in by_blanks for cell in row)


def _parts(line: str) -> list[str]:
    return [part for part in line.split(" ") if part]


def _may_be_blanks(first: str, cells: list[str]) -> bool:
    """Whether "1 234,5 678", split at the comma, may as well be three cells with a decimal comma."""
    thousands = any(" " in cell and is_number(cell) for cell in cells)
    return thousands and all(is_number(part) for part in _parts(first) if "," in part)


def _has_decimal_comma(text: str) -> bool:
    return "," in text and not math.isnan(as_number(text, ","))


def _unclear(text: str) -> str:
    """What is said where a point or comma may be one sign or the other in all the numbers that were seen."""
    sign = "," if "," in text else "."
    return (
        f"In numbers such as '{plain(text, 24)}' the {SIGNS[sign]} was taken as the decimal sign "
        f"({as_number(text, sign):.15g}); take it out of them if it stands between thousands."
    )


def _has_header(cells: list[list[str]]) -> bool:
    """Whether the first row names the columns: more of its texts than of its numbers stand above numbers."""
    first, rest = cells[0], cells[1:]
    named = [not (cell in GAPS or is_number(cell)) for cell in first]
    if not rest:
        return any(named) and not any(map(is_number, first))
    longer = all(len(row) == len(first) + 1 for row in rest)
    shift = 1 if longer and not _ends_in_separators(cells) else 0
    above = [[row[j + shift] for row in rest if len(row) > j + shift] for j in range(len(first))]
    filled = [[cell for cell in column if cell.lower() not in MISSING] for column in above]
    numeric = [bool(column) and sum(map(is_number, column)) > 0.5 * len(column) for column in filled]
    if not any(numeric):
        return _names_texts(first, filled)
    texts = sum(below and name for name, below in zip(named, numeric, strict=True))
    return texts > sum(below and is_number(cell) for cell, below in zip(first, numeric, strict=True))


def _names_texts(first: list[str], below: list[list[str]]) -> bool:
    """Whether the first row names columns of text: names differ, and none is one of its column's own texts.

    A column whose texts all differ says nothing of the kind; one of them must repeat a text of its own.
    """
    if "" in first or len(set(first)) < len(first):
        return False
    strange = all(name not in cells for name, cells in zip(first, below, strict=True))
    return strange and any(len(set(cells)) < len(cells) for cells in below)


def _ends_in_separators(cells: list[list[str]]) -> bool:
    """Whether the rows go beyond the line of names by an empty cell."""
    return not any(cell for row in cells[1:] for cell in row[len(cells[0]) :])
