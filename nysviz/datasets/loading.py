"""``load``: any data set of the catalog by its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nysviz.datasets import embedded
from nysviz.datasets.cards import FOLDER_VARIABLE, Card, card, default_data_folder
from nysviz.datasets.dataset import Dataset
from nysviz.datasets.eigengap import eigengap_mixture
from nysviz.datasets.generators import clusters, swiss_roll, two_balls
from nysviz.datasets.scaling import PREPARATIONS
from nysviz.datasets.size_limits import readable
from nysviz.refusal import Refusal

if TYPE_CHECKING:
    from nysviz.datasets.readers import Parsed

GENERATORS: Mapping[str, Callable[..., Dataset]] = MappingProxyType(
    {
        "two_balls": two_balls,
        "clusters": clusters,
        "swiss_roll": swiss_roll,
        "eigengap_mixture": eigengap_mixture,
    }
)


def load(
    name: str,
    *,
    raw: bool = False,
    preparation: str | None = None,
    data_folder: str | os.PathLike[str] | None = None,
    **parameters: Any,
) -> Dataset:
    """A data set by the name that the catalog gives it.

    Parameters
    ----------
    name : str
        A name of ``catalog()``; nothing else is ever looked for on disk.
    raw : bool
        Leave out the preparation (scaling) that the card announces.
    preparation : str, optional
        One of the card's ``preparations`` in its place.
    data_folder : path, optional
        Where files are looked for; without it NYSVIZ_DATA, else the user's cache folder.
    **parameters
        The knobs of the set, as ``card.parameters`` lists them (``n=500``, ``patch=6``, ``separation=2.0``).

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        One sentence: unknown name or parameter, impossible value, file absent, file not as the card says, or
        no room in memory for it.

    Examples
    --------
    >>> import nysviz as nv
    >>> data = nv.load("iris")
    >>> data.X.shape, data.classes
    ((150, 4), ('setosa', 'versicolor', 'virginica'))
    """
    found = card(name, data_folder)
    known = [knob.name for knob in found.parameters]
    if unknown := sorted(set(parameters) - set(known)):
        offered = f"it has {', '.join(known)}" if known else "it has none"
        raise Refusal(f"{name} has no parameter {', '.join(unknown)}; {offered}.")
    if preparation is not None:
        if preparation not in found.preparations or raw:
            offered = ", ".join(found.preparations) or "none"
            raise Refusal(f"{name} has no preparation {preparation!r} to choose; it has {offered}.")
        sentence = f"{found.sentence} {PREPARATIONS[preparation].sentence}"
        found = replace(found, preparation=preparation, sentence=sentence)
    if found.kind == "generator":
        return GENERATORS[name](**parameters)
    if found.kind == "embedded":
        return embedded.patches(found, **parameters) if known else embedded.table(found, raw=raw)
    folder = default_data_folder() if data_folder is None else Path(data_folder)
    if absent := [file for file in found.files if not (folder / file).is_file()]:
        raise Refusal(
            f"The set {name} needs the file {' and '.join(absent)}, not found in {folder}; {_remedy(found)}, "
            f"or set {FOLDER_VARIABLE} to the folder that has it, or begin with the embedded set "
            f"{found.alternative}."
        )
    if not found.sparse:
        readable(found.title, found.n, found.d)
    try:
        parsed = read_checked(found, folder)
    except ValueError as problem:
        raise Refusal(f"{problem}; {_remedy(found)}.") from problem.__cause__
    names: dict[str, Any] = {"feature_names": parsed.feature_names, "classes": parsed.classes}
    return found.described(parsed.X, parsed.y, prepare=not raw, owned=True, **names)


def read_checked(found: Card, folder: Path) -> Parsed:
    """Read the files of a card and compare n, d, labels and values with it, before anything is computed.

    ValueError with what is wrong, as the beginning of a sentence; the caller adds what to do about it.
    """
    # pandas and scikit-learn take long to import, and only files need them.
    from nysviz.datasets.readers import READERS

    try:
        parsed = READERS[found.layout["format"]]([folder / file for file in found.files], found)
    except Exception as problem:
        # Broad on purpose: scikit-learn, scipy, pandas and gzip raise a dozen types on a damaged file.
        raise Refusal(
            f"{' and '.join(found.files)} could not be read as {found.layout['format']} data "
            f"({type(problem).__name__})"
        ) from problem
    _check(found, parsed)
    return parsed


def _check(found: Card, parsed: Parsed) -> None:
    if parsed.X.shape != (found.n, found.d):
        rows, columns = parsed.X.shape
        _differs(found, f"{rows} x {columns} values", f"{found.n} x {found.d}")
    labels = np.unique(parsed.y) if parsed.y is not None and found.task == "classification" else np.empty(0)
    if found.labels and not np.array_equal(labels, np.sort(found.labels)):
        _differs(found, f"the labels {_listed(labels)}", _listed(np.asarray(found.labels)))
    if found.label_count is not None and labels.size != found.label_count:
        _differs(found, f"{labels.size} labels", str(found.label_count))
    values = parsed.X.data if sparse.issparse(parsed.X) else parsed.X
    if not np.isfinite(values).all() or (parsed.y is not None and not np.isfinite(parsed.y).all()):
        _differs(found, "missing or infinite values", "none")
    low, high = float(values.min()), float(values.max())
    if found.value_range is not None and (low, high) != found.value_range:
        needed = f"{found.value_range[0]:g} to {found.value_range[1]:g}"
        _differs(found, f"values from {low:g} to {high:g}", needed)
    if found.value_limits is not None and not found.value_limits[0] <= low <= high <= found.value_limits[1]:
        needed = f"none outside {found.value_limits[0]:g} to {found.value_limits[1]:g}"
        _differs(found, f"values from {low:g} to {high:g}", needed)


def _differs(found: Card, held: str, needed: str) -> None:
    raise Refusal(f"{' and '.join(found.files)} holds {held} where the catalog says {needed}")


def _listed(labels: NDArray[Any]) -> str:
    return ", ".join(f"{label:g}" for label in labels[:8]) + (" …" if labels.size > 8 else "")


def _remedy(found: Card) -> str:
    if found.addresses:
        return f"`python -m nysviz fetch {found.name}` gets it from its archive"
    return f"no archive offers it for download, so put it there by hand ({found.source})"
