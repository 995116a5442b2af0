"""A user's own file in the sidebar: sent, shown in a dialog, and used when the user says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from nysviz.datasets import Dataset
from nysviz.refusal import Refusal
from nysviz.studies.scene import File
from nysviz.text import counted, three_digits
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.own_file_reading import (
    Sent,
    Waiting,
    data_bytes,
    forget_file,
    look_at,
    read_again,
    use,
)
from nysviz.ui.sidebar.uploads import uploads
from nysviz.ui.streamlit_private import session_here
from nysviz.ui.watching import named

if TYPE_CHECKING:
    from nysviz.datasets.upload import Summary

FORMATS = "CSV, TSV, Excel, OpenDocument, LIBSVM, ARFF, Parquet, NumPy or MATLAB 5; also gzip or bzip2."
PRIVATE = "The file stays in this session, in memory, and is gone when you close or reload the page."
# Rows and columns of the file that are shown.
FIRST_ROWS, MOST_COLUMNS = 4, 100
FIRST_LINES = {True: "column names", False: "data"}
TURNS = {False: "a row", True: "a column"}
# Default answers, which are not passed on.
UNASKED: dict[str, object] = {"turn": False, "missing_values": []}
# No column has this name.
NO_TARGET = ""
MISSING = {
    "drop": "leave out the rows",
    "mean": "fill with the column's mean",
    "median": "fill with the column's median",
}
TASKS = {"classification": "classes", "regression": "values to predict"}
SQUARE = {
    None: "features, one a column",
    "given": "similarities of all pairs of rows",
    "clip": "similarities, clip: negative eigenvalues become 0",
    "shift": "similarities, shift: the diagonal is raised until no eigenvalue is negative",
    "gaussian": "distances of all pairs: similarities exp(−d²/2σ²)",
    "centred": "distances of all pairs: points at these distances, from −½JD²J",
}
SCALES = {
    None: "as they are",
    "standardise": "standardise (mean 0, variance 1)",
    "unit box": "scale to [-1, 1]",
}


def own_file() -> Dataset | None:
    """Draw the upload in the sidebar; return the session's own data, None before there are any.

    A new file is read once and shown in a dialog; the data change when its button is pressed. A file that
    cannot be read is refused until another one is sent.
    """
    state = st.session_state
    upload = st.file_uploader("A table with one row a point", key="own_upload", on_change=_box_changed)
    if upload is None:
        st.caption(FORMATS)
        # The box is new on each page, and its last file is kept. A file that could not be read is dropped,
        # and so is one without room, whose refusal stays to be read.
        if "own_sent" not in state and not state.get("own_out_of_memory"):
            forget_file()
    elif state.get("own_file_id") != upload.file_id:
        look_at(Sent(upload.file_id, upload.name, upload.getvalue()))
    sent: Sent | None = state.get("own_sent")
    waiting: Waiting | None = state.get("own_waiting")
    data: Dataset | None = state.get("own_data")
    # At each drawing: the session's data change, and it may have been away.
    table_bytes = 0 if waiting is None else waiting.summary.table.nbytes
    uploads().count(session_here(), table_bytes + data_bytes(data))
    if problem := state.get("own_problem"):
        raise Refusal(problem)
    if waiting is not None:
        st.caption(f"{plain(waiting.name)} was read: {size(waiting.summary)}. It is not used yet.")
        put, args = state.__setitem__, ("own_dialog", True)
        st.button("Look at it and use it", key="own_open", on_click=put, args=args, width="stretch")
    if data is not None and "own_options" in state:
        target = own_target(data)
        target_text = "without a target" if target is None else f"target: {plain(target)}"
        st.caption(f"In use: {plain(state.get('own_name', data.name))}, {target_text}.")
    if sent is not None:
        if waiting is None:
            st.button("Read it differently", key="own_again", on_click=look_at, args=(sent,), width="stretch")
        elif state.get("own_dialog"):
            ask_about(sent)
        if upload is None:
            keeps_data = data is not None and waiting is None
            st.button(
                "Forget the file, keep its data" if keeps_data else "Forget the file",
                key="own_forget",
                on_click=forget_file,
                help=f"{plain(sent.name)} was sent on another page or before other data were looked at.",
                width="stretch",
            )
    if data is None and waiting is None:
        # The sidebar's first run in a session: nobody can have sent a file yet.
        if "last_data" not in state:
            state["own_gone"] = True
        st.caption(PRIVATE)
    return data


def own_origin(data: Dataset) -> File | None:
    """Return the file of the user's data, and how the dialog read it; None for other data."""
    state = st.session_state
    if state.get("own_data") is not data:
        return None
    return File(state.get("own_name", data.name), tuple(state.get("own_options", {}).items()))


def own_target(data: Dataset) -> str | None:
    """Return the column of the user's file that was chosen as the target; None for other data."""
    state = st.session_state
    return state.get("own_options", {}).get("target") or None if state.get("own_data") is data else None


