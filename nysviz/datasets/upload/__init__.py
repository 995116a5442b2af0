"""A user's own file: its summary and the data set made of it, or one sentence that says what is wrong."""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from nysviz.datasets.dataset import Dataset, Task
from nysviz.datasets.scaling import scale_to_unit_box, standardise
from nysviz.datasets.upload import cleaning, limits
from nysviz.datasets.upload.formats import read, strip_packing
from nysviz.datasets.upload.meaning import Numbers
from nysviz.datasets.upload.square import (
    DISTANCES,
    SIMILARITIES,
    Similarities,
    holds_distances,
    holds_similarities,
    points_of_pairs,
)
from nysviz.datasets.upload.summary import Scaling, Summary, summarise
from nysviz.datasets.upload.table import CLASS_TEXTS, Table, is_numeric, is_there, named, plain, quoted
from nysviz.numerics.blocks import FloatArray
from nysviz.refusal import Refusal
from nysviz.text import counted

__all__ = ["Summary", "Table", "build", "parse", "read", "summarise"]

Missing: TypeAlias = Literal["drop", "mean", "median"]
SCALINGS = {
    "standardise": (standardise, "Every feature was standardised to mean 0 and variance 1."),
    "unit box": (scale_to_unit_box, "Every feature was scaled to [-1, 1]."),
}


def parse(
    content: bytes,
    filename: str,
    target: str | int | None = None,
    *,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    missing_values: Sequence[str | float] = (),
    first_line: int | None = None,
    turn: bool = False,
    **options: Any,
) -> Dataset:
    r"""Return a data set made of an uploaded file.

    The formats are tables of text (CSV, TSV, semicolons, bars or blanks), workbooks of Excel and
    OpenDocument, LIBSVM, ARFF, Parquet, NPY and NPZ (never pickled), MATLAB of version 5, and each of these
    packed once with gzip or bzip2.

    Parameters
    ----------
    content : bytes
        The file, at most ``MAX_BYTES``; unpacked at most ``limits.MAX_UNPACKED``.
    filename : str
        Its stem names the data set; its ending says what the file is where the content does not.
    target : str, int, False or None
        The column to predict: its name, or its index from 0. None takes the labels that the format declares,
        else a column called target, label, class or the like, else a last column of few texts, else none, and
        says so in the notes; False takes none.
    leave_out : sequence of str or None
        Columns that are no features. None leaves out those that only number the rows, such as ``id`` or an
        index without a name, and codes with zeros in front, such as 00501; the notes name them.
    encode : sequence of str, or True
        Columns of text that become a column of 0 and 1 for each of their texts; True takes all with at most
        50 different texts. Others are left out.
    missing : "drop", "mean" or "median"
        Rows with a missing or infinite value are left out, or the value is filled with the mean or median of
        its column. A row without its target is left out in any case. "NA", "N/A", "null" and "None" are
        missing values among numbers; in a column of text they are texts like any other.
    missing_values : sequence of numbers and str
        What else stands for a missing value, in all columns, such as ``[-999, "refused"]``. The notes ask
        about a value that stands often and far from the others.
    dates : sequence of str, or True
        Columns of dates, such as 2024-05-31, 31.05.2024 or 20240531, that become days since 1970-01-01; True
        takes all.
    scale : "standardise", "unit box" or None
        What is done to every feature at the end.
    similarities : "given", "clip", "shift", "gaussian", "centred" or None
        The features are the similarities of all pairs of rows, a symmetric matrix, which become points with
        these inner products: the linear kernel of the data is the matrix. Where it has negative eigenvalues
        it is refused ("given"), these are set to 0 ("clip"), or the smallest one is added to the diagonal
        ("shift"). Distances of all pairs become similarities exp(-d²/2σ²), σ half their root mean square
        ("gaussian"), or points with these distances, from -½JD²J where J centres ("centred"); negative
        eigenvalues are then set to 0. A matrix of which one triangle is given is mirrored. LIBSVM's files of
        kernel matrices are taken as "given" where this is left out.
    task : "classification", "regression" or None
        What the numbers of the target are: classes, or values to predict. None decides by their looks (at
        most 20 different whole numbers are classes) and says so in the notes.
    header : bool or None
        Whether the first line of a table of text names its columns. None decides by its looks (texts above
        numbers, or above texts that repeat; numbers that count up) and says so in the notes.
    encoding : str or None
        How the letters of a table of text are stored, as Python calls it. None decides for UTF-8 or UTF-16
        where these fit, else for Windows-1252, and says so in the notes.
    sheet : str or None
        The sheet of a workbook, by its name; None takes the first that is shown and has two rows or more.
    first_line : int or None
        The line of a table of text, from 1, in which its names or its first row stand; of a workbook, the
        filled row. None leaves out titles, counts and remarks above the table, and says so in the notes.
    turn : bool
        Whether the columns of the table are the points, as in tables of gene expression; its first column of
        texts then names the features.

    Returns
    -------
    Dataset
        The features and the target; ``notes`` say everything that was changed or left out.

    Raises
    ------
    ValueError
        One sentence: what was seen, what is needed, what to do. No other exception.

    Examples
    --------
    >>> import nysviz as nv
    >>> lines = ["height,weight,kind", "1.8,75,a", "1.6,60,b", "1.7,70,a"]
    >>> data = nv.parse("\n".join(lines).encode(), "people.csv", target="kind")
    >>> data.feature_names, data.classes
    (('height', 'weight'), ('a', 'b'))
    """
    table = read(content, filename, header, encoding, sheet, missing_values, first_line, turn)
    if table.is_similarities:
        options = {"similarities": "given"} | options
    return build(table, filename, target, **options)


