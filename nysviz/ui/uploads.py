"""How much memory the files of all visitors take together, and a refusal in words where that is too much."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from nysviz.datasets import Dataset
from nysviz.memory import in_words
from nysviz.ui import budget, watching
from nysviz.ui.store import store

T = TypeVar("T")

# The file as it was sent, which stays with the upload box, and the table that was read from it.
COPIES = 2
# Charts of a visitor's own file that the session keeps, to draw them again as they are.
OWN_CHARTS = 3


class Uploads:
    """Bytes that sessions hold of their own files.

    Parameters
    ----------
    most_bytes : int
        Of all sessions together.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._held: dict[str, int] = {}

    def hold(self, session: str, size: int) -> None:
        """Let a session hold a file of so many bytes instead of the one before.

        Raises
        ------
        ValueError
            There is no room for it beside those of the sessions that are still here.
        """
        with self._lock:
            self._held = {one: held for one, held in self._held.items() if watching.is_here(one)}
            others = sum(held for one, held in self._held.items() if one != session)
            if others + COPIES * size > self._most_bytes:
                room = in_words(max(0, self._most_bytes - others) // COPIES)
                raise ValueError(
                    f"The file has {in_words(size)}, and this server has room for {room} more of visitors' "
                    "files; send a sample of its rows, or try again later."
                )
            self._held[session] = COPIES * size

    def held(self) -> int:
        """Return the bytes of all sessions."""
        with self._lock:
            return sum(self._held.values())


@st.cache_resource(max_entries=1, show_spinner=False)
def uploads() -> Uploads:
    """Return what counts the files of all sessions of this process."""
    return Uploads(budget.uploads_bytes())


def admit(file_id: str, size: int) -> None:
    """Count a file that this session has sent; one that there is no room for is taken out of memory.

    Raises
    ------
    ValueError
        In one sentence, where there is no room.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return
    try:
        uploads().hold(context.session_id, size)
    except ValueError:
        manager = context.uploaded_file_mgr
        if isinstance(manager, MemoryUploadedFileManager):
            manager.remove_file(context.session_id, file_id)
        raise


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
