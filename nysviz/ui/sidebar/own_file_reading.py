"""A user's own file in the session: read, kept as a table, and made into data when the user says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from nysviz.datasets import Dataset
from nysviz.faults import failure
from nysviz.refusal import Refusal
from nysviz.ui import settings
from nysviz.ui.admission import UploadMemoryError
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.uploads import in_turn, settle, uploads
from nysviz.ui.streamlit_private import session_here

if TYPE_CHECKING:
    from nysviz.datasets.upload import Summary

T = TypeVar("T")

FAULT = (
    "The file could not be used, by a fault of this program; save its table as CSV and send that, or another."
)
# State of one file; the data made of it are kept under other keys.
_OF_A_FILE = ("own_sent", "own_problem", "own_waiting", "own_dialog", "own_refusal")


@dataclass(frozen=True)
class Sent:
    """A file as it was sent; the session keeps it because each page has a new upload box."""

    file_id: str
    name: str
    content: bytes


@dataclass(frozen=True)
class Waiting:
    """A file that was read and is not used yet; ``answers`` are options of ``nv.parse`` given for reading."""

    name: str
    summary: Summary
    answers: dict[str, Any] = field(default_factory=dict)


def forget_file() -> None:
    """Forget the last file sent, but not the data made of it."""
    file_id = st.session_state.pop("own_file_id", "")
    for key in _OF_A_FILE:
        st.session_state.pop(key, None)
    settle(without=file_id)


def look_at(sent: Sent) -> None:
    """Read the file once, and keep its table, or why it cannot be read, until the next file."""
    state = st.session_state
    if state.get("own_file_id") == sent.file_id:
        del state["own_file_id"]
    forget_file()
    for key in ("own_gone", "own_out_of_memory", "own_reading"):
        state.pop(key, None)
    _forget_choices()
    # Set before reading: the run may be stopped meanwhile, and other pages have another upload box.
    state["own_sent"] = sent
    try:
        state["own_waiting"], state["own_dialog"] = _read(sent), True
    except Refusal as refusal:
        state["own_problem"] = str(refusal)
        state["own_out_of_memory"] = isinstance(refusal, UploadMemoryError)
        del state["own_sent"]
    # Set last: a run that is stopped earlier reads the file again.
    state["own_file_id"] = sent.file_id
    if state.get("own_out_of_memory"):
        settle(without=sent.file_id)


def read_again(sent: Sent, answers: dict[str, Any]) -> None:
    """Read the file with these answers; if that fails the last reading stays, and a toast says why.

    ``answers`` are ``turn``, ``first_line``, ``header``, ``encoding``, ``sheet`` and ``missing_values`` of
    ``nv.parse``.
    """
    state = st.session_state
    try:
        waiting = _read(sent, **answers)
    except Refusal as refusal:
        st.toast(plain(str(refusal)), icon=":material/error:")
        return
    _forget_choices()
    state.pop("own_refusal", None)
    state["own_waiting"], state["own_reading"] = waiting, state.get("own_reading", 0) + 1


def _read(sent: Sent, **answers: Any) -> Waiting:
    """Read the file as a table."""
    # pandas takes long to import, and only uploads need it.
    from nysviz.datasets import upload

    table = _try_work(lambda: upload.read(sent.content, sent.name, **answers))
    beside = data_bytes(st.session_state.get("own_data"))
    uploads().hold(session_here(), table.nbytes, beside, table.frame.shape)
    return Waiting(sent.name, _try_work(lambda: upload.summarise(table)), answers)


def _forget_choices() -> None:
    for key in [key for key in st.session_state if str(key).startswith("own_choice_")]:
        del st.session_state[key]


def _try_work(work: Callable[[], T]) -> T:
    """Return the result of the work, or refuse the file with one sentence that says why."""
    try:
        return in_turn(work)
    except Refusal:
        raise
    except Exception as error:
        failure("a visitor's file was not read", error)
        raise Refusal(FAULT) from error


def data_bytes(data: Dataset | None) -> int:
    """Return the bytes of data, 0 if there are none."""
    return 0 if data is None else int(data.X.nbytes) + (0 if data.y is None else int(data.y.nbytes))


def _choose_kernel(options: dict[str, Any]) -> None:
    """Take the linear kernel for points whose inner products were given, and the former one after them."""
    state = st.session_state
    # Points at given distances have them in any kernel.
    if options.get("similarities", "centred") != "centred":
        state.setdefault("own_kernel_before", settings.text("kernel"))
        settings.put("kernel", "linear")
    elif (former := state.pop("own_kernel_before", None)) is not None and settings.text("kernel") == "linear":
        settings.put("kernel", former)


def use(options: dict[str, Any]) -> bool:
    """Make the data of the file that waits; False if they are refused, with a sentence."""
    from nysviz.datasets import upload

    state = st.session_state
    waiting: Waiting = state["own_waiting"]
    try:
        data = _try_work(lambda: upload.build(waiting.summary.table, waiting.name, **options))
        # In place of the table and of the last data.
        uploads().hold(session_here(), data_bytes(data), 0, (data.n, data.d))
    except Refusal as refusal:
        state["own_refusal"] = options, str(refusal)
        return False
    state["own_data"], state["own_options"] = data, options | waiting.answers
    state["own_name"] = PurePosixPath(waiting.name).name
    _choose_kernel(options)
    # The table is dropped: it may be large, and the file can be read again.
    state.pop("own_waiting", None)
    return True
