"""A user's own file: what is in it, and a data set made of it, or one sentence that says what is wrong."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from nysviz.datasets.dataset import Dataset, Task
from nysviz.datasets.scaling import scale_to_unit_box, standardise
from nysviz.datasets.upload import cleaning, limits
from nysviz.datasets.upload.formats import read, without_packing
from nysviz.datasets.upload.summary import Scaling, Summary, summarise
from nysviz.datasets.upload.table import CLASS_TEXTS, Table, is_numeric, plain, quoted
from nysviz.refusal import Refusal
from nysviz.similarities import checked_similarities, points_of
from nysviz.text import counted

__all__ = ["Summary", "Table", "build", "parse", "read", "summarise"]

Missing: TypeAlias = Literal["drop", "mean", "median"]
Similarities: TypeAlias = Literal["given", "clip", "shift"] | None
# A matrix of similarities of so many rows takes up to twenty seconds to become points.
MOST_SIMILARITIES = 3_000
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
    first_line: int | None = None,
    turn: bool = False,
    **options: Any,
) -> Dataset:
    r"""A data set from an uploaded file.

    Read are tables of text (CSV, TSV, semicolons, bars or blanks), workbooks of Excel and OpenDocument,
    LIBSVM, ARFF, Parquet, NPY and NPZ (never pickled), MATLAB of version 5, and each of these packed
    once with gzip or bzip2.

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
        index without a name, and names them in the notes.
    encode : sequence of str, or True
        Columns of text that become a column of 0 and 1 for each of their texts; True takes all with at most
        50 different texts. Others are left out.
    missing : "drop", "mean" or "median"
        Rows with a missing or infinite value are left out, or the value is filled with the mean or median of
        its column. A row without its target is left out in any case. "NA", "N/A", "null" and "None" are
        missing values among numbers; in a column of text they are texts like any other.
    scale : "standardise", "unit box" or None
        What is done to every feature at the end.
    similarities : "given", "clip", "shift" or None
        The features are the similarities of all pairs of rows, a symmetric matrix, which become points with
        these inner products: the linear kernel of the data is the matrix. Where it has negative eigenvalues
        it is refused, these are set to 0, or the smallest one is added to the diagonal. LIBSVM's files of
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
    table = read(content, filename, header, encoding, sheet, first_line=first_line, turn=turn)
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
    scale: Scaling = None,
    similarities: Similarities = None,
    task: Task = None,
) -> Dataset:
    """A data set from a file that was read; parameters and errors as of :func:`parse`."""
    limits.check_table(table.nbytes)
    for name, value, allowed in (
        ("task", task, ("classification", "regression", None)),
        ("missing", missing, ("drop", "mean", "median")),
        ("scale", scale, (None,) if similarities else (*SCALINGS, None)),
        ("similarities", similarities, ("given", "clip", "shift", None)),
    ):
        if value not in allowed:
            *most, last = map(repr, allowed)
            raise Refusal(f"{name} is {plain(value)!r}; give {', '.join(most)} or {last}.")
    notes = list(table.notes)
    chosen, guessed = cleaning.choose_target(table, target)
    notes += [guessed] if guessed else []
    frame, features = cleaning.features_of(table, chosen, leave_out, encode, notes)
    if missing != "drop":
        frame = cleaning.filled(frame, features, missing, notes)
    kept = cleaning.complete_rows(frame[[*features, *([chosen] if chosen is not None else [])]], notes)
    X = kept[features].to_numpy(dtype=np.float64)
    cleaning.check_magnitude(X, features)
    if len(X) > 1 and (constant := np.flatnonzero(X.min(axis=0) == X.max(axis=0))).size:
        notes.append(f"Constant: {quoted([features[j] for j in constant])}.")
    # Rows that equal an earlier one, by a hash of 64 bits each.
    hashes = pd.util.hash_pandas_object(pd.DataFrame(X, copy=False), index=False)
    if repeats := len(X) - int(hashes.nunique()):
        notes.append(f"{repeats} of {counted(len(X), 'row')} repeat an earlier row.")
    if scale is not None:
        change, sentence = SCALINGS[scale]
        X = change(X)
        notes.append(sentence)
    size = f"{counted(X.shape[0], 'row')} and {counted(X.shape[1], 'column')} of numbers"
    if similarities is not None:
        if len(X) > MOST_SIMILARITIES:
            raise Refusal(
                f"The matrix of similarities has {len(X)} rows; at most {MOST_SIMILARITIES} are taken, so "
                "send those of fewer rows."
            )
        X = points_of(checked_similarities(X, None if similarities == "given" else similarities))
        size = f"Similarities of {counted(len(X), 'row')}"
        features = [f"axis {j + 1}" for j in range(X.shape[1])]
        notes.append("The rows became points: their linear kernel is the matrix of similarities.")
    y, classes = None, tuple[str, ...]()
    if chosen is None:
        task = None
    else:
        y, task, classes = cleaning.labels(kept[chosen], task)
        if texts := [text for text in classes if text in CLASS_TEXTS]:
            notes.append(
                f"In the target {quoted(texts)} counts as a class; empty its cells if it means none."
            )
        if is_numeric(kept[chosen]):
            cleaning.check_magnitude(y[:, None].astype(np.float64), [chosen])
            what = "classes" if task == "classification" else "values to predict"
            notes.append(f"The numbers of the target are taken as {what}.")
    path = without_packing(filename)
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
