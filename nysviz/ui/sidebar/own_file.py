"""A user's own file: read, shown in a dialog, and used when the user says so; it stays in the session."""

from __future__ import annotations

import streamlit as st

from nysviz.datasets import Dataset
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.own_file_choices import chosen, column_table, draw_choices, findings, size
from nysviz.ui.sidebar.own_file_reading import (
    Sent,
    Waiting,
    data_bytes,
    forget_file,
    look_at,
    read_again,
    table_bytes,
    use,
)
from nysviz.ui.sidebar.uploads import count

PRIVATE = "The file stays in this session, in memory, and is gone when you close or reload the page."
GONE = "The link asks for a file of your own, but such files are kept in memory only; send it again."

# So many rows of the file are shown, and of so many columns.
FIRST_ROWS, MOST_COLUMNS = 4, 100
FIRST_LINES = {True: "column names", False: "data"}


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
        help="CSV, TSV, Excel, OpenDocument, LIBSVM, ARFF, Parquet, NumPy (npy, npz), MATLAB (version 5) or "
        "IDX, also packed once with gzip or bzip2; at most 50 MB.",
        on_change=_box_changed,
    )
    if upload is None:
        # The box is new on each page, and the file that it held is kept. A file that could not be read is
        # gone; one that there was no room for is too, and why not stays to be read.
        if "own_sent" not in state and not state.get("own_no_room"):
            forget_file()
    elif state.get("own_file_id") != upload.file_id:
        look_at(Sent.of(upload))
    sent: Sent | None = state.get("own_sent")
    # Again at each drawing: what a session holds changes, and it may have been away.
    count(table_bytes() + data_bytes(state.get("own_data")))
    if problem := state.get("own_problem"):
        raise ValueError(problem)
    waiting: Waiting | None = state.get("own_waiting")
    if waiting is not None:
        st.caption(f"{plain(waiting.name)} was read: {size(waiting.summary)}. It is not used yet.")
        st.button("Look at it and use it", key="own_open", on_click=_open, width="stretch")
    data: Dataset | None = state.get("own_data")
    if data is not None and "own_options" in state:
        st.caption(_in_use(data))
    if sent is not None:
        if waiting is None:
            st.button("Read it differently", key="own_again", on_click=look_at, args=(sent,), width="stretch")
        elif state.get("own_dialog"):
            _dialog(sent)
        if upload is None:
            st.button(
                "Forget the file"
                if data is None or waiting is not None
                else "Forget the file, keep its data",
                key="own_forget",
                on_click=forget_file,
                help=f"{plain(sent.name)} was sent on another page or before other data were looked at.",
                width="stretch",
            )
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


def own_target(data: Dataset) -> str | None:
    """Name the column of the user's file that was chosen as the target; None for other data."""
    state = st.session_state
    if "own_data" not in state or state["own_data"] is not data:
        return None
    return state.get("own_options", {}).get("target") or None


def _in_use(data: Dataset) -> str:
    """Say which file the data are of, and which of its columns is the target."""
    name, target = plain(st.session_state.get("own_name", data.name)), own_target(data)
    return f"In use: {name}, " + ("without a target." if target is None else f"target: {plain(target)}.")


def _box_changed() -> None:
    """Forget a file that its owner took out of the box."""
    if st.session_state.get("own_upload") is None and not st.session_state.get("own_no_room"):
        forget_file()


def _open() -> None:
    st.session_state["own_dialog"] = True


def _close() -> None:
    st.session_state["own_dialog"] = False


@st.dialog("What is in your file", width="large", on_dismiss=_close)
def _dialog(sent: Sent) -> None:
    waiting: Waiting | None = st.session_state.get("own_waiting")
    if waiting is None or not st.session_state.get("own_dialog"):
        # A button has closed it: the page is drawn again, with the data chosen.
        st.rerun()
    first = waiting.reading.frame.iloc[:FIRST_ROWS, :MOST_COLUMNS]
    st.dataframe(first, hide_index=True, height="content", key="own_rows")
    _how_to_read(sent, waiting)
    st.markdown(findings(waiting.name, waiting.summary))
    draw_choices(waiting.summary)
    with st.expander("Each column: range, missing values, remarks"):
        st.dataframe(column_table(waiting.summary), hide_index=True, key="own_columns")
    about, refusal = st.session_state.get("own_refusal", (None, ""))
    if about == chosen(waiting.summary):
        st.error(plain(refusal), icon=":material/error:")
    left, right = st.columns(2)
    with left:
        st.button("Use these data", key="own_use", type="primary", on_click=_use, width="stretch")
    with right:
        st.button("Not now", key="own_later", on_click=_close, width="stretch")
    st.caption(PRIVATE)


def _how_to_read(sent: Sent, waiting: Waiting) -> None:
    """Ask whether the first line names the columns, and for the encoding or the sheet."""
    from nysviz.datasets.upload.encoding import ENCODINGS

    header, encoding = waiting.summary.header, waiting.summary.encoding
    sheets = waiting.summary.sheets
    if header is None:
        return
    # What was answered is what was read; where that failed the controls show the reading that stays.
    st.session_state["own_header"] = header
    left, right = st.columns(2)
    left.segmented_control(
        "The first line is",
        list(FIRST_LINES),
        format_func=FIRST_LINES.__getitem__,
        required=True,
        key="own_header",
        on_change=_read_again,
        args=(sent, "header"),
    )
    if encoding is not None:
        st.session_state["own_encoding"] = encoding
        right.selectbox(
            "Encoding",
            dict.fromkeys([*ENCODINGS, encoding]),
            key="own_encoding",
            help="Choose another one when letters look wrong.",
            on_change=_read_again,
            args=(sent, "encoding"),
        )
    elif len(sheets) > 1:
        st.session_state["own_sheet"] = sheets[0]
        right.selectbox("Sheet", sheets, key="own_sheet", on_change=_read_again, args=(sent, "sheet"))


def _read_again(sent: Sent, option: str) -> None:
    waiting: Waiting | None = st.session_state.get("own_waiting")
    if waiting is not None:
        # On another sheet, another first line.
        before = {} if option == "sheet" else waiting.answers
        answers = before | {option: st.session_state[f"own_{option}"]}
        read_again(sent, chosen(waiting.summary), answers)


def _use() -> None:
    if "own_waiting" in st.session_state and use():
        _close()
