"""Account of the memory that the files of all visitors take, with a refusal in words if it is too much."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import wait
from typing import TypeVar

import streamlit as st

from nysviz.engine import Task, budget, has_lapsed
from nysviz.engine.once_a_process import OnceAProcess
from nysviz.engine.shared import engine
from nysviz.engine.task import LOOK_SECONDS, Waiters
from nysviz.text import in_bytes
from nysviz.ui import streamlit_private, watching
from nysviz.ui.admission import UploadMemoryError
from nysviz.ui.streamlit_private import session_here
from nysviz.ui.turns import aside

T = TypeVar("T")

# Large files that are being read, or made into data, take much memory for a while: one at a time.
READING = "visitors' files"


class Uploads:
    """Bytes that sessions hold of their own files: as they were sent, as tables and as data.

    All sessions together hold ``most_bytes``; the files of one, without their tables and data, half of that,
    or ``largest_file`` where it is more.
    """

    def __init__(self, most_bytes: int, largest_file: int = 0) -> None:
        self._most_bytes = most_bytes
        self._most_files = max(most_bytes // 2, largest_file)
        self._lock = threading.Lock()
        # By session: tables and data, files, and those of which the server is still reading the body.
        self._held: Counter[str] = Counter()
        self._files: Counter[str] = Counter()
        self._coming: Counter[str] = Counter()
        self._refusals: dict[str, str] = {}

    def admit(self, session: str, size: int) -> None:
        """Count a file while its body is read; UploadMemoryError if it is too large."""
        with self._lock:
            own_bytes = self._files[session] + self._coming[session]
            free = max(0, min(self._most_files - own_bytes, self._most_bytes - self._total()))
            if size > free:
                self._refusals[session] = (
                    f"The file has {in_bytes(size)}, and this server has room for {in_bytes(free)} more of "
                    "yours; take out the one before, send a sample of its rows, or try again later."
                )
                raise UploadMemoryError(self._refusals[session])
            self._coming[session] += size

    def record_arrival(self, session: str, size: int, *, is_kept: bool) -> None:
        """Count an admitted file no longer as coming, and from now on only if it was kept."""
        with self._lock:
            self._coming -= Counter({session: size})
            if is_kept:
                self._files[session] += size

    def forget(self, session: str) -> None:
        """Drop the counts of a session that cannot come back."""
        with self._lock:
            for counts in (self._held, self._files, self._refusals):
                counts.pop(session, None)

    def settle(self, session: str, size: int) -> None:
        """Set the bytes of the files that a session still has."""
        with self._lock:
            self._files[session] = size

    def refusal(self, session: str) -> str | None:
        """Return why the last file of a session was refused, once."""
        with self._lock:
            return self._refusals.pop(session, None)

    def hold(self, session: str, size: int, beside: int, shape: tuple[int, int]) -> None:
        """Count a table or data of a session, beside the other one that it holds, or refuse them."""
        with self._lock:
            free = max(0, self._most_bytes - self._total() + self._held[session] - beside)
            if size > free:
                raise UploadMemoryError(
                    f"The table of {shape[0]} rows × {shape[1]} columns takes {in_bytes(size)} of memory, "
                    f"and this server has room for {in_bytes(free)} more of visitors' files, enough for "
                    f"{shape[0] * free // size} such rows; send a sample of its rows or fewer columns, or "
                    "try again later."
                )
            self._held[session] = size + beside

    def count(self, session: str, size: int) -> None:
        """Set the bytes of a session's table and data, whether there is room for them or not."""
        with self._lock:
            self._held[session] = size

    def held_bytes(self) -> int:
        """Return the bytes of all sessions."""
        with self._lock:
            return self._total()

    def _total(self) -> int:
        return self._held.total() + self._files.total() + self._coming.total()


@OnceAProcess
def uploads() -> Uploads:
    """Return the account of the files of all sessions of this process."""
    largest_file = int(st.get_option("server.maxUploadSize")) * 2**20
    return Uploads(int(budget.UPLOADS * budget.memory_budget()), largest_file)


def settle(without: str = "") -> None:
    """Count the files that this session still has, after removing the one with this id."""
    files = streamlit_private.files(without)
    sent = st.session_state.get("own_sent")
    if sent is not None:
        files[sent.file_id] = len(sent.content)
    uploads().settle(session_here(), sum(files.values()))


def in_turn(work: Callable[[], T]) -> T:
    """Return the result of the work with a file: at once if the file is small, else one file at a time."""
    from nysviz.datasets.upload import limits  # pandas takes long to import

    try:
        return _among_heavy_work(lambda: limits.only_if_small(work))
    except limits.LargeFile:
        return _among_heavy_work(work, READING)


def _among_heavy_work(work: Callable[[], T], group: str | None = None) -> T:
    drawing, task = watching.drawing(), Task(work, Waiters(), group=group)
    task.waiters.add(drawing)
    engine().queue.submit(task)
    while not task.future.done():
        with aside():
            wait([task.future], LOOK_SECONDS)
        drawing.touch()
        watching.leave_run()
    if has_lapsed(task.future):
        st.stop()
    result: T = task.future.result()
    return result
