"""The catalog's cards, read from ``datasets/catalog.toml``; every fact about a set stands there."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from nysviz.datasets.dataset import Dataset, Task
from nysviz.datasets.scaling import PREPARATIONS
from nysviz.datasets.size_limits import too_large
from nysviz.refusal import Refusal
from nysviz.root import ROOT

CATALOG = ROOT / "datasets" / "catalog.toml"
FOLDER_VARIABLE = "NYSVIZ_DATA"
# Fields that a data set copies from its card.
_SHARED = ("task", "title", "source", "licence", "image_shape", "image_order")


@dataclass(frozen=True)
class DatasetParameter:
    """A knob of a data set: the keyword of ``load``, its default, its ends and its effect in one sentence.

    A parameter that is no number has choices in place of ends.
    """

    name: str
    default: int | float | str
    sentence: str
    low: int | float = 0
    high: int | float = 0
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """Facts about a data set before it is loaded.

    ``n`` and ``d`` are those of the default parameters for a set with knobs. ``on_disk`` is always true for
    the embedded sets and the generators. ``layout`` says how the files are read (see ``readers``).
    Only the linear kernel suits ``sparse`` sets, of whose n times d values nearly all are 0.
    ``role`` says what the papers do with the set. ``addresses`` are what ``fetch`` asks for, one a file or
    one archive with all of them; without any, the files have to be brought by hand.
    """

    name: str
    title: str
    sentence: str
    papers: tuple[str, ...]
    n: int
    d: int
    task: Task
    source: str
    licence: str
    kind: Literal["embedded", "generator", "file"]
    on_disk: bool
    role: str = ""
    files: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    sha256: tuple[str, ...] = ()
    preparation: str | None = None
    preparations: tuple[str, ...] = ()
    labels: tuple[float, ...] = ()
    label_count: int | None = None
    value_range: tuple[float, float] | None = None
    value_limits: tuple[float, float] | None = None
    parameters: tuple[DatasetParameter, ...] = ()
    notes: tuple[str, ...] = ()
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] = "C"
    layout: Mapping[str, Any] = field(default_factory=dict)
    sparse: bool = False

    @property
    def too_large(self) -> str:
        """One sentence on why this machine cannot hold the set; empty where it can."""
        return "" if self.sparse or self.kind != "file" else too_large(self.title, self.n, self.d)

    @property
    def paper(self) -> str:
        """The papers that use this set, as one text; empty when none does."""
        return ", ".join(self.papers)

    @property
    def alternative(self) -> str:
        """The most similar embedded set, for a reader who cannot have this one."""
        if self.image_shape is not None:
            return "digits"
        return "diabetes" if self.task == "regression" else "breast_cancer"

    def described(self, X: Any, y: Any = None, *, prepare: bool = False, **more: Any) -> Dataset:
        """Return a Dataset of these arrays with the texts of this card, with ``prepare`` as the card says."""
        sentence, notes = self.sentence, list(self.notes)
        if self.preparation is not None:
            preparation = PREPARATIONS[self.preparation]
            if prepare:
                X = preparation.apply(X)
                notes.append(preparation.sentence)
            else:
                sentence = sentence.removesuffix(preparation.sentence).strip()
                notes.append("The values are raw, as the source has them.")
        notes.extend(more.pop("notes", ()))
        facts = {name: getattr(self, name) for name in _SHARED} | more
        facts |= {"sentence": sentence, "notes": notes, "from_catalog": True}
        return Dataset.from_arrays(self.name, X, y, **facts)


def default_data_folder() -> Path:
    """Return the folder of downloaded files: the variable NYSVIZ_DATA, else the user's cache folder."""
    if setting := os.environ.get(FOLDER_VARIABLE, "").strip():
        return Path(setting).expanduser()
    # Imported late: it is the download library, and most sessions download nothing.
    import pooch

    return Path(pooch.os_cache("nysviz"))


def catalog(data_folder: str | os.PathLike[str] | None = None) -> list[Card]:
    """Return the cards of all data sets: embedded ones, generators, and files of the data folder.

    Parameters
    ----------
    data_folder : path, optional
        Where files are looked for; without it NYSVIZ_DATA, else the user's cache folder.

    Returns
    -------
    list of Card
        In the order of the catalog file.

    Examples
    --------
    >>> import nysviz as nv
    >>> [card.name for card in nv.catalog() if card.kind == "embedded"][:2]
    ['digits', 'breast_cancer']
    """
    folder = default_data_folder() if data_folder is None else Path(data_folder)
    try:
        with os.scandir(folder) as entries:
            file_names = {entry.name for entry in entries if entry.is_file()}
    except OSError:
        file_names = set()
    return [
        replace(card, on_disk=True) if card.files and file_names >= set(card.files) else card
        for card in read_cards()
    ]


def read_cards() -> tuple[Card, ...]:
    """Return the cards of the catalog file, none with its files on disk."""
    state = CATALOG.stat()
    return _read_catalog(CATALOG, state.st_mtime_ns, state.st_size)


def find_card(name: str, data_folder: str | os.PathLike[str] | None = None) -> Card:
    """Return the card of one name; ValueError with the nearest names for one that is not in the catalog."""
    cards = {card.name: card for card in catalog(data_folder)}
    if str(name) in cards:
        return cards[str(name)]
    quoted_name = str(name)[:60]
    near = difflib.get_close_matches(quoted_name.lower(), cards, n=3)
    remedy = f"the nearest is {' or '.join(near)}" if near else f"known names are {', '.join(cards)}"
    raise Refusal(f"There is no data set called {quoted_name!r}; {remedy}, and catalog() lists all.")


@lru_cache(maxsize=1)
def _read_catalog(path: Path, changed: int, size: int) -> tuple[Card, ...]:
    """Read the cards of a catalog file once, since pages ask for them at every drawing."""
    with path.open("rb") as file:
        return tuple(_make_card(name, facts) for name, facts in tomllib.load(file).items())


def _make_card(name: str, facts: dict[str, Any]) -> Card:
    facts = {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}
    facts["parameters"] = tuple(
        DatasetParameter(knob, **ends | {"choices": tuple(ends.get("choices", ()))})
        for knob, ends in facts.get("parameters", {}).items()
    )
    if (preparation := facts.get("preparation")) is not None:
        facts["sentence"] += f" {PREPARATIONS[preparation].sentence}"
    return Card(**{"name": name, "papers": (), "task": None, "on_disk": facts["kind"] != "file"} | facts)
