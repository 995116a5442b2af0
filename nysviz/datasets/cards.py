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
# What a data set takes over from its card as it stands there.
_SHARED = ("task", "title", "source", "licence", "image_shape", "image_order")


@dataclass(frozen=True)
class Parameter:
    """A knob of a data set: the keyword of ``load``, its default, its ends and its effect in one sentence.

    One that is no number has choices in place of ends.
    """

    name: str
    default: int | float | str
    sentence: str
    low: int | float = 0
    high: int | float = 0
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """What is known about a data set before it is loaded.

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
    parameters: tuple[Parameter, ...] = ()
    notes: tuple[str, ...] = ()
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] = "C"
    layout: Mapping[str, Any] = field(default_factory=dict)
    sparse: bool = False

    @property
    def too_large(self) -> str:
        """Why this machine cannot hold the set, in one sentence; empty where it can."""
        return "" if self.sparse or self.kind != "file" else too_large(self.title, self.n, self.d)

    @property
    def paper(self) -> str:
        """The papers that use this set, as one text; empty when none does."""
        return ", ".join(self.papers)

    @property
    def alternative(self) -> str:
        """The embedded set that is nearest in kind, for a reader who cannot have this one."""
        if self.image_shape is not None:
            return "digits"
        return "diabetes" if self.task == "regression" else "breast_cancer"

    def described(self, X: Any, y: Any = None, *, prepare: bool = False, **more: Any) -> Dataset:
        """A Dataset of these arrays with the words of this card, prepared as the card says when asked."""
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
    """The folder of downloaded files: the environment variable NYSVIZ_DATA, else the user's cache folder."""
    if named := os.environ.get(FOLDER_VARIABLE, "").strip():
        return Path(named).expanduser()
    # Imported late: it is the download library, and most sessions download nothing.
    import pooch

    return Path(pooch.os_cache("nysviz"))


def catalog(data_folder: str | os.PathLike[str] | None = None) -> list[Card]:
    """All data sets known by name: embedded ones, generators, and files of the data folder.

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
            there = {entry.name for entry in entries if entry.is_file()}
    except OSError:
        there = set()
    return [replace(one, on_disk=True) if one.files and there >= set(one.files) else one for one in known()]


def known() -> tuple[Card, ...]:
    """The cards of the catalog file, whatever is on disk."""
    state = CATALOG.stat()
    return _known(CATALOG, state.st_mtime_ns, state.st_size)


def card(name: str, data_folder: str | os.PathLike[str] | None = None) -> Card:
    """Return the card of one name; ValueError with the nearest names for one that is not in the catalog."""
    cards = {known.name: known for known in catalog(data_folder)}
    if str(name) in cards:
        return cards[str(name)]
    shown = str(name)[:60]
    near = difflib.get_close_matches(shown.lower(), cards, n=3)
    remedy = f"the nearest is {' or '.join(near)}" if near else f"known names are {', '.join(cards)}"
    raise Refusal(f"There is no data set called {shown!r}; {remedy}, and catalog() lists all.")


@lru_cache(maxsize=1)
def _known(path: Path, changed: int, size: int) -> tuple[Card, ...]:
    """Cards as a catalog file has them, none on disk: read once, since pages ask at every drawing."""
    with path.open("rb") as file:
        return tuple(_card(name, facts) for name, facts in tomllib.load(file).items())


def _card(name: str, facts: dict[str, Any]) -> Card:
    facts = {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}
    facts["parameters"] = tuple(
        Parameter(knob, **ends | {"choices": tuple(ends.get("choices", ()))})
        for knob, ends in facts.get("parameters", {}).items()
    )
    if (preparation := facts.get("preparation")) is not None:
        facts["sentence"] += f" {PREPARATIONS[preparation].sentence}"
    return Card(**{"name": name, "papers": (), "task": None, "on_disk": facts["kind"] != "file"} | facts)
