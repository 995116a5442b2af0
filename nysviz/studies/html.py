"""The sentence and the few numbers beside a study's picture, as HTML."""

import html
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nysviz.text import three_digits

# The answer before the first runs are there.
WAITING = "The first runs are on their way."
BOLD = re.compile(r"\*\*(.+?)\*\*")


class NumberTable(NamedTuple):
    """A compact table: its headings, and its rows of cells, which are numbers and words of this project."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_html(self) -> str:
        """Return it as HTML."""
        return number_table(*self)


def paragraph(text: str) -> str:
    """Return a sentence as HTML; what is bold in Markdown is bold."""
    bold = BOLD.sub(r"<b>\1</b>", html.escape(text))
    return f"<p>{bold}</p>"


def number_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a compact table as HTML. The cells are numbers and words of this project, never of a user.

    Without rows it is an empty line: a place that is filled while runs come in is written to from the start.
    """
    rows = list(rows)
    if not rows:
        return "<p>&nbsp;</p>"
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    # A heading without words would be read out as an empty one.
    top = "".join(f"<th>{title}</th>" if title else "<td></td>" for title in head)
    return f'<table class="nysviz-numbers"><thead><tr>{top}</tr></thead><tbody>{cells}</tbody></table>'


def interval(ends: tuple[float, float] | None, reason: str) -> str:
    """Return the cell of an interval, or that there is none, with the reason on hover."""
    if ends is None:
        return f'<span title="{reason}">no interval</span>'
    return " – ".join(map(three_digits, ends))
