"""The sentence and the few numbers beside a study's picture, as HTML."""

import html
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

from nysviz.landmarks import METHODS
from nysviz.text import three_digits

# The answer before the first runs are there.
WAITING = "The first runs are on their way."
BOLD = re.compile(r"\*\*(.+?)\*\*")


Explain = Callable[[str], str]


class Label(NamedTuple):
    """The name of a row or a column of numbers, as HTML, and the term of its explanation."""

    text: str
    term: str

    @classmethod
    def of_method(cls, name: str) -> Self:
        """Return the label of a method, which the registry explains."""
        return cls(METHODS[name].brief, name)

    def as_html(self, explain: Explain | None) -> str:
        """Return it as HTML, with its explanation under the pointer and for the keyboard."""
        if explain is None or not self.text:
            return self.text
        tip = html.escape(explain(self.term))
        return f'<span class="nysviz-term" tabindex="0" data-tip="{tip}">{self.text}</span>'


Row = tuple[Label, *tuple[str, ...]]
# The head of a column that needs no name.
PLAIN = Label("", "")


class NumberTable(NamedTuple):
    """A compact table: its headings, and its rows of cells, which are numbers and words of this project.

    ``more`` are rows that few readers need, behind words to be clicked.
    """

    head: Sequence[Label]
    rows: Sequence[Row]
    more: tuple[str, Sequence[Row]] = ("", ())

    def as_html(self, explain: Explain | None = None) -> str:
        """Return it as HTML; ``explain`` gives the explanation of a label by the label's term.

        Without rows it is an empty line: a place that is filled while runs come in is written to from the
        start.
        """
        if not self.rows:
            return "<p>&nbsp;</p>"
        # A heading without words would be read out as an empty one.
        cells = (f"<th>{label.as_html(explain)}</th>" if label.text else "<td></td>" for label in self.head)
        table = _table(f"<thead><tr>{''.join(cells)}</tr></thead>", self.rows, explain)
        name, rows = self.more
        if rows:
            table += f"<details><summary>{name}</summary>{_table('', rows, explain)}</details>"
        return table


def _table(head: str, rows: Sequence[Row], explain: Explain | None) -> str:
    lines = (
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in (label.as_html(explain), *cells))}</tr>"
        for label, *cells in rows
    )
    return f'<table class="nysviz-numbers">{head}<tbody>{"".join(lines)}</tbody></table>'


def paragraph(text: str) -> str:
    """Return a sentence as HTML; what is bold in Markdown is bold."""
    bold = BOLD.sub(r"<b>\1</b>", html.escape(text))
    return f"<p>{bold}</p>"


def interval(ends: tuple[float, float] | None, reason: str) -> str:
    """Return the cell of an interval, or "no interval" with the reason on hover."""
    if ends is None:
        return f'<span title="{reason}">no interval</span>'
    return " – ".join(map(three_digits, ends))
