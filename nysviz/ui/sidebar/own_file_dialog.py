"""The dialog about a user's own file: its first rows, what was assumed, and what can be chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from nysviz.text import counted, three_digits
from nysviz.ui.markdown import plain
from nysviz.ui.sidebar.own_file_reading import Sent, Waiting, read_again, use

if TYPE_CHECKING:
    import pandas as pd

    from nysviz.datasets.upload import Column, Summary

PRIVATE = "The file stays in this session, in memory, and is gone when you close or reload the page."
# So many rows of the file are shown, and of so many columns.
FIRST_ROWS, MOST_COLUMNS = 4, 100
FIRST_LINES = {True: "column names", False: "data"}
# No column is called so.
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
}
SCALES = {
    None: "as they are",
    "standardise": "standardise (mean 0, variance 1)",
    "unit box": "scale to [-1, 1]",
}


def close() -> None:
    """Close the dialog; the file waits."""
    st.session_state["own_dialog"] = False


@st.dialog("What is in your file", width="large", on_dismiss=close)
def ask_about(sent: Sent) -> None:
    """Show what was read of a file, and ask how it is to be used."""
    waiting: Waiting | None = st.session_state.get("own_waiting")
    if waiting is None or not st.session_state.get("own_dialog"):
        # A button has closed it: the page is drawn again, with the data chosen.
        st.rerun()
    summary = waiting.summary
    st.markdown(f"{plain(waiting.name)}: {size(summary)}.")
    first = summary.table.frame.iloc[:FIRST_ROWS, :MOST_COLUMNS]
    st.dataframe(first, hide_index=True, height="content", key="own_rows")
    _how_to_read(sent, summary)
    st.markdown(_findings(summary))
    target = _ask_for_target(summary)
    _ask_for_features(summary, target)
    with st.expander("Each column: range, missing values, remarks"):
        st.dataframe(_column_table(summary), hide_index=True, key="own_columns")
    about, refusal = st.session_state.get("own_refusal", (None, ""))
    if about == chosen(summary):
        st.error(plain(refusal), icon=":material/error:")
    left, right = st.columns(2)
    left.button("Use these data", key="own_use", type="primary", on_click=_use, width="stretch")
    right.button("Not now", key="own_later", on_click=close, width="stretch")
    st.caption(PRIVATE)


def size(summary: Summary) -> str:
    """Say how many rows and columns a file has."""
    return f"{counted(summary.rows, 'row')}, {counted(len(summary.columns), 'column')}"


def _use() -> None:
    # Read here and not passed in: an argument would be the choice of the drawing before the click.
    waiting: Waiting | None = st.session_state.get("own_waiting")
    if waiting is not None and use(chosen(waiting.summary)):
        close()


def _how_to_read(sent: Sent, summary: Summary) -> None:
    """Ask whether the first line names the columns, and for the encoding or the sheet."""
    from nysviz.datasets.upload.text import ENCODINGS

    def reads_again(option: str, held: object) -> dict[str, Any]:
        # What was answered is what was read; where that failed the controls show the reading that stays.
        st.session_state[f"own_{option}"] = held
        return {"key": f"own_{option}", "on_change": _read_again, "args": (sent, option)}

    table = summary.table
    if table.header is None:
        return
    more = {"format_func": FIRST_LINES.__getitem__, "required": True, **reads_again("header", table.header)}
    st.segmented_control("The first line is", list(FIRST_LINES), **more)
    if table.encoding is not None:
        offered = dict.fromkeys([*ENCODINGS, table.encoding])
        note = "Choose another one when letters look wrong."
        st.selectbox("Encoding", offered, help=note, **reads_again("encoding", table.encoding))
    elif len(table.sheets) > 1:
        st.selectbox("Sheet", table.sheets, **reads_again("sheet", table.sheets[0]))


def _read_again(sent: Sent, option: str) -> None:
    waiting: Waiting | None = st.session_state.get("own_waiting")
    if waiting is not None:
        # On another sheet, another first line.
        before = {} if option == "sheet" else waiting.answers
        read_again(sent, chosen(waiting.summary), before | {option: st.session_state[f"own_{option}"]})


def _findings(summary: Summary) -> str:
    """Say in Markdown what was assumed and what looks unusual, a line each; names are escaped."""
    lines = [plain(note) for note in summary.table.notes]
    if summary.incomplete_rows:
        lines.append(f"Rows with a missing or infinite value: {summary.incomplete_rows}.")
    if summary.duplicate_rows:
        lines.append(f"Rows that repeat an earlier row, and are kept: {summary.duplicate_rows}.")
    return "\n".join(f"- {line}" for line in lines)


def _column_table(summary: Summary) -> pd.DataFrame:
    """Return a table with a row for each column of the file."""
    import pandas as pd

    return pd.DataFrame(
        {
            "column": column.name,
            "holds": column.kind,
            "missing": column.missing,
            "different values": column.distinct,
            "smallest": "" if column.low is None else three_digits(column.low),
            "largest": "" if column.high is None else three_digits(column.high),
            "remarks": ", ".join(_remarks(summary, column)),
        }
        for column in summary.columns
    )


def _remarks(summary: Summary, column: Column) -> list[str]:
    remarks = ["constant"] if column.constant else []
    remarks += ["numbers the rows"] if column.name in summary.numbering else []
    return remarks + ([f"no feature: text such as {column.example}"] if column.example is not None else [])


def _key(name: str) -> str:
    """Name a control, for each reading of the file anew: a browser keeps what was chosen under a name."""
    again = st.session_state.get("own_reading", 0)
    return f"own_choice_{name}_{again}" if again else f"own_choice_{name}"


def _choose(label: str, names: dict[Any, str], name: str, **more: Any) -> Any:
    return st.selectbox(label, list(names), format_func=names.__getitem__, key=_key(name), **more)


def _ask_for_target(summary: Summary) -> str:
    names = [column.name for column in summary.columns]
    none = "none"
    while none in names:
        none += " of them"
    target = _choose(
        "Target, the column to predict",
        {NO_TARGET: none} | {name: name for name in names},
        "target",
        index=0 if summary.target is None else 1 + names.index(summary.target),
        help="It is not used by the kernel, but colours the points and is what the learning pages predict.",
    )
    if summary.target is not None:
        st.caption(f"{plain(summary.target)} is assumed, {summary.target_reason}.")
    elif target == NO_TARGET and len(names) > 1:
        st.caption("No column is known to be the target. Choose it; without one, all numbers are features.")
    if (column := _column(summary, target)) is None:
        return target
    if column.missing:
        st.caption(f"Rows without a value there, which are left out: {column.missing}.")
    if column.classes is not None:
        st.segmented_control(
            f"The numbers of the target ({column.distinct} different) are",
            list(TASKS),
            format_func=TASKS.__getitem__,
            default=_task_guess(column),
            required=True,
            key=_task_key(summary, column),
        )
    return target


def _ask_for_features(summary: Summary, target: str) -> None:
    # The target stays among the options: they must not change under a choice that was made.
    numeric = [column.name for column in summary.columns if column.kind != "text"]
    if len(numeric) > 1:
        st.multiselect(
            "Columns of numbers to leave out",
            numeric,
            default=list(summary.numbering),
            key=_key("leave_out"),
            placeholder="none",
            help="A number that was given to a sample says nothing about it, but changes every distance.",
        )
    if summary.numbering:
        st.caption(f"Suggested because they number the rows: {plain(', '.join(summary.numbering))}.")
    if texts := [name for name in summary.texts if name != target]:
        st.multiselect(
            "Columns of text that become columns of 0 and 1",
            texts,
            key=_key("encode"),
            placeholder="none: text is left out",
        )
    if any(column.missing for column in summary.columns):
        _choose("Missing and infinite values of the features", MISSING, "missing")
    note = "Rows of similarities become points with these inner products; the linear kernel is then chosen."
    label = "As many columns as rows: the numbers are"
    if _is_square(summary, target) and _choose(label, SQUARE, "similarities", help=note):
        return
    _choose("Scaling of the features", SCALES, "scale", index=list(SCALES).index(summary.scaling))
    if summary.scaling is not None:
        ratio = three_digits(summary.range_ratio)
        st.caption(f"Suggested: the widest range, {ratio} times the narrowest, would decide all distances.")


def _is_square(summary: Summary, target: str) -> bool:
    """Whether as many columns of numbers are features as there are rows."""
    numbers = {column.name for column in summary.columns if column.kind != "text"}
    return (
        len(numbers - {target, *st.session_state.get(_key("leave_out"), summary.numbering)}) == summary.rows
    )


def _column(summary: Summary, name: str | None) -> Column | None:
    return next((column for column in summary.columns if column.name == name), None)


def _task_key(summary: Summary, column: Column) -> str:
    # By place: a name of the user's is no key, and each column has a guess of its own.
    return _key(f"task_{summary.columns.index(column)}")


def _task_guess(column: Column) -> str:
    return "classification" if column.classes else "regression"


def chosen(summary: Summary) -> dict[str, Any]:
    """Return the choices as options of ``nv.parse``, without those that are its defaults."""
    state = st.session_state
    target = state.get(_key("target"), summary.target)
    options: dict[str, Any] = {"target": target or False}
    column = _column(summary, target)
    if column is not None and column.classes is not None:
        guess = _task_guess(column)
        if (task := state.get(_task_key(summary, column), guess)) != guess:
            options["task"] = task
    out = [name for name in state.get(_key("leave_out"), summary.numbering) if name != target]
    if out or summary.numbering or target != summary.target:
        options["leave_out"] = out
    if texts := [name for name in state.get(_key("encode"), []) if name != target]:
        options["encode"] = texts
    if (missing := state.get(_key("missing"), "drop")) != "drop":
        options["missing"] = missing
    if _is_square(summary, target) and (similarities := state.get(_key("similarities"))) is not None:
        options["similarities"] = similarities
    elif (scale := state.get(_key("scale"), summary.scaling)) is not None:
        options["scale"] = scale
    return options
