"""The sentences of the page "Playground"."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.text import counted, three_digits
from nysviz.ui.playground.result import Board

# Below this part of ‖K‖ the best possible error is rounding.
NOTHING = 1e-10
OWN_KERNEL = "This page has its own kernels and bandwidth, beside the canvas."
NO_POINTS = "There are no points: choose some above the canvas, or spray some with the brush."


def answer(found: Sequence[Board]) -> str:
    """Answer the page's question with the numbers of the first canvas."""
    board = found[0]
    times = ""
    if board.relative_best > NOTHING:
        times = f", {three_digits(board.errors.frobenius / board.best)} times the best possible"
    return (
        f"Relative Frobenius error **{three_digits(board.errors.relative_frobenius)}** with "
        f"{counted(board.m, 'landmark')}{times}. One more at the best point makes it "
        f"**{three_digits(board.next_error)}**."
    )
