"""Tables of text: encoding, delimiter, header and decimal sign are found, and pandas reads the rows."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.numbers import as_number, decimal_sign, is_number, is_plain_number
from nysviz.datasets.upload.table import CLASS_TEXTS, Table, plain, short, unique_names
from nysviz.refusal import Refusal
from nysviz.text import counted

# Offered where the letters look wrong; bytes that are neither of the first two are read as the third.
ENCODINGS = (
    "UTF-8", "UTF-16", "Windows-1252", "ISO-8859-15", "Windows-1251", "KOI8-R", "Windows-1250",
    "Windows-1253", "Mac-Roman", "CP850", "GB2312", "Shift_JIS", "GB18030",
)  # fmt: skip
# Delimiters in order of preference; a blank stands for any run of blanks.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
SAMPLE_LINES, SAMPLE_BYTES = 100, 200_000
SAME_CELLS = "give every row the same number of cells."
# Numbers that count up from one of these may be names: those of pandas, and years.
STARTS = frozenset({0, 1, *range(1500, 2101)})
# Cells that are read as missing wherever they stand: with small letters "Na" may be the name of a column.
GAPS = frozenset({"", "?", *CLASS_TEXTS, "-NaN", "-nan", "#NA", "#N/A", "<NA>"})
# What pandas reads as missing and nobody means as a class.
_MISSING = "? #N/A #NA -NaN -nan <NA> 1.#IND 1.#QNAN -1.#IND -1.#QNAN"
# Spreadsheets tell each other the delimiter on a line of its own, which is no row.
_SEPARATOR_LINE = re.compile(rb'"?sep=."?[;,\t]*\n', re.IGNORECASE)
_REMARKS = re.compile(rb"\A(?:\s*+[#%][^\n]*+(?:\n|\Z))*+(?:[^\S\n]*+\n)*+")
_WEB_PAGE = re.compile(r"<(!doctype\b|html\b|head\b|table\b|\?xml\b)", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_CLASS_TEXT = re.compile(rf"\b(?:{'|'.join(CLASS_TEXTS)})\b".encode())


def decoded(content: bytes, encoding: str | None = None) -> tuple[bytes, str, str]:
    """Return the text as UTF-8, the name of its encoding, and a sentence of doubt where that was guessed."""
    guessed = False
    if encoding is None and content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = ENCODINGS[1]
    elif encoding is None:
        try:
            content.decode()
            return content.removeprefix(codecs.BOM_UTF8), ENCODINGS[0], ""
        except UnicodeDecodeError:
            encoding, guessed = ENCODINGS[2], True
    try:
        text = content.decode(encoding, errors="replace").removeprefix("\ufeff")
    except (LookupError, TypeError, ValueError) as problem:
        raise Refusal(
            f"encoding is {plain(encoding)!r}, which is none that Python knows; give one such as "
            f"{', '.join(ENCODINGS[:4])}, or None."
        ) from problem
    word = next((word for word in re.split(r"[\s,;]", text) if not word.isascii()), "") if guessed else ""
    doubt = (
        f"The text is no UTF-8 and was read as {encoding}, with words such as '{short(word)}'; if they look "
        "wrong, choose another encoding."
    )
    return text.encode(), encoding, doubt if guessed else ""


@dataclass
class _Layout:
    """How a text is laid out: its lines from the names or the first row on, and a sample of the rows."""

    text: bytes
    delimiter: str
    cells: list[list[str]]
    names: list[str] = field(default_factory=list)
    # Lines of names at the top of the text: 1, or 0.
    skip: int = 0
    notes: list[str] = field(default_factory=list)


def read_text(
    content: bytes, header: bool | None = None, encoding: str | None = None, delimiter: str | None = None
) -> Table:
    """Find out how the text is written, where that is not given, then read it.

    Without a header the columns are called column 1, column 2, …
    """
    text, encoding, doubt = decoded(content, encoding)
    if _CONTROL.search(text[:SAMPLE_BYTES]) or b"\x00" in text:
        raise Refusal("The file is not text, but perhaps a picture or a PDF; save its table as CSV.")
    layout = _layout(text.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), header, delimiter)
    text, delimiter = layout.text, layout.delimiter
    rows = text.count(b"\n") + (not text.endswith(b"\n")) - layout.skip
    columns = max(len(row) for row in (layout.names, *layout.cells))
    flat = [cell for row in layout.cells for cell in row]
    # A comma that separates cells is no decimal sign, unless in quotation marks: single columns may have it.
    sign, unclear = decimal_sign(flat)
    decimal = "." if delimiter == "," else sign
    # Numbers with signs between thousands are read as texts first.
    texts = sum(not (cell in GAPS or is_plain_number(cell, decimal)) for cell in flat) / max(len(flat), 1)
    limits.check_shape(
        rows, columns, beside=limits.FILE_COPIES * len(text) + limits.TEXT_BYTES * texts * rows * columns
    )
    notes = ([doubt] if doubt else []) + layout.notes
    if unclear and delimiter != ",":
        notes.append(
            f"Numbers such as '{short(unclear)}' were read as {as_number(unclear, sign):.15g}; take the sign "
            "out of them if it stands between thousands."
        )
    frame = _named(_frame(layout, decimal), layout)
    decimal = "," if sign == "," and (delimiter != "," or not unclear) else "."
    words = [DELIMITERS[delimiter] if frame.shape[1] > 1 else "one column", encoding]
    words += ["decimal commas"] if decimal == "," else []
    reading = f"Read as text: {', '.join(words)}, {'a' if layout.names else 'no'} header."
    return Table(frame, (reading, *notes), decimal, header=bool(layout.names), encoding=encoding)


def _layout(text: bytes, header: bool | None, delimiter: str | None) -> _Layout:
    """Find the delimiter, the titles above the table, and the names of the columns."""
    if line := _SEPARATOR_LINE.match(text):
        text = text[line.end() :]
    below = _REMARKS.sub(b"", text, count=1)
    remark = text[: len(text) - len(below)].rstrip().rpartition(b"\n")[2].strip()
    lines = _first_lines(below)
    if not lines:
        raise Refusal("The file holds no lines of data; send a table with at least one row of numbers.")
    if _WEB_PAGE.match(lines[0]):
        raise Refusal(
            "The file looks like a web page (HTML), not like a table; open its address in a browser, save "
            "the table itself as CSV and send that."
        )
    delimiter, cells = _delimiter(lines) if delimiter is None else (delimiter, _split(lines, delimiter))
    layout = _Layout(below, delimiter, cells)
    if titles := _titles(cells):
        layout.text, layout.cells = _below(below, titles), cells[titles:]
        layout.notes.append(f"{counted(titles, 'line')} above the table taken for its title.")
    first = layout.cells[0]
    # As numpy.savetxt writes names.
    above = _split([remark.decode("utf-8", errors="replace").lstrip("#% ")], delimiter)[0] if remark else []
    if header is not False and len(above) == len(first) > 1 and has_header([above, *layout.cells]):
        layout.names = above
        layout.notes.append("The names of the columns stand on a line that begins with # or %.")
    elif has_header(layout.cells) if header is None else header:
        if header is None and counts_up(layout.cells):
            shown = ", ".join(short(cell) for cell in first[:3] if cell)
            layout.notes.append(f"The numbers {shown} … of the first line were taken for names of columns.")
        layout.skip, layout.names, layout.cells = 1, first, layout.cells[1:]
    return layout


def _titles(cells: list[list[str]]) -> int:
    """Return how many rows at the top are a title: texts shorter than most rows, above another such line."""
    lengths = [len(row) for row in cells]
    width, count = max(set(lengths), key=lengths.count), 0
    texts = [[cell for cell in row if cell] for row in cells]
    for here, below in pairwise(texts):
        if not 0 < len(here) < width or any(map(is_number, [*here, *below])):
            break
        count += 1
    return count


def _below(text: bytes, count: int) -> bytes:
    """Return the text below so many lines that are not blank."""
    start = 0
    while count:
        end = text.find(b"\n", start) + 1
        count -= bool(text[start:end].strip())
        start = end
    return text[start:].lstrip(b"\n")


def _first_lines(text: bytes) -> list[str]:
    """Return up to ``SAMPLE_LINES`` lines that are not blank."""
    sample = text[:SAMPLE_BYTES]
    if len(text) > SAMPLE_BYTES and b"\n" in sample:
        sample = sample[: sample.rfind(b"\n")]  # a cut line would look ragged
    lines = (line.strip(" ") for line in sample.decode("utf-8", errors="replace").split("\n"))
    return list(islice((line for line in lines if line.strip()), SAMPLE_LINES))


def _split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        # With their ends, for a cell in quotation marks may go on in the next line.
        ended = (f"{line}\n" for line in lines)
        rows = list(csv.reader(ended, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        rows = [line.split(delimiter) for line in lines]
    return [[cell.strip() for cell in row] for row in rows]


def _delimiter(lines: list[str]) -> tuple[str, list[list[str]]]:
    """Return the delimiter that gives rows of equal length and many numbers, and the sample split by it."""
    first, *rest = lines
    if rest and "," not in first and all("," in line and is_plain_number(line, ",") for line in rest):
        return ";", [[line] for line in lines]  # one column of numbers such as 1,5 below its name
    best, chosen, alike = 0.0, (",", _split(lines, ",")), False
    for delimiter in DELIMITERS:
        blanks = delimiter == " "
        # Tabs are blanks too, unless they separate.
        cells = _split(
            lines if alike or not blanks else [line.replace("\t", " ") for line in lines], delimiter
        )
        flat = [cell for row in cells for cell in row]
        if blanks and alike and any(chosen[0] in cell and not is_number(cell) for cell in flat):
            continue  # blanks stand within the cells, as in "1.0 mm,2.1 %"
        lengths = [len(row) for row in cells]
        common = max(set(lengths), key=lambda length: (lengths.count(length), length))
        share = sum(map(is_number, flat)) / max(len(flat), 1)
        score = lengths.count(common) / len(lengths) * (0.2 + share)
        # Of "1 234,5 678" the blanks make plain numbers, the comma some with signs between thousands.
        plain_ones = sum(is_plain_number(cell, ".") or is_plain_number(cell, ",") for cell in flat)
        score += 1e-6 * plain_ones / max(len(flat), 1)
        if common > 1 and score > best + 1e-9:
            best, chosen, alike = score, (delimiter, cells), lengths.count(common) == len(lengths)
    return chosen


def has_header(cells: list[list[str]]) -> bool:
    """Whether the first row names the columns: more of its texts than of its numbers stand above numbers."""
    first, rest = cells[0], cells[1:]
    named = [any(map(str.isalnum, cell)) and not (cell in GAPS or is_number(cell)) for cell in first]
    if not rest:
        return any(named) and not any(map(is_number, first))
    if counts_up(cells):
        return True
    # As R writes tables, the names of the rows have no name above them; or the rows end in a separator.
    longer = all(len(row) == len(first) + 1 for row in rest)
    shift = 1 if longer and any(cell for row in rest for cell in row[len(first) :]) else 0
    above = [[row[j + shift] for row in rest if len(row) > j + shift] for j in range(len(first))]
    filled = [[cell for cell in column if cell not in GAPS] for column in above]
    numeric = [bool(column) and sum(map(is_number, column)) > 0.5 * len(column) for column in filled]
    if not any(numeric):
        # Columns of text: the names differ, none is a text of its column, and a text repeats below.
        differ = "" not in first and len(set(first)) == len(first)
        strange = all(name not in texts for name, texts in zip(first, filled, strict=True))
        return differ and strange and any(len(set(texts)) < len(texts) for texts in filled)
    texts = sum(below and name for name, below in zip(named, numeric, strict=True))
    return texts > sum(below and is_number(cell) for cell, below in zip(first, numeric, strict=True))


def counts_up(cells: list[list[str]]) -> bool:
    """Whether the numbers of the first row are 0, 1, 2 …, or 1, 2, 3 …, as pandas names columns, or years."""
    first, rest = cells[0], cells[1:]
    places = [j for j, cell in enumerate(first) if is_number(cell)]
    values = [as_number(first[j], ".") for j in places]
    if len(values) < 2 or values[0] not in STARTS or any(b - a != 1 for a, b in pairwise(values)):
        return False
    below = [[row[j] for j in places if j < len(row)] for row in rest]
    if values[0] in (0, 1) and all("." in cell for row in below for cell in row):
        return True
    rising = (all(as_number(a, ".") < as_number(b, ".") for a, b in pairwise(row)) for row in below)
    return len(values) > 2 and not any(rising)


def _frame(layout: _Layout, decimal: str) -> pd.DataFrame:
    """Return the table, its columns numbered from 0; texts such as "None" are read as they stand."""
    try:
        frame = _parsed(layout, decimal, na_values=["?"])
        # Truth values with gaps are objects, and have no texts.
        columns = [j for j, kind in enumerate(frame.dtypes) if isinstance(kind, pd.StringDtype)]
        if columns and _CLASS_TEXT.search(layout.text):
            missing = {"keep_default_na": False, "na_values": ["", "#N/A N/A", *_MISSING.split()]}
            written = _parsed(layout, decimal, usecols=columns, dtype=str, **missing)
            frame = pd.DataFrame({j: (written if j in written else frame)[j] for j in frame})
        return frame
    except pd.errors.EmptyDataError as problem:
        raise Refusal(
            "The file has a line of column names and no rows; send at least one row of numbers."
        ) from problem
    except (ValueError, OverflowError, IndexError) as problem:  # pandas' own errors are ValueErrors
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(problem))
        if found is None:
            raise Refusal(
                "The file could not be read as a table of text; save it as CSV with one row a line, and "
                "close every quotation mark."
            ) from problem
        needed, line, cells = map(int, found.groups())
        raise Refusal(
            f"Row {line - layout.skip} of the data has {cells} cells where the rows before have {needed}; "
            f"{SAME_CELLS}"
        ) from problem


def _parsed(layout: _Layout, decimal: str, **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = pd.read_csv(
        io.BytesIO(layout.text),
        sep=r"\s+" if layout.delimiter == " " else layout.delimiter,
        header=None,
        skiprows=layout.skip,
        decimal=decimal,
        skipinitialspace=True,
        low_memory=False,
        encoding="utf-8",
        encoding_errors="replace",
        **options,
    )
    return frame


def _named(frame: pd.DataFrame, layout: _Layout) -> pd.DataFrame:
    """Give the columns their names; those of rows, as R writes them, have none above."""
    named, names, width = len(layout.names), list(layout.names), frame.shape[1]
    while names and not names[-1]:
        names.pop()
    if len(names) > width:
        raise Refusal(
            f"The line of column names has {len(names)} cells where the first row has {width}; {SAME_CELLS}"
        )
    if named and len(names) == width - 1 and named < width:
        if not any(cell for row in layout.cells for cell in row[named:]) and frame[width - 1].isna().all():
            frame = frame.iloc[:, :-1]  # each row ends in a separator
        else:
            names = ["row name", *names]
    # As objects, for a look at one name of many takes long where pandas keeps them as texts of its own.
    every = [*names, *[""] * frame.shape[1]][: frame.shape[1]]
    return frame.set_axis(pd.Index(unique_names(every), dtype=object), axis=1)