def _box_changed() -> None:
    """Forget a file that its owner took out of the box."""
    if st.session_state.get("own_upload") is None and not st.session_state.get("own_out_of_memory"):
        forget_file()


def close() -> None:
    """Close the dialog; the file waits."""
    st.session_state["own_dialog"] = False


@st.dialog("What is in your file", width="large", on_dismiss=close)
@named
def ask_about(sent: Sent) -> None:
    """Show the rows that were read of a file, and ask how to use it."""
    waiting: Waiting | None = st.session_state.get("own_waiting")
    if waiting is None or not st.session_state.get("own_dialog"):
        # A button has closed it: the page is drawn again, with the data chosen.
        st.rerun()
    summary = waiting.summary
    st.markdown(f"{plain(waiting.name)}: {size(summary)}.")
    frame = summary.table.frame.iloc[:, :MOST_COLUMNS]
    # Taken, not sliced: of a column of text a slice would send all rows.
    first = frame.take(range(min(FIRST_ROWS, len(frame))))
    st.dataframe(first, hide_index=True, height="content", key="own_rows")
    _ask_how_to_read(sent, waiting)
    st.markdown("\n".join(f"- {plain(note)}" for note in summary.table.notes))
    _ask_for_codes(sent, waiting)
    options = _ask_for_target(summary)
    options |= _ask_for_features(summary, options["target"] or NO_TARGET)
    with st.expander("Each column: missing and different values, range"):
        columns = ["kind", "missing", "distinct", "low", "high", "example"]
        st.dataframe(summary.columns[columns].reset_index(names="column"), hide_index=True, key="own_columns")
    left, right = st.columns(2)
    if left.button("Use these data", key="own_use", type="primary", width="stretch") and use(options):
        close()
        st.rerun()
    right.button("Not now", key="own_later", on_click=close, width="stretch")
    about, refusal = st.session_state.get("own_refusal", (options, ""))
    if refusal and about == options:
        st.error(plain(refusal), icon=":material/error:")
    st.caption(PRIVATE)


def size(summary: Summary) -> str:
    """Say how many rows and columns a file has."""
    rows, columns = summary.table.frame.shape
    return f"{counted(rows, 'row')}, {counted(columns, 'column')}"


def _rereading(sent: Sent, option: str, value: object) -> dict[str, Any]:
    """Return the arguments with which a control shows this value and reads the file again when moved."""
    # If a new reading failed the controls show the last one that worked.
    st.session_state[f"own_{option}"] = value
    return {"key": f"own_{option}", "on_change": _read_again, "args": (sent, option)}


def _ask_how_to_read(sent: Sent, waiting: Waiting) -> None:
    """Ask where the points, the table and the names are, and for the encoding or the sheet."""
    from nysviz.datasets.upload.text import ENCODINGS

    table, turned = waiting.summary.table, waiting.answers.get("turn", False)
    left, right = st.columns(2)
    more: dict[str, Any] = {"format_func": TURNS.__getitem__, "required": True}
    left.segmented_control("Each point is", list(TURNS), **more, **_rereading(sent, "turn", turned))
    if table.header is None:
        return
    more["format_func"] = FIRST_LINES.__getitem__
    header = _rereading(sent, "header", table.header)
    right.segmented_control("The first line is", list(FIRST_LINES), **more, **header)
    if table.first_line is not None:
        note = "Titles and remarks above the table are left out; choose another line where that went wrong."
        begins = _rereading(sent, "first_line", table.first_line)
        left.number_input("The table begins in line", 1, help=note, **begins)
    if table.encoding is not None:
        offered = dict.fromkeys([*ENCODINGS, table.encoding])
        note = "Choose another one when letters look wrong."
        right.selectbox("Encoding", offered, help=note, **_rereading(sent, "encoding", table.encoding))
    elif len(table.sheets) > 1:
        right.selectbox("Sheet", table.sheets, **_rereading(sent, "sheet", table.sheets[0]))


def _ask_for_codes(sent: Sent, waiting: Waiting) -> None:
    """Ask which values stand for a missing one; values far from all others are named."""
    from nysviz.datasets.upload.cleaning import code_note

    values, codes = waiting.answers.get("missing_values", []), waiting.summary.codes
    st.multiselect(
        "Values that mean missing",
        [*values, *(f"{code:.15g}" for code in codes)],
        accept_new_options=True,
        placeholder="none but empty cells and the like: choose or type a value such as -999",
        **_rereading(sent, "missing_values", values),
    )
    for code, counts in codes.items():
        st.caption(plain(code_note(code, counts)))


