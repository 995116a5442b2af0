"""Shortfalls of a result: a sentence for the reader, a kind for the program."""

from enum import StrEnum
from typing import Self


class Shortfall(StrEnum):
    """Kinds of shortfall of an approximation; ``LowRank.shortfalls`` has those that it met.

    ``RANK_LOST``: W, K or its sketch has fewer eigenvalues above rounding than landmarks. ``ROWS_EXHAUSTED``:
    fewer landmarks than asked for, since the other rows add nothing above rounding. ``LANDMARKS_REPEATED``:
    draws with replacement met a row again. ``START_KEPT``: no step of an iteration improved on its start.
    ``TOLERANCE_MISSED``: m landmarks leave more of the trace than was allowed.

    Examples
    --------
    >>> import nysviz as nv
    >>> a = nv.approximate(nv.load("iris").X, nv.Linear(), "kmeans", m=10)
    >>> nv.Shortfall.RANK_LOST in a.shortfalls, a.rank
    (True, 4)
    """

    RANK_LOST = "rank lost"
    ROWS_EXHAUSTED = "rows exhausted"
    LANDMARKS_REPEATED = "landmarks repeated"
    START_KEPT = "start kept"
    TOLERANCE_MISSED = "tolerance missed"


class Note(str):
    """A sentence that says how a result falls short, with the kind of shortfall."""

    shortfall: Shortfall

    def __new__(cls, sentence: str, shortfall: Shortfall) -> Self:  # noqa: D102
        note = super().__new__(cls, sentence)
        note.shortfall = shortfall
        return note

    def __getnewargs__(self) -> tuple[str, Shortfall]:  # type: ignore[override]  # for copies and pickles
        return str(self), self.shortfall


def note_if(falls_short: bool, shortfall: Shortfall, sentence: str) -> tuple[Note, ...]:
    """Return the notes of a result: one if it falls short, else none."""
    return (Note(sentence, shortfall),) if falls_short else ()
