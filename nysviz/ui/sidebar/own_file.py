"""A user's own file: read, shown in a dialog, and used when the user says so; it stays in the session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from nysviz.datasets import Dataset
from nysviz.ui.logs import failure
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.own_file_choices import chosen, column_table, draw_choices, findings, size
from nysviz.ui.sidebar.uploads import admit, count, hold, in_turn

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from nysviz.datasets.understood import Reading, Understood

PRIVATE = "The file stays in this session, in memory, and is gone when you close the page."
GONE = "The link asks for a file of your own, but such files are kept in memory only; send it again."

T = TypeVar("T")

# So many columns are seen at once; the others are scrolled to.
SHOWN_COLUMNS = 7
ROW_PIXELS = 37
NO_MEMORY = "The file needs more memory than there is; send a sample of its rows."
FAULT = (
    "The file could not be used, by a fault of this program; save its table as CSV and send that, or another."
)


@dataclass(frozen=True)
class _Waiting:
    """A file that was read and waits for its owner's word."""

    file_id: str
    name: str
    sent_bytes: int
    table_bytes: int
    reading: Reading
    understood: Understood


def own_file() -> Dataset | None:
    """Draw the upload in the sidebar; return the session's own data, None before there are any.

    A new file is read once and shown in a dialog; the data change when its button is pressed.

    Raises
    ------
    ValueError
        One sentence, while the last file sent cannot be read.
    """
    state = st.session_state
    upload = st.file_uploader(
        "A table with one row a point",
        key="own_upload",
        help="CSV, TSV, LIBSVM, ARFF, Parquet, NumPy (npy, npz), MATLAB (version 5) or IDX, also packed once "
        "with gzip or bzip2; at most 50 MB.",
    )
    if upload is None:
        # A file that there was no room for is not with the box any more; why not stays to be read.
        if not state.get("own_no_room"):
            _forget_file()
    elif state.get("own_file_id") != upload.file_id:
        _look_at(upload)
    # Again at each drawing: what a session holds changes, and it may have been away.
    sent = 0 if upload is None or state.get("own_no_room") else upload.size
    count(sent + _table_bytes() + _data_bytes(state.get("own_data")))
    if problem := state.get("own_problem"):
        raise ValueError(problem)
    waiting: _Waiting | None = state.get("own_waiting")
    if waiting is not None:
        st.caption(f"{plain(waiting.name)} was read: {size(waiting.understood)}. It is not used yet.")
        st.button("Look at it and use it", key="own_open", on_click=_open, width="stretch")
        if state.get("own_dialog"):
            _dialog(waiting)
    elif upload is not None:
        st.button("Read it differently", key="own_again", on_click=_look_at, args=(upload,), width="stretch")
    data: Dataset | None = state.get("own_data")
    if data is None and waiting is None:
        # The first run of a session: nobody can have sent a file yet, so it was a link or a reload.
        if "last_data" not in state:
            state["own_gone"] = True
        st.caption(GONE if state.get("own_gone") else PRIVATE)
    return data


def own_code(data: Dataset) -> str | None:
    """Write the Python expression that reads the user's data as the dialog did; None for other data."""
    state = st.session_state
    if "own_data" not in state or state["own_data"] is not data:
        return None
    options = "".join(f", {name}={value!r}" for name, value in state.get("own_options", {}).items())
    # Shown to its owner alone; control characters and quotes are escaped by repr.
    name = repr(state.get("own_name", data.name))
    return f'nv.parse(open({name}, "rb").read(), {name}{options})'


def _open() -> None:
    st.session_state["own_dialog"] = True


def _close() -> None:
    st.session_state["own_dialog"] = False


def _forget_file() -> None:
    for key in ("own_file_id", "own_problem", "own_waiting", "own_dialog", "own_refusal"):
        st.session_state.pop(key, None)