def _read_again(sent: Sent, option: str) -> None:
    waiting: Waiting | None = st.session_state.get("own_waiting")
    if waiting is not None:
        # On another sheet, another first line.
        before = {} if option == "sheet" else waiting.answers
        answers = before | {option: st.session_state[f"own_{option}"]}
        read_again(sent, {name: value for name, value in answers.items() if value != UNASKED.get(name)})


def _key(name: str) -> str:
    """Return the key of a control, new for each reading: a browser keeps the choice made under a key."""
    reading = st.session_state.get("own_reading", 0)
    return f"own_choice_{name}_{reading}" if reading else f"own_choice_{name}"


def _choose(label: str, names: dict[Any, str], name: str, **more: Any) -> Any:
    return st.selectbox(label, list(names), format_func=names.__getitem__, key=_key(name), **more)


def _ask_for_target(summary: Summary) -> dict[str, Any]:
    """Ask for the target and its task; return both as options of ``nv.parse``."""
    names = list(summary.columns.index)
    target = _choose(
        "Target, the column to predict",
        {NO_TARGET: "none"} | {name: name for name in names},
        "target",
        index=0 if summary.target is None else 1 + names.index(summary.target),
        help="It is not used by the kernel, but colours the points and is what the learning pages predict.",
    )
    if summary.target is not None:
        st.caption(f"{plain(summary.target)} is assumed, {summary.target_reason}.")
    elif target == NO_TARGET and len(names) > 1:
        st.caption("No column is known to be the target. Choose it; without one, all numbers are features.")
    options: dict[str, Any] = {"target": target or False}
    if not target:
        return options
    about = summary.columns.loc[target]
    if about["missing"]:
        st.caption(f"Rows without a value there, which are left out: {about['missing']}.")
    classes = summary.looks_like_classes(target)
    if classes is not None:
        guess = "classification" if classes else "regression"
        label = f"The numbers of the target ({about['distinct']} different) are"
        # By position: a user's name is no key, and each column has a guess of its own.
        more: dict[str, Any] = {"key": _key(f"task_{names.index(target)}"), "required": True}
        task = st.segmented_control(label, list(TASKS), format_func=TASKS.__getitem__, default=guess, **more)
        if task != guess:
            options["task"] = task
    return options


def _ask_for_features(summary: Summary, target: str) -> dict[str, Any]:
    """Ask which columns are features and how to convert them; return options of ``nv.parse`` but defaults."""
    options: dict[str, Any] = {}
    # The target stays among the options: they must not change after a choice.
    columns = summary.columns
    numeric = columns.index[columns["kind"] != "text"].tolist()
    out = list(summary.left_out)
    if len(numeric) > 1:
        note = "A number that was given to a sample says nothing about it, but changes every distance."
        look: dict[str, Any] = {"key": _key("leave_out"), "placeholder": "none", "help": note}
        out = st.multiselect("Columns of numbers to leave out", numeric, default=out, **look)
    out = [name for name in out if name != target]
    if out or summary.left_out or target != (summary.target or NO_TARGET):
        options["leave_out"] = out
    for reason in dict.fromkeys(summary.left_out.values()):
        names = [name for name, why in summary.left_out.items() if why == reason]
        st.caption(f"{plain(reason)}: {plain(', '.join(names))}.")
    dates: list[str] = []
    if offered := [name for name in summary.dates if name not in (target, *out)]:
        look = {"key": _key("dates"), "placeholder": "none: text is left out, numbers stay as they are"}
        if dates := st.multiselect("Columns of dates that become numbers of days", offered, **look):
            options["dates"] = dates
    if texts := [name for name in summary.texts if name not in (target, *dates)]:
        look = {"key": _key("encode"), "placeholder": "none: text is left out"}
        if encoded := st.multiselect("Columns of text that become columns of 0 and 1", texts, **look):
            options["encode"] = encoded
    if columns["missing"].any():
        missing = _choose("Missing and infinite values of the features", MISSING, "missing")
        options |= {"missing": missing} if missing != "drop" else {}
    if len(set(numeric) - {target, *out}) == len(summary.table.frame):
        note = "Rows of similarities become points with these inner products, with the linear kernel."
        label = "As many columns as rows: the numbers are"
        suggested = "gaussian" if summary.distances else "given" if summary.similarities else None
        index = list(SQUARE).index(suggested)
        similarities = _choose(label, SQUARE, "similarities", index=index, help=note)
        if summary.distances:
            st.caption("Suggested: the diagonal has the smallest number of each row, as distances have.")
        elif summary.similarities:
            st.caption("Suggested: the table is symmetric, and no entry is above √(S_ii S_jj).")
        if similarities:
            return options | {"similarities": similarities}
    scale = _choose("Scaling of the features", SCALES, "scale", index=list(SCALES).index(summary.scaling))
    if summary.scaling is not None:
        ratio = three_digits(summary.range_ratio)
        st.caption(f"Suggested: the widest range, {ratio} times the narrowest, would decide all distances.")
    return options if scale is None else options | {"scale": scale}
