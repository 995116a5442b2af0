"""Data: the catalog, sets by name, generators with a known knob, and a user's own file."""

from importlib import import_module
from typing import TYPE_CHECKING

from nysviz.datasets.cards import Card, DatasetParameter, catalog, default_data_folder
from nysviz.datasets.dataset import Dataset
from nysviz.datasets.generators import (
    chosen_spectrum,
    clusters,
    eigengap_mixture,
    largest_gap,
    swiss_roll,
    two_balls,
)
from nysviz.datasets.loading import load
from nysviz.datasets.scaling import scale_to_unit_box, standardise

if TYPE_CHECKING:
    from nysviz.datasets.download import fetch
    from nysviz.datasets.upload import parse


# Imported late: pandas and the download library are slow to import, and most sessions need neither.
_LATE = {"parse": "upload", "fetch": "download"}


def __getattr__(name: str) -> object:
    if name in _LATE:
        return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
