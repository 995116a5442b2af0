"""Whether the memory has room for what waits at the gate, beside what runs."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable

from nysviz import machine
from nysviz.ui.work import budget
from nysviz.ui.work.tickets import Ticket

# So much is to be free while something runs, in kernel matrices; what begins may need more.
ROOM_MATRICES = 3.0
# What needs more of them in the quick lane counts what runs in the other one, too, and is passed for a while.
LARGE_MATRICES = 1.0
PASSED_SECONDS = 3.0


class Admission:
    """What the memory has room for.

    Parameters
    ----------
    large : float
        What needs more kernel matrices in the quick lane waits for room beside the other lane, too.
    """

    def __init__(self, large: float = LARGE_MATRICES) -> None:
        self.large = large

    def is_large(self, ticket: Ticket) -> bool:
        """Whether a ticket of the quick lane needs so much that both lanes count."""
        return not ticket.heavy and ticket.matrices > self.large

    def has_room(self, ticket: Ticket, running: Iterable[Ticket]) -> bool:
        """Whether there is room for one more in its lane; there always is for the first."""
        beside = [
            one
            for one in running
            if one.heavy == ticket.heavy or one.overrun or self.is_large(ticket) or self.is_large(one)
        ]
        if self.is_large(ticket):
            # These come and go without end.
            beside = [one for one in beside if not one.moment]
        if not beside:
            return True
        needed = ticket.matrices + promised(beside)
        return machine.free_bytes() - budget.spare_bytes() > needed * budget.matrix_bytes()


def is_passed(held: Ticket) -> bool:
    """Whether what is small goes on while this one, which is large, waits for room."""
    return held.held is not None and time.monotonic() - held.held <= PASSED_SECONDS


def promised(running: Iterable[Ticket]) -> float:
    """Kernel matrices for which what began lately may not have taken the memory yet."""
    now = time.monotonic()
    return sum(one.matrices for one in running if one.begun is not None and now - one.begun < one.settle)


def wanted_bytes(running: Collection[Ticket], held: Ticket | None) -> float:
    """Bytes that should be free: for what began lately, and for what waits for room."""
    needed = promised(running)
    wanted = max(ROOM_MATRICES, needed) * budget.matrix_bytes()
    if held is None:
        return wanted
    return max(wanted, (needed + held.matrices) * budget.matrix_bytes() + budget.spare_bytes())