def _look_at(upload: UploadedFile) -> None:
    """Read the file once; what it holds, or why it cannot be read, is kept until the next one."""
    # pandas takes long to import, and only uploads need it.
    from nysviz.datasets.upload import read, understand

    state = st.session_state
    _forget_file()
    state.pop("own_gone", None)
    state.pop("own_no_room", None)
    for key in [key for key in state if str(key).startswith("own_choice_")]:
        del state[key]
    beside = _data_bytes(state.get("own_data"))
    try:
        admit(upload.file_id, upload.size, beside)
        reading, problem = _tried(lambda: read(upload.getvalue(), upload.name))
        if reading is not None:
            admit(upload.file_id, reading.nbytes, upload.size + beside, reading.frame.shape)
    except ValueError as refusal:
        state["own_problem"], state["own_no_room"] = str(refusal), True
        state["own_file_id"] = upload.file_id
        return
    understood = None
    if reading is not None:
        understood, problem = _tried(lambda: understand(reading))
    if reading is None or understood is None:
        state["own_problem"] = problem
    else:
        state["own_waiting"] = _Waiting(
            upload.file_id, upload.name, upload.size, reading.nbytes, reading, understood
        )
        state["own_dialog"] = True
    # Last: a run that ends before reads the file again.
    state["own_file_id"] = upload.file_id


def _tried(work: Callable[[], T]) -> tuple[T | None, str]:
    """What the work gives, or None and one sentence that says why."""
    try:
        return in_turn(work), ""
    except MemoryError:
        return None, NO_MEMORY
    except ValueError as problem:
        return None, str(problem)
    except Exception as error:
        failure("a visitor's file was not read", error)
        return None, FAULT


def _data_bytes(data: Dataset | None) -> int:
    if data is None:
        return 0
    return int(data.X.nbytes) + (0 if data.y is None else int(data.y.nbytes))


def _table_bytes() -> int:
    waiting: _Waiting | None = st.session_state.get("own_waiting")
    return 0 if waiting is None else waiting.table_bytes


@st.dialog("What is in your file", width="large", on_dismiss=_close)
def _dialog(waiting: _Waiting) -> None:
    if not st.session_state.get("own_dialog"):
        # A button has closed it: the page is drawn again, with the data chosen.
        st.rerun()
    st.markdown(findings(waiting.name, waiting.understood))
    rows = min(len(waiting.understood.columns), SHOWN_COLUMNS) + 1
    table = column_table(waiting.understood)
    st.dataframe(
        table, hide_index=True, height=ROW_PIXELS * rows + 2, row_height=ROW_PIXELS, key="own_columns"
    )
    draw_choices(waiting.understood)
    about, refusal = st.session_state.get("own_refusal", (None, ""))
    if about == chosen(waiting.understood):
        st.error(plain(refusal), icon=":material/error:")
    use, later = st.columns(2)
    with use:
        st.button(
            "Use these data", key="own_use", type="primary", on_click=_use, args=(waiting,), width="stretch"
        )
    with later:
        st.button("Not now", key="own_later", on_click=_close, width="stretch")
    st.caption(PRIVATE)


def _use(waiting: _Waiting) -> None:
    from nysviz.datasets.upload import build

    state = st.session_state
    # Read here and not passed in: an argument would be the choice of the drawing before the click.
    options = chosen(waiting.understood)
    data, problem = _tried(lambda: build(waiting.reading, waiting.name, **options))
    if data is not None:
        try:
            # Instead of the table, and of the data before.
            hold(_data_bytes(data), waiting.sent_bytes, (data.n, data.d))
        except ValueError as refusal:
            data, problem = None, str(refusal)
    if data is None:
        state["own_refusal"] = options, problem
        return
    state["own_data"], state["own_options"] = data, options
    state["own_name"] = PurePosixPath(waiting.name).name
    # The table as read is let go: it may be large, and the file itself can be read once more.
    state.pop("own_waiting", None)
    _close()
