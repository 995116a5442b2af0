"""Cells in quotation marks that go on in the next line, on purpose or because a mark was not closed."""

from collections.abc import Iterator

from nysviz.datasets.upload import limits
from nysviz.refusal import Refusal
from nysviz.text import counted

NEWLINE = b"\n"


def spanning_cells(text: bytes, delimiter: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each cell whose quotation marks enclose the end of a line."""
    before = b"\n" + (b" \t" if delimiter == " " else delimiter.encode())
    start = text.find(b'"')
    while start >= 0:
        limits.seconds_left()
        opens, end = start, start
        while opens > 0 and text[opens - 1] == ord(" "):
            opens -= 1
        if opens == 0 or (opens < start and delimiter == " ") or text[opens - 1] in before:
            end = text.find(b'"', start + 1)
            while end >= 0 and text[end + 1 : end + 2] == b'"':
                end = text.find(b'"', end + 2)  # a doubled mark is one of the cell
            end = len(text) if end < 0 else end
            if text.find(b"\n", start, end) >= 0:
                yield start, end
        start = text.find(b'"', end + 1)


def check_spanning(text: bytes, delimiter: str, width: int, lines_above: int) -> str:
    """Return a sentence about cells of several lines; refuse one whose lines look like rows of their own.

    ``width`` is the number of cells in a row, ``lines_above`` the number of lines cut off above the text.
    """
    cells = 0
    for start, end in spanning_cells(text, delimiter):
        cells += 1
        if cells == 1:
            first_line = lines_above + text.count(b"\n", 0, start) + 1
            in_names = b"\n" not in text[:start]
        lines = text[start:end].split(b"\n")[1:-1]
        if not lines:
            # No line lies between the two that the cell begins and ends in: take both as a whole.
            first, last = text.rfind(b"\n", 0, start) + 1, text.find(b"\n", end)
            lines = text[first : last if last >= 0 else len(text)].split(b"\n")
        rows = sum(_cells(line, delimiter) == width for line in lines)
        if 2 * rows > len(lines) and not (cells == 1 and in_names):
            line = lines_above + text.count(b"\n", 0, start) + 1
            raise Refusal(
                f"A quotation mark in line {line} opens a cell that goes on to line "
                f"{line + text.count(NEWLINE, start, end)}, over lines that look like rows; take the mark "
                "out, or close it in its line."
            )
    if not cells:
        return ""
    where = f"the first in line {first_line}" if cells > 1 else f"in line {first_line}"
    return f"{counted(cells, 'cell')} in quotation marks held ends of lines, {where}."


def _cells(line: bytes, delimiter: str) -> int:
    return len(line.split()) if delimiter == " " else line.count(delimiter.encode()) + 1
