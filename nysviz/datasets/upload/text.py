"""From the bytes of a text file to columns: encoding, delimiter, header and decimal sign are found."""

from __future__ import annotations

import csv
import math
import re
from itertools import islice

import pandas as pd

from nysviz.datasets.upload.encoding import decoded
from nysviz.datasets.upload.header import GAPS, count_as_names, has_header, titles_above
from nysviz.datasets.upload.limits import (
    FILE_COPIES,
    TEXT_BYTES,
    check_limits,
    check_shape,
)
from nysviz.datasets.upload.numbers import SIGNS, as_number, decimals_of, is_number, is_plain_number
from nysviz.datasets.upload.rows import SAMPLE_BYTES, frame_of, gaps_of, padded, rows_below_names, short_rows
from nysviz.datasets.upload.table import Table, plain, unique_names

# Delimiters in order of preference; a blank stands for any run of blanks.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
SAMPLE_LINES = 100
# How files that are often sent by mistake begin.
OTHER_KINDS = {
    b"PK": "a zip archive",
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
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def read_text(
    content: bytes, header: bool | None = None, encoding: str | None = None, delimiter: str | None = None
) -> Table:
    """Find out how the text is written, then read it.

    Parameters
    ----------
    content : bytes
        At most ``MAX_UNPACKED``, not empty.
    header : bool or None
        Whether the first line names the columns; None finds out.
    encoding : str or None
        What Python calls the encoding of the text; None finds out.
    delimiter : str or None
        One of ``DELIMITERS``; None finds out.

    Returns
    -------
    Table
        Columns have unique names; without a header they are called column 1, column 2, …

    Raises
    ------
    ValueError
        One sentence, when this is not a table of text within the limits.
    """
    text, encoding, doubt = _as_utf8(content, encoding)
    notes: tuple[str, ...] = (doubt,) if doubt else ()
    if told := _SEPARATOR_LINE.match(text):
        text = text[told.end() :]
    text, remark = _below_remarks(text)
    lines = _first_lines(text)
    if not lines:
        raise ValueError("The file holds no lines of data; send a table with at least one row of numbers.")
    if _WEB_PAGE.match(lines[0]):
        raise ValueError(
            "The file looks like a web page (HTML), not like a table; open its address in a browser, save "
            "the table itself as CSV and send that."
        )
    delimiter, cells = _delimiter(lines) if delimiter is None else (delimiter, _split(lines, delimiter))
    if titles := titles_above(cells):
        text, cells = _below(text, titles), cells[titles:]
        notes += (f"{titles} {'line' if titles == 1 else 'lines'} above the table taken for its title.",)
    body, names = text, list[str]()
    above = _split([remark], delimiter)[0] if remark and header is not False else []
    if len(above) == len(cells[0]) > 1 and "" not in above and has_header([above, *cells]):
        header, names = True, above
        notes += ("The names of the columns stand on a line that begins with # or %.",)
    else:
        if header is None:
            header = has_header(cells)
            if header and count_as_names(cells):
                notes += (_numbers_as_names(cells[0]),)
        if header:
            body, (names, *cells) = rows_below_names(text, delimiter), cells
            if not cells and not body.strip():
                raise ValueError(
                    "The file has a line of column names and no rows; send at least one row of numbers."
                )
    rows = body.count(b"\n") + (not body.endswith(b"\n"))
    columns = max(len(row) for row in (names, *cells))
    check_limits(rows, columns)
    flat = [cell for row in cells for cell in row]
    # A comma that separates cells is no decimal sign, unless in quotation marks: single columns may have it.
    found = decimals_of(flat)
    decimal = "." if delimiter == "," else found.sign
    # Numbers with signs between thousands are read as texts first.
    texts = sum(not (cell in GAPS or is_plain_number(cell, decimal)) for cell in flat) / max(len(flat), 1)
    check_shape(rows, columns, beside=FILE_COPIES * len(text) + TEXT_BYTES * texts * rows * columns)
    notes += (_unclear(found.unclear),) if found.unclear and delimiter != "," else ()
    named = len(names)
    while names and not names[-1]:
        names.pop()
    frame = frame_of(body, delimiter, decimal, named)
    if len(names) > frame.shape[1]:
        raise ValueError(
            f"The line of column names has {len(names)} cells where the first row has {frame.shape[1]}; give "
            "every row the same number of cells."
        )
    gaps = gaps_of(body, frame, delimiter, decimal)
    if header and len(names) == frame.shape[1] - 1 and named < frame.shape[1]:
        last = frame.shape[1] - 1
        if (
            not any(cell for row in cells for cell in row[named:])
            and frame[last].isna().all()
            and last not in gaps
        ):
            frame = frame.iloc[:, :-1]
            notes += (f"The {DELIMITERS[delimiter]} at the ends of the rows have no cell behind them.",)
        else:
            names = ["row name", *names]  # as R writes tables: no name above the names of the rows
    # As objects, for a look at one name of many takes long where pandas keeps them as texts of its own.
    named_all = unique_names([*names, *[""] * frame.shape[1]][: frame.shape[1]])
    frame.columns = pd.Index(named_all, dtype=object)
    notes += short_rows(body, frame, delimiter) + padded(cells, frame)
    words = [DELIMITERS[delimiter] if frame.shape[1] > 1 else "one column", encoding]
    if found.commas > found.points:
        decimal = ","  # also of cells in quotation marks between commas, which pandas leaves as texts
    words += ["decimal commas"] if decimal == "," else []
    reading = f"Read as text: {', '.join(words)}, {'a' if header else 'no'} header."
    kept = {str(frame.columns[j]): found for j, found in gaps.items()}
    return Table(frame, reading, decimal, notes, header=header, gaps=kept, encoding=encoding)


def _numbers_as_names(cells: list[str]) -> str:
    shown = ", ".join(plain(cell, 12) for cell in cells[:3] if cell)
    return f"The numbers {shown} … of the first line were taken for names of columns, as they count up."


def _as_utf8(content: bytes, encoding: str | None) -> tuple[bytes, str, str]:
    """The text as UTF-8 with plain line ends, its encoding, and a doubt about it."""
    text, encoding, doubt = decoded(content, encoding)
    if _CONTROL.search(text[:SAMPLE_BYTES]) or b"\x00" in text:
        kind = next((kind for start, kind in OTHER_KINDS.items() if content.startswith(start)), "not text")
        raise ValueError(f"The file is {kind}; save its table as text (CSV) and send that.")
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), encoding, doubt


