"""Tables whose columns are the points, such as those of gene expression, and how they are turned."""

from dataclasses import replace

import numpy as np
import pandas as pd

from nysviz.datasets.upload import limits
from nysviz.datasets.upload.header import are_steps
from nysviz.datasets.upload.table import Table, numeric_columns, quoted, text_columns, unique_names
from nysviz.refusal import Refusal

# The columns may be the points up to FEW_ROWS rows, with at least MANY_TIMES as many columns.
FEW_ROWS, MANY_TIMES = 50, 5


def turn_table(table: Table) -> Table:
    """Return the table with a row for each of its columns of numbers; one column gives the new names.

    It is the first column of text that names every row, or else a first column of numbers in steps, such as
    wavelengths.
    """
    frame, numeric = table.frame, numeric_columns(table.frame)
    named = [name for name in text_columns(frame) if frame[name].notna().all() and frame[name].is_unique]
    if not named and len(numeric) > 1 and are_steps(frame[numeric[0]].tolist()):
        named, numeric = numeric[:1], numeric[1:]
    if not numeric:
        raise Refusal("The table has no column of numbers that could become a row; read it without turn.")
    limits.check_shape(len(numeric), len(frame))
    names = frame[named[0]].tolist() if named else [f"row {i + 1}" for i in range(len(frame))]
    points = pd.DataFrame(frame[numeric].to_numpy(dtype=np.float64).T)
    points.columns = pd.Index(unique_names(["point", *names])[1:], dtype=object)
    points.insert(0, "point", pd.Series(numeric, dtype=object))
    notes = list(table.notes)
    if unused_texts := [name for name in text_columns(frame) if name not in named[:1]]:
        notes.append(f"Left out because they hold text: {quoted(unused_texts)}.")
    return replace(
        table,
        frame=points,
        notes=tuple(notes),
        all_names=tuple(map(str, points.columns)),
        target=None,
        texts=frozenset(["point"]),
    )


def advise_turning(table: Table) -> Table:
    """Return the table with a sentence where its columns may be the points."""
    rows, columns = len(table.frame), len(numeric_columns(table.frame))
    is_said = any("turn=True" in note for note in table.notes)
    if is_said or not 1 < rows <= FEW_ROWS or columns < MANY_TIMES * rows:
        return table
    advice = (
        f"The table has {rows} rows of {columns} numbers: if the columns are the points, say that each point "
        "is a column (in Python turn=True)."
    )
    return replace(table, notes=(*table.notes, advice))
