"""Tables of text: letters, delimiter, header and decimal sign are found, and pandas reads the rows."""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.numbers import (
    GAPS,
    as_number,
    count_as_names,
    decimal_sign,
    has_header,
    is_number,
    is_plain_number,
    titles_above,
)
from nysviz.datasets.upload.table import CLASS_TEXTS, Table, listed, plain, short, unique_names
from nysviz.refusal import Refusal
from nysviz.text import counted

# Tried in this order where the bytes are no UTF-8; the first of those that look best is taken.
TABLES = (
    "Windows-1252", "ISO-8859-15", "Windows-1251", "KOI8-R", "Windows-1250", "Windows-1253", "Mac-Roman",
    "CP850", "GB2312", "Shift_JIS", "GB18030",
)  # fmt: skip
ENCODINGS = ("UTF-8", "UTF-16", *TABLES)
ENCODING_BYTES = 20_000
# Signs that stand beside numbers and words in tables.
_SIGNS = frozenset("°²³µ€£§±·–—…‘’‚“”„«»、。・（）")
# Frequent letters beyond ASCII: of Western and Central Europe, Russian and Greek.
_FREQUENT = frozenset("äöüßéèàçñáíóúãõåøæêôœąćęłńśźżčěřůýőűоеаинтсрвлαοιετσνηυρςάέήίόύώ")
_EAST = frozenset({"CJK", "HIRAGANA", "KATAKANA"})


def decoded(content: bytes, encoding: str | None = None) -> tuple[bytes, str, str]:
    """Return the text as UTF-8, the name of its encoding, and a sentence of doubt where that was guessed."""
    if encoding is not None:
        try:
            text = content.decode(encoding, errors="replace").removeprefix("\ufeff")
            return text.encode(), encoding, ""
        except (LookupError, TypeError, ValueError) as problem:
            raise Refusal(
                f"encoding is {plain(encoding)!r}, which is none that Python knows; give one such as "
                f"{', '.join(ENCODINGS[:4])}, or None."
            ) from problem
    if utf16 := _utf16(content[:ENCODING_BYTES]):
        return content.decode(utf16, errors="replace").encode(), "UTF-16", ""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        content.decode()
        return content, "UTF-8", ""
    except UnicodeDecodeError:
        lines = dict.fromkeys(line for line in content.split(b"\n") if not line.isascii())
        sample = b"\n".join(lines)[:ENCODING_BYTES]
        encoding = min(TABLES, key=lambda table: _strangeness(sample, table))
    text = content.decode(encoding, errors="replace")
    word = next((word for word in text.replace(",", " ").replace(";", " ").split() if not word.isascii()), "")
    doubt = (
        f"The text is no UTF-8 and was read as {encoding}, with words such as '{short(word)}'; if they look "
        "wrong, choose another encoding."
    )
    return text.encode(), encoding, doubt


