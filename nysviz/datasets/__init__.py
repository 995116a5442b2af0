"""Data: the catalog, sets by name, generators with a known knob, and a user's own file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nysviz.datasets.cards import Card, Parameter, catalog, default_data_folder
from nysviz.datasets.dataset import Dataset
from nysviz.datasets.eigengap import eigengap_mixture, largest_gap
from nysviz.datasets.generators import clusters, swiss_roll, two_balls
from nysviz.datasets.loading import load
from nysviz.datasets.scaling import scale_to_unit_box, standardise

if TYPE_CHECKING:
    from nysviz.datasets.download import fetch
    from nysviz.datasets.upload import parse

__all__ = [
    "Card",
    "Dataset",
    "Parameter",
    "catalog",
    "clusters",
    "default_data_folder",
    "eigengap_mixture",
    "fetch",
    "largest_gap",
    "load",
    "parse",
    "scale_to_unit_box",
    "standardise",
    "swiss_roll",
    "two_balls",
]


def __getattr__(name: str) -> object:
    # pandas takes long to import, and only uploads and files need it.
    if name == "parse":
        from nysviz.datasets.upload import parse

        return parse
    # Nor does a session that downloads nothing need the download library.
    if name == "fetch":
        from nysviz.datasets.download import fetch

        return fetch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
