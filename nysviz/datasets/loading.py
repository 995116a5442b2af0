"""``load``: any data set of the catalog by its name."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nysviz.datasets.cards import FOLDER_VARIABLE, Card, card, default_data_folder
from nysviz.datasets.dataset import Dataset
from nysviz.datasets.generators import (
    MAX_SEED,
    chosen_spectrum,
    clusters,
    eigengap_mixture,
    swiss_roll,
    two_balls,
    whole,
)
from nysviz.datasets.scaling import PREPARATIONS
from nysviz.datasets.size_limits import readable
from nysviz.refusal import Refusal

if TYPE_CHECKING:
    from nysviz.datasets.readers import Parsed

GENERATORS: Mapping[str, Callable[..., Dataset]] = {
    "two_balls": two_balls,
    "clusters": clusters,
    "swiss_roll": swiss_roll,
    "eigengap_mixture": eigengap_mixture,
    "chosen_spectrum": chosen_spectrum,
}
# Luminance weights of red, green and blue (ITU-R BT.601): grey as bright as the colour looks.
LUMINANCE = (0.299, 0.587, 0.114)
PATCH_SIDES, PATCHES = (4, 16), (100, 20_000)  # least and most


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
        return _patches(found, **parameters) if known else _table(found, raw)
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


def _table(found: Card, raw: bool) -> Dataset:
    """One of scikit-learn's tables, prepared as its card says unless ``raw``."""
    from sklearn import datasets  # here, for it takes most of a second

    bunch = getattr(datasets, f"load_{found.name}")()
    facts: dict[str, Any] = {"feature_names": [str(name) for name in bunch.feature_names]}
    if found.task == "classification":
        facts["classes"] = [str(name) for name in bunch.target_names]
    if raw and found.name == "diabetes":
        bunch = datasets.load_diabetes(scaled=False)
        facts["notes"] = ["The values are raw, in the units of the original study."]
    return found.described(bunch.data, bunch.target, prepare=not raw, **facts)


def _patches(
    found: Card, patch: SupportsIndex = 8, n: SupportsIndex = 2000, seed: SupportsIndex = 0
) -> Dataset:
    """Return n square pieces of a grey photograph, cut at random places, no place twice.

    The card has the photograph's name, as ``china_patches``; a piece has 4 to 16 pixels a side, and there are
    100 to 20 000 of them: X (n, patch²) in [0, 1], line by line, without y.
    """
    from sklearn.datasets import load_sample_image

    side, count = whole("patch", patch, *PATCH_SIDES), whole("n", n, *PATCHES)
    rng = np.random.default_rng(whole("seed", seed, 0, MAX_SEED))
    photograph = load_sample_image(found.name.removesuffix("_patches") + ".jpg")
    grey = np.clip(photograph @ np.array(LUMINANCE) / 255.0, 0.0, 1.0)
    windows = np.lib.stride_tricks.sliding_window_view(grey, (side, side))
    places = rng.choice(windows.shape[0] * windows.shape[1], count, replace=False)
    rows, columns = np.divmod(places, windows.shape[1])
    pieces = windows[rows, columns].reshape(count, side * side)
    names = [f"pixel {i}, {j}" for i in range(side) for j in range(side)]
    return found.described(pieces, image_shape=(side, side), feature_names=names)


def read_checked(found: Card, folder: Path) -> "Parsed":
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


def _check(found: Card, parsed: "Parsed") -> None:
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
