"""``load``: any data set of the catalog by its name."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nysviz.datasets.cards import FOLDER_VARIABLE, Card, default_data_folder, find_card
from nysviz.datasets.dataset import Dataset
from nysviz.datasets.generators import (
    MAX_SEED,
    checked_whole,
    chosen_spectrum,
    clusters,
    eigengap_mixture,
    swiss_roll,
    two_balls,
)
from nysviz.datasets.scaling import PREPARATIONS
from nysviz.datasets.size_limits import check_readable
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
    """Load a data set by its name in the catalog.

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
    card = find_card(name, data_folder)
    knobs = [knob.name for knob in card.parameters]
    if unknown := sorted(set(parameters) - set(knobs)):
        offered = f"it has {', '.join(knobs)}" if knobs else "it has none"
        raise Refusal(f"{name} has no parameter {', '.join(unknown)}; {offered}.")
    if preparation is not None:
        if preparation not in card.preparations or raw:
            offered = ", ".join(card.preparations) or "none"
            raise Refusal(f"{name} has no preparation {preparation!r} to choose; it has {offered}.")
        sentence = f"{card.sentence} {PREPARATIONS[preparation].sentence}"
        card = replace(card, preparation=preparation, sentence=sentence)
    if card.kind == "generator":
        return GENERATORS[name](**parameters)
    if card.kind == "embedded":
        return _patches(card, **parameters) if knobs else _table(card, raw)
    folder = default_data_folder() if data_folder is None else Path(data_folder)
    if absent := [file for file in card.files if not (folder / file).is_file()]:
        raise Refusal(
            f"The set {name} needs the file {' and '.join(absent)}, not found in {folder}; {_remedy(card)}, "
            f"or set {FOLDER_VARIABLE} to the folder that has it, or begin with the embedded set "
            f"{card.alternative}."
        )
    if not card.sparse:
        check_readable(card.title, card.n, card.d)
    try:
        parsed = read_checked(card, folder)
    except ValueError as problem:
        raise Refusal(f"{problem}; {_remedy(card)}.") from problem.__cause__
    names: dict[str, Any] = {"feature_names": parsed.feature_names, "classes": parsed.classes}
    return card.described(parsed.X, parsed.y, prepare=not raw, owned=True, **names)


def _table(card: Card, raw: bool) -> Dataset:
    """Load one of scikit-learn's tables, prepared as its card says unless ``raw``."""
    from sklearn import datasets  # imported late: it takes most of a second

    bunch = getattr(datasets, f"load_{card.name}")()
    facts: dict[str, Any] = {"feature_names": [str(name) for name in bunch.feature_names]}
    if card.task == "classification":
        facts["classes"] = [str(name) for name in bunch.target_names]
    if raw and card.name == "diabetes":
        bunch = datasets.load_diabetes(scaled=False)
        facts["notes"] = ["The values are raw, in the units of the original study."]
    return card.described(bunch.data, bunch.target, prepare=not raw, **facts)


def _patches(
    card: Card, patch: SupportsIndex = 8, n: SupportsIndex = 2000, seed: SupportsIndex = 0
) -> Dataset:
    """Return n square pieces of a grey photograph, cut at random places, no place twice.

    The card has the photograph's name, as ``china_patches``; a piece has 4 to 16 pixels a side, and there are
    100 to 20 000 of them: X (n, patch²) in [0, 1], line by line, without y.
    """
    from sklearn.datasets import load_sample_image

    side, count = checked_whole("patch", patch, *PATCH_SIDES), checked_whole("n", n, *PATCHES)
    rng = np.random.default_rng(checked_whole("seed", seed, 0, MAX_SEED))
    photograph = load_sample_image(card.name.removesuffix("_patches") + ".jpg")
    grey = np.clip(photograph @ np.array(LUMINANCE) / 255.0, 0.0, 1.0)
    windows = np.lib.stride_tricks.sliding_window_view(grey, (side, side))
    places = rng.choice(windows.shape[0] * windows.shape[1], count, replace=False)
    rows, columns = np.divmod(places, windows.shape[1])
    pieces = windows[rows, columns].reshape(count, side * side)
    names = [f"pixel {i}, {j}" for i in range(side) for j in range(side)]
    return card.described(pieces, image_shape=(side, side), feature_names=names)


def read_checked(card: Card, folder: Path) -> "Parsed":
    """Read the files of a card and compare n, d, labels and values with it, before anything is computed.

    ValueError with what is wrong, as the beginning of a sentence; the caller adds what to do about it.
    """
    # pandas and scikit-learn take long to import, and only files need them.
    from nysviz.datasets.readers import READERS

    try:
        parsed = READERS[card.layout["format"]]([folder / file for file in card.files], card)
    except Exception as problem:
        # Broad on purpose: scikit-learn, scipy, pandas and gzip raise a dozen types on a damaged file.
        raise Refusal(
            f"{' and '.join(card.files)} could not be read as {card.layout['format']} data "
            f"({type(problem).__name__})"
        ) from problem
    _check(card, parsed)
    return parsed


def _check(card: Card, parsed: "Parsed") -> None:
    if parsed.X.shape != (card.n, card.d):
        rows, columns = parsed.X.shape
        _differs(card, f"{rows} x {columns} values", f"{card.n} x {card.d}")
    labels = np.unique(parsed.y) if parsed.y is not None and card.task == "classification" else np.empty(0)
    if card.labels and not np.array_equal(labels, np.sort(card.labels)):
        _differs(card, f"the labels {_listed(labels)}", _listed(np.asarray(card.labels)))
    if card.label_count is not None and labels.size != card.label_count:
        _differs(card, f"{labels.size} labels", str(card.label_count))
    values = parsed.X.data if sparse.issparse(parsed.X) else parsed.X
    if not np.isfinite(values).all() or (parsed.y is not None and not np.isfinite(parsed.y).all()):
        _differs(card, "missing or infinite values", "none")
    low, high = float(values.min()), float(values.max())
    if card.value_range is not None and (low, high) != card.value_range:
        expected = f"{card.value_range[0]:g} to {card.value_range[1]:g}"
        _differs(card, f"values from {low:g} to {high:g}", expected)
    if card.value_limits is not None and not card.value_limits[0] <= low <= high <= card.value_limits[1]:
        expected = f"none outside {card.value_limits[0]:g} to {card.value_limits[1]:g}"
        _differs(card, f"values from {low:g} to {high:g}", expected)


def _differs(card: Card, contents: str, expected: str) -> None:
    raise Refusal(f"{' and '.join(card.files)} holds {contents} where the catalog says {expected}")


def _listed(labels: NDArray[Any]) -> str:
    return ", ".join(f"{label:g}" for label in labels[:8]) + (" …" if labels.size > 8 else "")


def _remedy(card: Card) -> str:
    if card.addresses:
        return f"`python -m nysviz fetch {card.name}` gets it from its archive"
    return f"no archive offers it for download, so put it there by hand ({card.source})"