def _below_remarks(text: bytes) -> tuple[bytes, str]:
    """The text below the lines at its top that are blank or begin with # or %, and the last such line."""
    remark = ""
    start = 0
    while start < len(text):
        end = text.find(b"\n", start) + 1 or len(text)
        line = text[start:end].strip()
        if line and line[:1] not in b"#%":
            break
        remark = line.decode("utf-8", errors="replace").lstrip("#% ") if line else remark
        start = end
    return text[start:], remark


def _below(text: bytes, count: int) -> bytes:
    """The text below so many lines that are not blank."""
    start = 0
    while count:
        end = text.find(b"\n", start) + 1
        count -= bool(text[start:end].strip())
        start = end
    return text[start:].lstrip(b"\n")


def _first_lines(text: bytes) -> list[str]:
    """Up to ``SAMPLE_LINES`` lines that are not blank."""
    sample = text[:SAMPLE_BYTES]
    if len(text) > SAMPLE_BYTES and b"\n" in sample:
        sample = sample[: sample.rfind(b"\n")]  # a cut line would look ragged
    lines = (line.strip(" ") for line in sample.decode("utf-8", errors="replace").split("\n"))
    return list(islice((line for line in lines if line.strip()), SAMPLE_LINES))


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
    if sign == "\t" or len({len(row) for row in by_blanks}) > 1:
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