def _utf16(sample: bytes) -> str | None:
    """The kind of UTF-16, by its mark or because every second byte of digits is 0."""
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    most = 0.8 * (len(sample) // 2)
    if odd > most and not even:
        return "utf-16-le"
    return "utf-16-be" if even > most and not odd else None


def _strangeness(sample: bytes, table: str) -> float:
    """Return how odd the words would be: strange signs, rare letters, two alphabets or capitals within."""
    try:
        # Not all at once, for the sample may end in half a letter.
        text = codecs.getincrementaldecoder(table)().decode(sample)
    except UnicodeDecodeError:
        return float("inf")
    odd = 0.0
    for before, letter, after in zip(f" {text}", text, f"{text} "[1:], strict=False):
        if not letter.isascii() and not letter.isalpha():
            within = before.isalpha() and after.isalpha()
            odd += 0.2 if letter in _SIGNS and not within else 2.0
        elif not letter.isascii():
            odd += 0.3 * (not "\u2000" <= letter < "\uff00" and letter.lower() not in _FREQUENT)
        if before.isalpha() and letter.isalpha() and not (before.isascii() and letter.isascii()):
            alphabets = {unicodedata.name(one, "?").split()[0].split("-")[0] for one in (before, letter)}
            odd += len(alphabets) > 1 and not alphabets <= _EAST
            odd += before.islower() and letter.isupper()
            odd += 0.15 * (alphabets == {"LATIN"} and not (before.isascii() or letter.isascii()))
    return odd


# Delimiters in order of preference; a blank stands for any run of blanks.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
SAMPLE_LINES, SAMPLE_BYTES = 100, 200_000
NO_TABLE = (
    "The file could not be read as a table of text; save it as CSV with one row a line, and close every "
    "quotation mark."
)
SAME_CELLS = "give every row the same number of cells."
# What pandas reads as missing and nobody means as a class.
_MISSING = "? #N/A #NA -NaN -nan <NA> 1.#IND 1.#QNAN -1.#IND -1.#QNAN"
# Spreadsheets tell each other the delimiter on a line of its own, which is no row.
_SEPARATOR_LINE = re.compile(rb'"?sep=."?[;,\t]*\n', re.IGNORECASE)
_REMARKS = re.compile(rb"\A(?:\s*+[#%][^\n]*+(?:\n|\Z))*+(?:[^\S\n]*+\n)*+")
_WEB_PAGE = re.compile(r"<(!doctype\b|html\b|head\b|table\b|\?xml\b)", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_CLASS_TEXT = re.compile(rf"\b(?:{'|'.join(CLASS_TEXTS)})\b".encode())


@dataclass
class _Layout:
    """How a text is laid out: its lines from the names or the first row on, and a sample of the rows."""

    text: bytes
    delimiter: str
    cells: list[list[str]]
    names: list[str] = field(default_factory=list)
    header: bool = False
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
    limits.check_limits(rows, columns)
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
    notes += _padded(layout, frame)
    decimal = "," if sign == "," and (delimiter != "," or not unclear) else "."
    words = [DELIMITERS[delimiter] if frame.shape[1] > 1 else "one column", encoding]
    words += ["decimal commas"] if decimal == "," else []
    reading = f"Read as text: {', '.join(words)}, {'a' if layout.header else 'no'} header."
    return Table(frame, (reading, *notes), decimal, header=layout.header, encoding=encoding)


def _layout(text: bytes, header: bool | None, delimiter: str | None) -> _Layout:
    """Find the delimiter, the titles above the table, and the names of the columns."""
    if line := _SEPARATOR_LINE.match(text):
        text = text[line.end() :]
    text, remark = _below_remarks(text)
    lines = _first_lines(text)
    if not lines:
        raise Refusal("The file holds no lines of data; send a table with at least one row of numbers.")
    if _WEB_PAGE.match(lines[0]):
        raise Refusal(
            "The file looks like a web page (HTML), not like a table; open its address in a browser, save "
            "the table itself as CSV and send that."
        )
    delimiter, cells = _delimiter(lines) if delimiter is None else (delimiter, _split(lines, delimiter))
    layout = _Layout(text, delimiter, cells)
    if titles := titles_above(cells):
        layout.text, layout.cells = _below(text, titles), cells[titles:]
        layout.notes.append(f"{counted(titles, 'line')} above the table taken for its title.")
    first = layout.cells[0]
    above = _split([remark], delimiter)[0] if remark and header is not False else []
    if len(above) == len(first) > 1 and "" not in above and has_header([above, *layout.cells]):
        layout.header, layout.names = True, above
        layout.notes.append("The names of the columns stand on a line that begins with # or %.")
    elif has_header(layout.cells) if header is None else header:
        if header is None and count_as_names(layout.cells):
            shown = ", ".join(short(cell) for cell in first[:3] if cell)
            layout.notes.append(f"The numbers {shown} … of the first line were taken for names of columns.")
        layout.header, layout.skip, layout.names, layout.cells = True, 1, first, layout.cells[1:]
    return layout


def _below_remarks(text: bytes) -> tuple[bytes, str]:
    """The text below the lines at its top that are blank or begin with # or %, and the last such line."""
    below = _REMARKS.sub(b"", text, count=1)
    remark = text[: len(text) - len(below)].rstrip().rpartition(b"\n")[2]
    return below, remark.strip().decode("utf-8", errors="replace").lstrip("#% ")


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


def _split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        # With their ends, for a cell in quotation marks may go on in the next line.
        ended = (f"{line}\n" for line in lines)
        rows = list(csv.reader(ended, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        rows = [line.split(delimiter) for line in lines]
    return [[cell.strip() for cell in row] for row in rows]


def _delimiter(lines: list[str]) -> tuple[str, list[list[str]]]:
    """The delimiter that gives rows of equal length and many numbers, with the sample split by it."""
    first, *rest = lines
    numbers = ["," in line and not math.isnan(as_number(line, ",")) for line in rest]
    if numbers and all(numbers) and "," not in first:
        counts = {len(_between_blanks(line)) for line in lines}
        if counts == {1} or len(counts) > 1:
            return ";", [[line] for line in lines]  # one column of numbers such as 1,5 below its name
    best, chosen = 0.0, (",", _split(lines, ","))
    for delimiter in DELIMITERS:
        cells = _split([line.replace("\t", " ") for line in lines] if delimiter == " " else lines, delimiter)
        lengths = [len(row) for row in cells]
        common = max(set(lengths), key=lambda length: (lengths.count(length), length))
        flat = [cell for row in cells for cell in row]
        share = sum(map(is_number, flat)) / max(len(flat), 1)
        score = (common > 1) * lengths.count(common) / len(lengths) * (0.2 + share)
        if delimiter == "," and _may_be_blanks(lines[0], flat):
            score -= 1e-6  # less than a row of another length does
        if delimiter == " " and _stand_in_cells(cells, *chosen):
            continue
        if score > best + 1e-9:
            best, chosen = score, (delimiter, cells)
    return chosen


def _stand_in_cells(by_blanks: list[list[str]], sign: str, cells: list[list[str]]) -> bool:
    """Whether blanks stand within the cells, as in "1.0 mm,2.1 %": the other sign splits all rows alike."""
    if len(cells[0]) < 2 or len({len(row) for row in cells}) > 1:
        return False
    if sign == "\t" or len({len(row) for row in by_blanks}) > 1:
        return True
    return any(sign in cell and " " not in cell and not is_number(cell) for row in by_blanks for cell in row)


def _may_be_blanks(first: str, cells: list[str]) -> bool:
    """Whether "1 234,5 678", split at the comma, may as well be three cells with a decimal comma."""
    thousands = any(" " in cell and is_number(cell) for cell in cells)
    return thousands and all(is_number(text) for text in _between_blanks(first) if "," in text)


def _between_blanks(line: str) -> list[str]:
    return [text for text in line.split(" ") if text]


def _frame(layout: _Layout, decimal: str) -> pd.DataFrame:
    """The table, its columns numbered from 0; texts such as "None" are read as they stand."""
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
            raise Refusal(NO_TABLE) from problem
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
    if layout.header and len(names) == width - 1 and named < width:
        if not any(cell for row in layout.cells for cell in row[named:]) and frame[width - 1].isna().all():
            frame = frame.iloc[:, :-1]  # each row ends in a separator
        else:
            names = ["row name", *names]
    # As objects, for a look at one name of many takes long where pandas keeps them as texts of its own.
    every = [*names, *[""] * frame.shape[1]][: frame.shape[1]]
    return frame.set_axis(pd.Index(unique_names(every), dtype=object), axis=1)


def _padded(layout: _Layout, frame: pd.DataFrame) -> list[str]:
    """A sentence about columns read as numbers whose cells begin with zeros, as codes do."""
    found: dict[str, str] = {}
    for row in layout.cells:
        for name, dtype, cell in zip(frame.columns, frame.dtypes, row, strict=False):
            if dtype.kind in "iu" and cell[:1] == "0" and len(cell) > 1:
                found.setdefault(name, cell)
    if not found:
        return []
    example = short(next(iter(found.values())))
    return [f"{listed(list(found))} may hold codes such as '{example}', which were read as numbers."]