@limits.bounded()
def build(
    table: Table,
    filename: str,
    target: str | int | None = None,
    *,
    leave_out: Sequence[str] | None = None,
    encode: Sequence[str] | bool = (),
    missing: Missing = "drop",
    dates: Sequence[str] | bool = (),
    scale: Scaling = None,
    similarities: Similarities = None,
    task: Task = None,
) -> Dataset:
    """Return a data set made of a table; parameters and errors as for :func:`parse`."""
    limits.check_table(table.nbytes)
    for name, value, allowed in (
        ("task", task, ("classification", "regression", None)),
        ("missing", missing, ("drop", "mean", "median")),
        ("scale", scale, (None,) if similarities else (*SCALINGS, None)),
        ("similarities", similarities, ("given", "clip", "shift", "gaussian", "centred", None)),
    ):
        if value not in allowed:
            *choices, last = map(repr, allowed)
            raise Refusal(f"{name} is {plain(value)!r}; give {', '.join(choices)} or {last}.")
    notes = list(table.notes)
    chosen, guessed = cleaning.choose_target(table, target)
    notes += [guessed] if guessed else []
    table = replace(table, frame=cleaning.convert_dates(table, chosen, dates, notes))
    frame, features = cleaning.select_features(table, chosen, leave_out, encode, notes)
    used = frame[[*features, *([chosen] if chosen is not None else [])]]
    if similarities is not None:
        X, used_rows = points_of_pairs(used, features, chosen, similarities, notes)
        size = f"Similarities of {counted(len(X), 'row')}"
        features = [f"axis {j + 1}" for j in range(X.shape[1])]
    else:
        X, used_rows = _make_features(used, features, chosen, table.long, missing, notes)
        size = f"{counted(X.shape[0], 'row')} and {counted(X.shape[1], 'column')} of numbers"
    if scale is not None:
        change, sentence = SCALINGS[scale]
        X = change(X)
        notes.append(sentence)
    y, classes = None, tuple[str, ...]()
    if chosen is None:
        task = None
    else:
        y, task, classes = cleaning.labels(used_rows[chosen], task)
        if texts := [text for text in classes if text in CLASS_TEXTS]:
            notes.append(
                f"In the target {quoted(texts)} counts as a class; empty its cells if it means none."
            )
        if is_numeric(used_rows[chosen]):
            cleaning.check_magnitude(y[:, None].astype(np.float64), [chosen])
            meaning = "classes" if task == "classification" else "values to predict"
            notes.append(f"The numbers of the target are taken as {meaning}.")
    path = strip_packing(filename)
    return Dataset.from_arrays(
        plain(path.stem),
        X,
        y,
        task=task,
        feature_names=features,
        classes=classes,
        title=plain(path.name),
        sentence=f"{size} from your file.",
        source="your own file",
        licence="your own",
        notes=notes,
    )


def _make_features(
    used: pd.DataFrame,
    features: list[str],
    target: str | None,
    long: Set[str],
    missing: Missing,
    notes: list[str],
) -> tuple[FloatArray, pd.DataFrame]:
    """Return the features as numbers, and the rows used; the notes report what looks unusual."""
    numbers = Numbers.from_frame(used, cleaning.find_value_columns(used, features, target))
    # pandas reads whole numbers as floats in a column with gaps.
    whole = long | {str(name) for name, kind in used.dtypes.items() if kind.kind in "iu"}
    notes += cleaning.describe_doubts(numbers, target, whole)
    X, filled_cells = numbers.values[:, : len(features)], numbers.finite[:, : len(features)]
    if holds_distances(X):
        notes.append(DISTANCES)
    elif holds_similarities(X):
        notes.append(SIMILARITIES)
    if missing != "drop":
        used = cleaning.fill_gaps(used, features, missing, notes)
        X = used[features].to_numpy(dtype=np.float64)
        filled_cells = np.ones_like(filled_cells)
    if target is not None:
        filled_cells = np.column_stack([filled_cells, is_there(used[target])])
    usable = cleaning.complete_rows(filled_cells, [*used], target, notes)
    if not usable.all():  # and no copy of what may be large
        X, used = X[usable], used.loc[usable]
    cleaning.check_magnitude(X, features)
    if len(X) > 1 and (constant := np.flatnonzero(X.min(axis=0) == X.max(axis=0))).size:
        notes.append(f"Constant: {named([features[j] for j in constant])}.")
    if repeats := len(X) - _count_distinct_rows(X):
        notes.append(f"{repeats} of {counted(len(X), 'row')} repeat an earlier row.")
    return X, used


def _count_distinct_rows(X: FloatArray) -> int:
    """Return the number of different rows, in long tables by a hash of 64 bits each."""
    if len(X) < X.shape[1]:
        return len({row.tobytes() for row in X})  # pandas is slow for many columns
    return int(pd.util.hash_pandas_object(pd.DataFrame(X, copy=False), index=False).nunique())
