"""How much memory the files of all visitors take together, and a refusal in words where that is too much."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from nysviz.datasets import Dataset
from nysviz.memory import in_words
from nysviz.ui.work import budget, watching
from nysviz.ui.work.store import store
from nysviz.ui.work.tickets import NobodyLooks, Ticket
from nysviz.ui.work.watching import Watchers

T = TypeVar("T")

# Streamlit keeps a session whose browser is away for so long, unless its settings say otherwise.
AWAY_SECONDS = 120.0
# Files that are being read, or made into data, take much memory for a while: one at a time.
READING = "visitors' files"
# Charts of a visitor's own file that the session keeps, to draw them again as they are.
OWN_CHARTS = 3


class Uploads:
    """Bytes that sessions hold of their own files: as they were sent, as tables and as data.

    A session whose browser is away counts for as long as it may come back and find its files.

    Parameters
    ----------
    most_bytes : int
        Of all sessions together.
    away_seconds : float
        How long what an absent session holds is kept.
    """

    def __init__(self, most_bytes: int, away_seconds: float = AWAY_SECONDS) -> None:
        self._most_bytes, self._away_seconds = most_bytes, away_seconds
        self._lock = threading.Lock()
        self._held: dict[str, int] = {}
        # When a session was first seen to be away.
        self._away: dict[str, float] = {}

    def hold(self, session: str, size: int, beside: int = 0, shape: tuple[int, int] | None = None) -> None:
        """Let a session hold so many bytes more than it must hold beside them.

        Parameters
        ----------
        session : str
        size : int
            Bytes of the file, or of the table or data made of it.
        beside : int
            What else the session holds.
        shape : (rows, columns), optional
            Of the table; without it the size is that of a file.

        Raises
        ------
        ValueError
            There is no room for it beside what other sessions hold.
        """
        with self._lock:
            self._forget()
            others = sum(held for one, held in self._held.items() if one != session)
            room = max(0, self._most_bytes - others - beside)
            if size > room:
                raise ValueError(_no_room(size, room, shape))
            self._held[session] = size + beside

    def count(self, session: str, size: int) -> None:
        """Take down what a session holds, whether there is room for it or not."""
        with self._lock:
            self._forget()
            self._held[session] = size
            if not size:
                del self._held[session]

    def held(self) -> int:
        """Return the bytes of all sessions."""
        with self._lock:
            self._forget()
            return sum(self._held.values())

    def _forget(self) -> None:
        """Leave out what sessions held that have been away for too long to come back."""
        now = time.monotonic()
        self._away = {one: self._away.get(one, now) for one in self._held if not watching.is_here(one)}
        for session, since in self._away.items():
            if now - since > self._away_seconds:
                del self._held[session]


def _no_room(size: int, room: int, shape: tuple[int, int] | None) -> str:
    if shape is None:
        return (
            f"The file has {in_words(size)}, and this server has room for {in_words(room)} more of visitors' "
            "files; send a sample of its rows, or try again later."
        )
    rows, columns = shape
    return (
        f"The table of {rows} rows × {columns} columns takes {in_words(size)} of memory, and this server has "
        f"room for {in_words(room)} more of visitors' files, enough for {rows * room // size} such rows; "
        "send a sample of its rows or fewer columns, or try again later."
    )


@st.cache_resource(max_entries=1, show_spinner=False)
def uploads() -> Uploads:
    """Return what counts the files of all sessions of this process."""
    away = st.get_option("server.disconnectedSessionTTL")
    return Uploads(budget.uploads_bytes(), AWAY_SECONDS if away is None else float(away))


def admit(file_id: str, size: int, beside: int, shape: tuple[int, int] | None = None) -> None:
    """Count a file that this session has sent, or its table; without room the file is taken out of memory.

    Parameters and error as of :meth:`Uploads.hold`, for this session.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    try:
        uploads().hold(context.session_id, size, beside, shape)
    except ValueError:
        manager = context.uploaded_file_mgr
        if isinstance(manager, MemoryUploadedFileManager):
            manager.remove_file(context.session_id, file_id)
        raise


def hold(size: int, beside: int, shape: tuple[int, int]) -> None:
    """Count data made of this session's file; parameters and error as of :meth:`Uploads.hold`."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        uploads().hold(context.session_id, size, beside, shape)


def count(size: int) -> None:
    """Take down what this session holds now."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        uploads().count(context.session_id, size)


def in_turn(work: Callable[[], T]) -> T:
    """Return what the work gives, done in this thread behind the gate, one such work at a time."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return work()
    looks, ticket = watching.drawing(), Ticket(Watchers(), group=READING)
    ticket.watchers.add(looks)

    def meanwhile() -> None:
        looks.touch()
        watching.leave_run()

    gate = store().gate
    try:
        gate.enter(ticket, meanwhile)
    except NobodyLooks:
        watching.leave_run()
        st.stop()
        raise
    try:
        return work()
    finally:
        gate.leave(ticket)


def chart_of(data: Dataset, key: Hashable, make: Callable[[], T]) -> T:
    """Return a chart from the shared results, or one that names a visitor's own columns from the session.

    Parameters
    ----------
    data : Dataset
        What the chart is about.
    key : hashable
        Content of all that the chart depends on.
    make : callable
    """
    if st.session_state.get("own_data") is not data:
        return store().get(key, make)
    kept: dict[Hashable, T] = st.session_state.setdefault("own_charts", {})
    if key not in kept:
        kept[key] = make()
        for old in list(kept)[:-OWN_CHARTS]:
            del kept[old]
    return kept[key]
