"""Tables of text: find the encoding, delimiter, header and decimal sign, and let pandas read the rows."""

import codecs
import csv
import io
import re
import string
from collections.abc import Sequence
from typing import Any

import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.header import (
    GAPS,
    MISSING,
    has_header,
    lines_above,
    names_stand_beside,
    unit_lines,
)
from nysviz.datasets.upload.numbers import (
    as_number,
    decimal_sign,
    is_number,
    is_plain_number,
    long_numbers,
    zeros_in_front,
)
from nysviz.datasets.upload.quotation import check_spanning
from nysviz.datasets.upload.table import CLASS_TEXTS, Table, plain, short, unique_names
from nysviz.refusal import Refusal
from nysviz.text import counted

# Offered where the letters look wrong; bytes that are neither of the first two are read as the third.
ENCODINGS = (
    "UTF-8", "UTF-16", "Windows-1252", "ISO-8859-15", "Windows-1251", "KOI8-R", "Windows-1250",
    "Windows-1253", "Mac-Roman", "CP850", "GB2312", "Shift_JIS", "GB18030",
)  # fmt: skip
WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16",
}  # fmt: skip
WIDE_ENCODINGS = ("UTF-32-LE", "UTF-32-BE", "UTF-16-LE", "UTF-16-BE")
# Smallest share of ASCII letters in a table, with its digits and delimiters; a picture read as text has few.
LEAST_ASCII = 0.3
# Delimiters in order of preference; a blank stands for any run of blanks.
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
SAMPLE_LINES, SAMPLE_BYTES = 100, 200_000
SAME_CELLS = "give every row the same number of cells, or say in which line of the file the table begins."
# Spreadsheets tell each other the delimiter on a line of its own, which is no row.
_SEPARATOR_LINE = re.compile(rb'\A"?sep=."?[;,\t]*\n', re.IGNORECASE)
_REMARKS = re.compile(rb"(?:\s*+[#%][^\n]*+(?:\n|\Z))*+(?:[^\S\n]*+\n)*+")
_REMARK = re.compile(rb"^#[^\n]*+", re.M)
_WEB_PAGE = re.compile(r"<(!doctype\b|html\b|head\b|table\b|\?xml\b)", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def read_text(
    content: bytes,
    header: bool | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    first_line: int | None = None,
) -> Table:
    """Read a table of text; whatever is None (header, encoding, delimiter, first line) is detected.

    Without a header the columns are called column 1, column 2, …
    """
    text, encoding, notes = decode_text(content, encoding)
    if _CONTROL.search(text[:SAMPLE_BYTES]) or b"\x00" in text:
        raise Refusal("The file is not text, but perhaps a picture or a PDF; save its table as CSV.")
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines_before = text.count(b"\n")  # less the lines of the table, which are subtracted below
    for _ in limits.blocks_of_lines(text):
        pass  # refuses a line that is too long
    text = _SEPARATOR_LINE.sub(b"", text) if first_line is None else _drop_lines_above(text, first_line)
    remarks = _REMARKS.match(text, 0, limits.MAX_LINE) if first_line is None else None
    text = text[len(remarks[0]) :] if remarks else text
    lines = _take_first_lines(text)
    if not lines:
        raise Refusal("The file holds no lines of data; send a table with at least one row of numbers.")
    if _WEB_PAGE.match(lines[0]):
        raise Refusal(
            "The file looks like a web page (HTML), not like a table; open its address in a browser, save "
            "the table itself as CSV and send that."
        )
    delimiter, cells = (delimiter, _split_lines(lines, delimiter)) if delimiter else _find_delimiter(lines)
    lengths = [len(row) for row in cells]
    width = max(set(lengths), key=lengths.count)
    if b"\n#" in text:
        text = _empty_remarks(text, delimiter, width, notes)
        cells = [row for row in cells if not row[0].startswith("#") or len(row) == width]
    if first_line is None and (titles := lines_above(cells)):
        notes.append(f"{counted(titles, 'line')} above the table taken for its title.")
        for _ in range(titles):
            text = text.lstrip().partition(b"\n")[2]
        text, cells = text.lstrip(b"\n"), cells[titles:]
    # As numpy.savetxt writes names.
    remark = (remarks[0] if remarks else b"").rstrip().rpartition(b"\n")[2].lstrip(b"#% \t")
    above = _split_lines([remark.decode("utf-8", errors="replace")], delimiter)[0] if remark else []
    if header is not False and len(above) == len(cells[0]) > 1 and has_header([above, *cells]):
        notes.append("The names of the columns stand on a line that begins with # or %.")
        text, cells, header = remark + b"\n" + text, [above, *cells], True
    if header is None:
        header = has_header(cells)
        numbers = [cell for cell in cells[0] if is_number(cell)]
        if header and len(numbers) > 1:
            examples = ", ".join(map(short, numbers[:3]))
            notes.append(f"The numbers {examples} … of the first line were taken for names of columns.")
    names, cells = (cells[0], cells[1:]) if header else ([], cells)
    units = unit_lines(cells) if header else 0
    for row in cells[:units]:
        line = plain(", ".join(short(cell) for cell in row if cell), 60)
        notes.append(f"The line '{line}' below the names says units or types and was left out.")
    cells = cells[units:]

    flat = [cell for row in cells for cell in row]
    # A comma that separates cells is a decimal sign only within quotation marks, in single columns.
    sign, unclear = decimal_sign(flat)
    decimal = "." if delimiter == "," else sign
    # Numbers with signs between thousands are read as texts first.
    texts = sum(not (cell in GAPS or is_plain_number(cell, decimal)) for cell in flat) / max(len(flat), 1)
    rows = text.count(b"\n") + (not text.endswith(b"\n")) - header - units
    columns = max(len(row) for row in (names, *cells))
    text_bytes = limits.TEXT_BYTES * texts * rows * columns
    limits.check_shape(rows, columns, beside=limits.FILE_COPIES * len(text) + text_bytes)
    if unclear and delimiter != ",":
        notes.append(
            f"Numbers such as '{short(unclear)}' were read as {as_number(unclear, sign):.15g}; take the sign "
            "out of them if it stands between thousands."
        )
    lines_before -= text.count(b"\n")
    try:
        frame = _name_columns(_read_frame(text, header + units, delimiter, decimal), names, cells)
    except Refusal:
        check_spanning(text, delimiter, width, lines_before)
        raise
    # Lines beyond the rows are blank, or within quotation marks.
    if b'"' in text and len(frame) < text.rstrip(b"\n").count(b"\n") + 1 - header - units:
        spanning = check_spanning(text, delimiter, width, lines_before)
        notes += [spanning] if spanning else []
    decimal = "," if sign == "," and (delimiter != "," or not unclear) else "."
    traits = [DELIMITERS[delimiter] if frame.shape[1] > 1 else "one column", encoding]
    traits += ["decimal commas"] if decimal == "," else []
    reading = f"Read as text: {', '.join(traits)}, {'a' if header else 'no'} header."
    # What stands above and beside the numbers of a square table names its rows.
    beside = [str(frame.columns[0])] if header and names_stand_beside([names, *cells]) else []
    if beside:
        frame[beside] = frame[beside].astype(str)
    padded = {str(frame.columns[j]): cell for j, cell in zeros_in_front(cells).items() if j < frame.shape[1]}
    long = frozenset(str(frame.columns[j]) for j in long_numbers(cells) if j < frame.shape[1])
    return Table(
        frame,
        (reading, *notes),
        decimal,
        header=header,
        encoding=encoding,
        texts=frozenset(beside),
        padded=padded,
        long=long,
        first_line=lines_before + 1,
    )


def _drop_lines_above(text: bytes, first_line: int) -> bytes:
    """Return the text from a line on, counted from 1."""
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    if first_line > lines:
        raise Refusal(
            f"first_line is {first_line}, and the file has {counted(lines, 'line')}; give the line in which "
            "its table begins."
        )
    start = 0
    for _ in range(first_line - 1):
        start = text.find(b"\n", start) + 1
    return text[start:]


def _empty_remarks(text: bytes, delimiter: str, width: int, notes: list[str]) -> bytes:
    """Empty the lines that begin with # and are no rows, and note their number; line numbers stay."""
    count = 0

    def emptied(line: re.Match[bytes]) -> bytes:
        nonlocal count
        if len(_split_lines([line[0].decode("utf-8", errors="replace")], delimiter)[0]) == width:
            return line[0]
        count += 1
        return b""

    blocks = [_REMARK.sub(emptied, text[block]) for block in limits.blocks_of_lines(text)]
    if count:
        notes.append(f"Left out because of a # in front: {counted(count, 'line')}.")
    return b"".join(blocks)


def decode_text(content: bytes, encoding: str | None = None) -> tuple[bytes, str, list[str]]:
    """Return the text as UTF-8, the name of its encoding, and a sentence of doubt where that was guessed."""
    notes = []
    if encoding is None:
        encoding = _find_wide_encoding(content)
    if encoding is None:
        try:
            content.decode()
            return content.removeprefix(codecs.BOM_UTF8), ENCODINGS[0], []
        except UnicodeDecodeError:
            encoding = ENCODINGS[2]
            notes = [f"The text is no UTF-8 and was read as {encoding}; if it looks wrong, choose another."]
    try:
        text = content.decode(encoding, errors="replace").removeprefix("\ufeff")
    except (LookupError, TypeError, ValueError) as problem:
        raise Refusal(
            f"encoding is {plain(encoding)!r}, which is none that Python knows; give one such as "
            f"{', '.join(ENCODINGS[:4])}, or None."
        ) from problem
    return text.encode(), encoding, notes


def _find_wide_encoding(content: bytes) -> str | None:
    """Return the encoding of two or four bytes a letter that a text has, by its mark or its zero bytes."""
    for mark, name in WIDE_MARKS.items():
        if content.startswith(mark):
            return name
    sample = content[:SAMPLE_BYTES]
    for name in WIDE_ENCODINGS if b"\x00" in sample else ():
        # The sample may end within a letter.
        text = codecs.getincrementaldecoder(name)("replace").decode(sample)
        if sum(letter in string.printable for letter in text) > LEAST_ASCII * len(text):
            return name
    return None


def _take_first_lines(text: bytes) -> list[str]:
    """Return the first lines that are not blank, at most ``SAMPLE_LINES``."""
    sample = text[:SAMPLE_BYTES]
    if len(text) > SAMPLE_BYTES and b"\n" in sample:
        sample = sample[: sample.rfind(b"\n")]  # a cut line would look ragged
    lines = [line.strip(" ") for line in sample.decode("utf-8", errors="replace").split("\n")]
    return [line for line in lines if line.strip()][:SAMPLE_LINES]


def _split_lines(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        # With their ends, for a cell in quotation marks may go on in the next line.
        ended = (f"{line}\n" for line in lines)
        rows = list(csv.reader(ended, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        rows = [line.split(delimiter) for line in lines]
    return [[cell.strip() for cell in row] for row in rows]


def _find_delimiter(lines: list[str]) -> tuple[str, list[list[str]]]:
    """Return the delimiter that gives rows of equal length and many numbers, and the sample split by it."""
    first, *lower_lines = lines
    decimal_commas = ("," in line and is_plain_number(line, ",") for line in lower_lines)
    if lower_lines and "," not in first and all(decimal_commas):
        return ";", [[line] for line in lines]  # one column of numbers such as 1,5 below its name
    best, chosen, alike = 0.0, (",", _split_lines(lines, ",")), False
    for delimiter in DELIMITERS:
        blanks = delimiter == " "
        # Tabs are blanks too, unless they separate.
        cells = _split_lines(
            [line.replace("\t", " ") for line in lines] if blanks and not alike else lines, delimiter
        )
        flat = [cell for row in cells for cell in row]
        if blanks and alike and any(chosen[0] in cell and not is_number(cell) for cell in flat):
            continue  # blanks stand within the cells, as in "1.0 mm,2.1 %"
        lengths = [len(row) for row in cells]
        common = max(set(lengths), key=lambda length: (lengths.count(length), length))
        # Of "1 234,5 678" the blanks make plain numbers, the comma some with signs between thousands.
        plain_ones = sum(is_plain_number(cell, ".") or is_plain_number(cell, ",") for cell in flat)
        share = (sum(map(is_number, flat)) + 1e-6 * plain_ones) / max(len(flat), 1)
        score = lengths.count(common) / len(lengths) * (0.2 + share)
        if common > 1 and score > best + 1e-9:
            best, chosen, alike = score, (delimiter, cells), lengths.count(common) == len(lengths)
    return chosen


def _read_frame(text: bytes, skipped: int, delimiter: str, decimal: str) -> pd.DataFrame:
    """Return the table below some lines, its columns numbered from 0; "None" and the like stay texts."""
    options: dict[str, Any] = {
        "sep": r"\s+" if delimiter == " " else delimiter,
        "header": None,
        "skiprows": skipped,
        "decimal": decimal,
        "skipinitialspace": True,
        "low_memory": False,
        "encoding_errors": "replace",
    }
    try:
        limits.seconds_left()
        frame: pd.DataFrame = pd.read_csv(io.BytesIO(text), na_values=["?"], **options)
        # pandas takes texts such as "None" for gaps. To read the columns of text once more costs less than to
        # read numbers among such texts one by one: 0.3 s instead of 5 s for 14 MB.
        texts = [j for j, kind in enumerate(frame.dtypes) if isinstance(kind, pd.StringDtype)]
        columns = [j for j in texts if frame[j].hasnans]
        if columns and any(word.encode() in text for word in CLASS_TEXTS):
            options |= {"keep_default_na": False, "na_values": list(MISSING), "dtype": str}
            frame[columns] = pd.read_csv(io.BytesIO(text), usecols=columns, **options)
    except pd.errors.EmptyDataError as problem:
        raise Refusal(
            "The file has a line of column names and no rows; send at least one row of numbers."
        ) from problem
    except (ValueError, OverflowError, IndexError) as problem:  # pandas' own errors are ValueErrors
        match = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(problem))
        if match is None:
            raise Refusal(
                "The file could not be read as a table of text; save it as CSV with one row a line, and "
                "close every quotation mark."
            ) from problem
        width, line, cells = map(int, match.groups())
        raise Refusal(
            f"Row {line - skipped} of the data has {cells} cells where the rows before have {width}; "
            f"{SAME_CELLS}"
        ) from problem
    return frame


def _name_columns(frame: pd.DataFrame, names: list[str], cells: list[list[str]]) -> pd.DataFrame:
    """Give the columns their names; a column of row names, as R writes it, has none."""
    named, width = len(names), frame.shape[1]
    if 0 < named == width - 1:
        if not any(cell for row in cells for cell in row[named:]) and frame[named].isna().all():
            frame = frame.iloc[:, :-1]  # each row ends in a separator
        else:
            names = ["row name", *names]
    while len(names) > frame.shape[1] and not names[-1]:
        names = names[:-1]
    if len(names) > width:
        raise Refusal(
            f"The line of column names has {len(names)} cells where the first row has {width}; {SAME_CELLS}"
        )
    names = names + [""] * (frame.shape[1] - len(names))
    # As objects, because looking up one of many names is slow in pandas' own type of text.
    return frame.set_axis(pd.Index(unique_names(names), dtype=object), axis=1)
