"""A data set that cannot change, the value that every other part of the project receives."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import WithRows
from nysviz.refusal import Refusal
from nysviz.text import grouped, html_table

Task: TypeAlias = Literal["classification", "regression"] | None


@dataclass(frozen=True, eq=False)
class Dataset(WithRows):
    """Points, labels and their source. Made by :meth:`from_arrays`, never changed afterwards.

    Two data sets with the same ``digest`` hold the same numbers, so results are kept under the digest.

    Attributes
    ----------
    name : str
        Short name, as in the catalog; for an upload the file's name without its ending.
    X : (n, d) float64 array, C-contiguous, or scipy.sparse.csr_array
        One row a point. Sparse for document sets only. Writing to it raises.
    y : (n,) array or None
        Classes (integers where the labels are whole numbers) or the values to predict.
    task : "classification", "regression" or None
    digest : str
        SHA-256, in hexadecimal, of the shape and bytes of X and y.
    feature_names : tuple of str, length d (empty for a sparse set)
    classes : tuple of str
        The text of each distinct label, in the order of ``numpy.unique(y)``; empty without classes.
    title, sentence, source, licence : str
        What a page shows beside the data.
    notes : tuple of str
        What was done to the data and what a reader should know, a plain sentence each.
    image_shape : (height, width) or None
        Set where a row is a picture; :meth:`picture` gives it back.
    image_order : "C" or "F"
        Whether a row stores its picture line by line ("C") or column by column ("F", MATLAB's habit).
    from_catalog : bool
        Whether this is the catalog's set of this name; other data may have such a name too.

    Examples
    --------
    >>> import nysviz as nv
    >>> nv.Dataset.from_arrays("mine", [[0.0, 1.0], [2.0, 3.0], [4.0, 4.0]], [0, 1, 1], task="classification")
    Dataset('mine', n=3, d=2, task='classification', digest='781e14fd2ec7')
    """

    name: str
    X: Any
    y: NDArray[Any] | None
    task: Task
    digest: str
    feature_names: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    title: str = ""
    sentence: str = ""
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] = field(default="C", repr=False)
    from_catalog: bool = False

    def sampled(self, rows: int, seed: int = 0) -> "Dataset":
        """Return random rows of this set, in its order, as a set of their own.

        Parameters
        ----------
        rows : int
            At most all. Fewer rows of the same seed are part of more.
        seed : int
        """
        if rows >= self.n:
            return self
        # The random stream of the rows for sampled errors; landmarks of the same seed use another.
        chosen = np.sort(np.random.default_rng([seed, 1]).permutation(self.n)[:rows])
        y, classes = self.y, self.classes
        if y is not None:
            labels, y = np.unique(y), y[chosen]
            # A class may have no row among them; its name goes with it.
            if classes:
                has_row = np.isin(labels, y)
                classes = tuple(name for name, among in zip(classes, has_row, strict=True) if among)
        digest = f"{self.digest}, {len(chosen)} random rows" + (f" of seed {seed}" if seed else "")
        X, y = _freeze(self.X[chosen]), _freeze(y)
        return replace(self, X=X, y=y, classes=classes, digest=digest)

    def picture(self, row: int) -> FloatArray:
        """Return the picture in a row, upright, (height, width); ValueError where rows are no pictures."""
        if self.image_shape is None:
            raise Refusal(f"The rows of {self.name} are not pictures; choose a set with an image shape.")
        return np.reshape(self.X[row], self.image_shape, order=self.image_order)

    def __repr__(self) -> str:
        facts = f"n={self.n}, d={self.d}, task={self.task!r}, digest={self.digest[:12]!r}"
        return f"Dataset({self.name!r}, {facts})"

    def _repr_html_(self) -> str:
        return html_table(
            (self.title, self.sentence),
            ("n × d", f"{grouped(self.n)} × {grouped(self.d)}"),
            ("task", self.task or "none"),
            *((("source", self.source),) if self.source else ()),
            *(("note", note) for note in self.notes),
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickle (other processes, Streamlit's cache) drops numpy's read-only flag: set it again.
        self.__dict__.update(state)
        _freeze(self.X)
        _freeze(self.y)

    @classmethod
    def from_arrays(
        cls,
        name: str,
        X: ArrayLike | Any,
        y: ArrayLike | None = None,
        *,
        task: Task = None,
        feature_names: Sequence[str] = (),
        classes: Sequence[str] = (),
        title: str = "",
        notes: Sequence[str] = (),
        owned: bool = False,
        **facts: Any,
    ) -> "Dataset":
        """Copy, check and freeze the arrays, and compute the digest once.

        Parameters
        ----------
        X : (n, d) numbers, dense or scipy.sparse
        y : (n,) labels or values, optional
        classes : the text of each distinct label, in order; without it the numbers themselves are the texts
        owned : whether X may be frozen in place instead of copied; the caller keeps no writable view of it
        facts : the other attributes of a data set

        Raises
        ------
        ValueError
            When X is not two-dimensional with at least one row and column, holds a value that is not finite,
            or does not have one y per row.
        """
        points, labels = _frozen_points(X, owned), _frozen_labels(y)
        n, d = points.shape
        if labels is not None and labels.shape != (n,):
            raise Refusal(f"y has shape {labels.shape}, but X has {n} rows; give one value a row.")
        if task == "classification" and labels is not None and not classes:
            classes = tuple(f"{value:g}" for value in np.unique(labels))
        if not feature_names and not sparse.issparse(points):
            feature_names = tuple(f"x{j + 1}" for j in range(d))
        return cls(
            name=name,
            X=points,
            y=labels,
            task=task,
            digest=_digest(points, labels),
            feature_names=tuple(feature_names),
            classes=tuple(classes),
            title=title or name,
            notes=tuple(notes),
            **facts,
        )


def _frozen_points(X: Any, owned: bool) -> Any:
    points: Any
    if sparse.issparse(X):
        points = sparse.csr_array(X, dtype=np.float64, copy=True)
        # Canonical before frozen: otherwise scipy would try to sort the indices in place later.
        points.sum_duplicates()
        values = points.data
    else:
        # Otherwise always a copy: a caller who keeps the original could change it under the digest.
        plain = owned and type(X) is np.ndarray and X.dtype == np.float64 and X.base is None
        points = X if plain and X.flags.c_contiguous else np.array(X, dtype=np.float64, order="C", copy=True)
        values = points
    if points.ndim != 2 or 0 in points.shape:
        raise Refusal(f"X has shape {points.shape}; it needs at least one row and one column.")
    if not np.isfinite(values).all():
        raise Refusal("X holds a value that is not finite; leave out or fill such rows first.")
    return _freeze(points)


def _frozen_labels(y: ArrayLike | None) -> Any:
    if y is None:
        return None
    labels = np.array(y, copy=True)
    if not np.isfinite(labels).all():
        raise Refusal("y holds a value that is not finite; leave out such rows first.")
    whole = labels.astype(np.int64) if np.abs(labels).max(initial=0) < 2**53 else labels
    return _freeze(whole if np.array_equal(whole, labels) else labels.astype(np.float64))


def _freeze(values: Any) -> Any:
    if sparse.issparse(values):
        for part in (values.data, values.indices, values.indptr):
            part.flags.writeable = False
    elif values is not None:
        values.flags.writeable = False
    return values


def _digest(points: Any, labels: NDArray[Any] | None) -> str:
    """Return SHA-256 over shapes and little-endian bytes, the same on every machine."""
    if sparse.issparse(points):
        arrays = [points.data.astype("<f8"), points.indices.astype("<i8"), points.indptr.astype("<i8")]
    else:
        arrays = [points.astype("<f8", copy=False)]
    if labels is not None:
        arrays.append(labels.astype("<f8", copy=False))
    total = hashlib.sha256(repr(points.shape).encode())
    for array in arrays:
        total.update(repr(array.shape).encode())
        total.update(np.ascontiguousarray(array).data)
    return total.hexdigest()
