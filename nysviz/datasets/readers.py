"""Readers of the data folder's files: one function a format, numbers exactly as in the file."""

import gzip
import io
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nysviz.datasets.cards import Card
from nysviz.refusal import Refusal


class Parsed(NamedTuple):
    """Contents of a file: X (n, d) dense or sparse, y (n,) or None, names of features and classes."""

    X: Any
    y: NDArray[Any] | None
    feature_names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


def read_libsvm(paths: Sequence[Path], card: Card) -> Parsed:
    """Read LIBSVM text, several files one below the other, padded with zeros to the card's d columns."""
    # Imported late: scikit-learn is slow to import, and only this format needs it.
    from sklearn.datasets import load_svmlight_file

    content = io.BytesIO(b"\n".join(path.read_bytes() for path in paths))
    X, y = load_svmlight_file(content, n_features=card.d, zero_based=False)
    return Parsed(X.toarray(), y)


def read_table(paths: Sequence[Path], card: Card) -> Parsed:
    """Read numbers in columns without a header; ``layout.target`` is the column's index, -1 for the last.

    ``layout.separator`` is "," or, without it, blanks.
    """
    (path,) = paths
    separator = card.layout.get("separator", r"\s+")
    values = pd.read_csv(path, sep=separator, header=None).to_numpy(dtype=np.float64)
    target = card.layout["target"]
    return Parsed(np.delete(values, target, axis=1), values[:, target])


def read_csv(paths: Sequence[Path], card: Card) -> Parsed:
    """Read comma-separated numbers under a header, several files of one header one below the other.

    ``layout.target`` names the target, ``layout.leave_out`` the columns that are no features.
    """
    frames = [pd.read_csv(path, dtype=np.float64) for path in paths]
    if any(list(frame.columns) != list(frames[0].columns) for frame in frames):
        raise Refusal("the files have different headers")
    frame = pd.concat(frames, ignore_index=True)
    target = frame.pop(card.layout["target"]).to_numpy()
    frame = frame.drop(columns=card.layout.get("leave_out", []))
    return Parsed(frame.to_numpy(), target, tuple(str(name) for name in frame.columns))


def read_arff(paths: Sequence[Path], card: Card) -> Parsed:
    """Read ARFF with numeric features, separated by commas or (as LIACC's files) by blanks.

    ``layout.target`` is the name of the target; a nominal target of text becomes codes.
    """
    # Imported late: only this format needs it.
    from nysviz.datasets.upload import arff

    (path,) = paths
    frame = arff.read_arff(path.read_bytes()).frame
    target = frame.pop(card.layout["target"])
    X = frame.to_numpy(dtype=np.float64)
    features = tuple(str(name) for name in frame.columns)
    if pd.api.types.is_numeric_dtype(target):
        return Parsed(X, target.to_numpy(), features)
    classes, codes = np.unique(target.to_numpy(dtype=str), return_inverse=True)
    return Parsed(X, codes, features, tuple(str(name) for name in classes))


def read_mat(paths: Sequence[Path], card: Card) -> Parsed:
    """Read MATLAB 5; ``layout.points`` and ``layout.labels`` name the variables; sparse stays sparse."""
    # Imported late: only this format needs it.
    from scipy.io import loadmat

    (path,) = paths
    with path.open("rb") as file:
        if not file.read(19).startswith(b"MATLAB 5.0 MAT-file"):
            raise Refusal("the header is not that of a MATLAB 5.0 file")
    variables = loadmat(path, variable_names=[card.layout["points"], card.layout["labels"]], spmatrix=False)
    return Parsed(variables[card.layout["points"]], variables[card.layout["labels"]].ravel())


def read_idx(paths: Sequence[Path], card: Card) -> Parsed:
    """Read IDX files of pictures and labels, packed with gzip; a picture becomes a row, line by line."""
    pictures, labels = (_idx(path, card.n * card.d) for path in paths)
    return Parsed(pictures.reshape(len(pictures), -1).astype(np.float64), labels.astype(np.int64))


def _idx(path: Path, limit: int) -> NDArray[Any]:
    with gzip.open(path, "rb") as file:
        # At most the bytes of the set, whatever the packing or the header says.
        content = file.read(limit + 17)
    # Two zeros, the mark of bytes, the number of dimensions, and their sizes.
    shape = np.frombuffer(content[4 : 4 + 4 * content[3]], ">u4") if content[:3] == b"\0\0\x08" else ()
    start = 4 + 4 * len(shape)
    if not len(shape) or len(content) - start != math.prod(map(int, shape)):
        raise Refusal("the content is not that of an IDX file of this size")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


READERS: Mapping[str, Callable[[Sequence[Path], Card], Parsed]] = {
    "libsvm": read_libsvm,
    "table": read_table,
    "csv": read_csv,
    "arff": read_arff,
    "mat": read_mat,
    "idx": read_idx,
}
