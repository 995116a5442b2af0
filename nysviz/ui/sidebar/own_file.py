"""A user's own file in the sidebar: sent, looked at in a dialog, and used when the user says so."""

import streamlit as st

from nysviz.datasets import Dataset
from nysviz.refusal import Refusal
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.own_file_dialog import PRIVATE, ask_about, size
from nysviz.ui.sidebar.own_file_reading import Sent, Waiting, data_bytes, forget_file, look_at
from nysviz.ui.sidebar.uploads import here, uploads

GONE = "The link asks for a file of your own, but such files are kept in memory only; send it again."
FORMATS = "CSV, TSV, Excel, OpenDocument, LIBSVM, ARFF, Parquet, NumPy or MATLAB 5; also gzip or bzip2."


def own_file() -> Dataset | None:
    """Draw the upload in the sidebar; return the session's own data, None before there are any.

    A new file is read once and shown in a dialog; the data change when its button is pressed. A file that
    cannot be read is refused as long as it is the last one sent.
    """
    state = st.session_state
    upload = st.file_uploader("A table with one row a point", key="own_upload", on_change=_box_changed)
    if upload is None:
        st.caption(FORMATS)
        # The box is new on each page, and the file that it held is kept. A file that could not be read is
        # gone; one that there was no room for is too, and why not stays to be read.
        if "own_sent" not in state and not state.get("own_out_of_memory"):
            forget_file()
    elif state.get("own_file_id") != upload.file_id:
        look_at(Sent(upload.file_id, upload.name, upload.getvalue()))
    sent: Sent | None = state.get("own_sent")
    waiting: Waiting | None = state.get("own_waiting")
    data: Dataset | None = state.get("own_data")
    # Again at each drawing: what a session holds changes, and it may have been away.
    table_bytes = 0 if waiting is None else waiting.summary.table.nbytes
    uploads().count(here(), table_bytes + data_bytes(data))
    if problem := state.get("own_problem"):
        raise Refusal(problem)
    if waiting is not None:
        st.caption(f"{plain(waiting.name)} was read: {size(waiting.summary)}. It is not used yet.")
        put, args = state.__setitem__, ("own_dialog", True)
        st.button("Look at it and use it", key="own_open", on_click=put, args=args, width="stretch")
    if data is not None and "own_options" in state:
        target = own_target(data)
        shown = "without a target" if target is None else f"target: {plain(target)}"
        st.caption(f"In use: {plain(state.get('own_name', data.name))}, {shown}.")
    if sent is not None:
        if waiting is None:
            st.button("Read it differently", key="own_again", on_click=look_at, args=(sent,), width="stretch")
        elif state.get("own_dialog"):
            ask_about(sent)
        if upload is None:
            kept = data is not None and waiting is None
            st.button(
                "Forget the file, keep its data" if kept else "Forget the file",
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
    if state.get("own_data") is not data:
        return None
    options = "".join(f", {name}={value!r}" for name, value in state.get("own_options", {}).items())
    # Shown to its owner alone; control characters and quotes are escaped by repr.
    name = repr(state.get("own_name", data.name))
    return f'nv.parse(open({name}, "rb").read(), {name}{options})'


def own_target(data: Dataset) -> str | None:
    """Name the column of the user's file that was chosen as the target; None for other data."""
    state = st.session_state
    return state.get("own_options", {}).get("target") or None if state.get("own_data") is data else None


def _box_changed() -> None:
    """Forget a file that its owner took out of the box."""
    if st.session_state.get("own_upload") is None and not st.session_state.get("own_out_of_memory"):
        forget_file()
