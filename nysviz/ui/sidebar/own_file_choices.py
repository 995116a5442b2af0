"""The dialog about a user's own file: what was found in it, and what can be chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from nysviz.figures.look import three_digits
from nysviz.ui.markdown import plain

if TYPE_CHECKING:
    import pandas as pd

    from nysviz.datasets.upload.summary import Column, Summary

# No column is called so.
NO_TARGET = ""
MISSING = {
    "drop": "leave out the rows",
    "mean": "fill with the column's mean",
    "median": "fill with the column's median",
}
TASKS = {"classification": "classes", "regression": "values to predict"}
SCALES: dict[str | None, str] = {
    None: "as they are",
    "standardise": "standardise (mean 0, variance 1)",
    "unit box": "scale to [-1, 1]",
}


def _key(name: str) -> str:
    """Name a control, for each reading of the file anew: a browser keeps what was chosen under a name."""
    again = st.session_state.get("own_reading", 0)
    return f"own_choice_{name}_{again}" if again else f"own_choice_{name}"


def findings(name: str, summary: Summary) -> str:
    """Say in Markdown what was assumed and what looks unusual, a line each; names are escaped."""
    lines = [f"{plain(name)}: {size(summary)}."]
    lines += [plain(note) for note in summary.notes]
    if summary.incomplete_rows:
        lines.append(f"{_rows(summary.incomplete_rows)} a missing or infinite value.")
    if summary.duplicate_rows:
        count = summary.duplicate_rows
        lines.append(
            f"{count} rows repeat an earlier row; they are kept."
            if count > 1
            else "1 row repeats an earlier row; it is kept."
        )
    return "\n".join(f"- {line}" for line in lines)


def size(summary: Summary) -> str:
    """Say how many rows and columns a file has."""
    rows, columns = summary.rows, len(summary.columns)
    return f"{rows} {'row' if rows == 1 else 'rows'}, {columns} {'column' if columns == 1 else 'columns'}"


def column_table(summary: Summary) -> pd.DataFrame:
    """Return a table with a row for each column of the file."""
    import pandas as pd

    rows = []
    for column in summary.columns:
        remarks = ["constant"] if column.constant else []
        remarks += [f"same as {column.repeats}"] if column.repeats is not None else []
        remarks += ["numbers the rows"] if column.name in summary.numbering else []
        if column.example is not None:
            kind = "dates or times" if column.times else "text"
            remarks.append(f"no feature: {kind} such as {column.example}")
            filled = summary.rows - column.missing
            if not column.times and filled > column.numbers >= filled / 2:
                remarks.append(f"{column.numbers} of {filled} cells are numbers")
        if column.gaps:
            remarks.append(", ".join(f"{count} × {text}" for text, count in column.gaps) + " (see target)")
        rows.append(
            {
                "column": column.name,
                "holds": column.kind,
                "missing": column.missing,
                "different values": column.distinct,
                "smallest": "" if column.low is None else three_digits(column.low),
                "largest": "" if column.high is None else three_digits(column.high),
                "remarks": ", ".join(remarks),
            }
        )
    return pd.DataFrame(rows)


def draw_choices(summary: Summary) -> None:
    """Draw what can be chosen for this file; :func:`chosen` reads it."""
    left, right = st.columns(2)
    with left:
        target = _target(summary)
        if texts := [name for name in summary.texts if name != target]:
            st.multiselect(
                "Columns of text that become columns of 0 and 1",
                texts,
                key=_key("encode"),
                placeholder="none: text is left out",
            )
        _leaving_out(summary)
    with right:
        _scaling(summary)
        if any(column.missing for column in summary.columns):
            st.selectbox(
                "Missing and infinite values of the features",
                list(MISSING),
                format_func=MISSING.__getitem__,
                key=_key("missing"),
            )
        constant = sum(
            column.constant and column.kind != "text" and column.name != target for column in summary.columns
        )
        if constant:
            st.checkbox(f"Leave out the constant columns ({constant})", key=_key("constant"))


def _target(summary: Summary) -> str:
    names = [column.name for column in summary.columns]
    none = "none"
    while none in names:
        none += " of them"
    target = st.selectbox(
        "Target, the column to predict",
        [NO_TARGET, *names],
        index=0 if summary.target is None else 1 + names.index(summary.target),
        format_func=lambda name: none if name == NO_TARGET else name,
        key=_key("target"),
        help="It is not used by the kernel, but colours the points and is what the learning pages predict.",
    )
    if summary.target is not None:
        st.caption(f"{plain(summary.target)} is assumed, {summary.target_reason}.")
    elif target == NO_TARGET and len(names) > 1:
        st.caption("No column is known to be the target. Choose it; without one, all numbers are features.")
    if (column := _column(summary, target)) is not None:
        _without_target(column)
    _task(summary, target)
    return target


def _without_target(column: Column) -> None:
    """Say how many rows have no target, and which of its texts are classes though they may mean none."""
    if gaps := column.gaps:
        told = " and ".join(f"{plain(text)} ({count})" for text, count in gaps)
        st.caption(
            f"{told} {'is a class' if len(gaps) == 1 else 'are classes'} here, and missing in a feature; if "
            "they mean a missing target, empty those cells."
        )
    if missing := column.missing - sum(count for _, count in column.gaps):
        have = "row has no value there and is" if missing == 1 else "rows have no value there and are"
        st.caption(f"{missing} {have} left out.")


def _column(summary: Summary, name: str | None) -> Column | None:
    return next((column for column in summary.columns if column.name == name), None)


def _task_key(summary: Summary, column: Column) -> str:
    # By place: a name of the user's is no key, and each column has a guess of its own.
    return _key(f"task_{summary.columns.index(column)}")


def _task_guess(column: Column) -> str:
    return "classification" if column.classes else "regression"


def _task(summary: Summary, target: str) -> None:
    """Ask what the numbers of the target are, where they may be one or the other."""
    column = _column(summary, target)
    if column is None or column.classes is None:
        return
    st.segmented_control(
        f"Its {column.distinct} different {'number is' if column.distinct == 1 else 'numbers are'}",
        list(TASKS),
        format_func=TASKS.__getitem__,
        default=_task_guess(column),
        required=True,
        key=_task_key(summary, column),
    )


def _leaving_out(summary: Summary) -> None:
    # The target stays among the options: they must not change under a choice that was made.
    numeric = [column.name for column in summary.columns if column.kind != "text"]
    if len(numeric) < 2:
        return
    st.multiselect(
        "Columns of numbers to leave out",
        numeric,
        default=list(summary.numbering),
        key=_key("leave_out"),
        placeholder="none",
        help="A number that was given to a sample says nothing about it, but changes every distance.",
    )
    if summary.numbering:
        st.caption(
            f"{plain(', '.join(summary.numbering))} only "
            f"{'numbers' if len(summary.numbering) == 1 else 'number'} the rows."
        )


def _scaling(summary: Summary) -> None:
    st.selectbox(
        "Scaling of the features",
        list(SCALES),
        index=list(SCALES).index(summary.scaling),
        format_func=SCALES.__getitem__,
        key=_key("scale"),
    )
    if summary.scaling is not None:
        st.caption(
            f"Suggested, for the widest range is {three_digits(summary.range_ratio)} times the narrowest, "
            "and the widest column alone would decide all distances."
        )


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
    if state.get(_key("constant"), False):
        options["drop_constant"] = True
    if (scale := state.get(_key("scale"), summary.scaling)) is not None:
        options["scale"] = scale
    return options


def _rows(count: int) -> str:
    return f"{count} {'row has' if count == 1 else 'rows have'}"
