"""The data sets of an experiment, with the bandwidth that the papers give them."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.datasets import Dataset, catalog
from nysviz.kernels import Gaussian, default_width
from nysviz.sweep import Problem


def problem_of(data: Dataset) -> Problem:
    """Return the Gaussian kernel matrix of a data set at its default width (Zhang 2008, section 4)."""
    return Problem(data.name, data.X, Gaussian.from_width(default_width(data.X)), data.digest, data.y)


def at_hand(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tell which data sets can be loaded, and why others cannot.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    there, sentences : lists of str
    """
    cards = {card.name: card for card in catalog()}
    there, sentences = [], []
    for name in names:
        if name not in cards:
            sentences.append(f"{name} is left out: the catalog has no set of this name.")
        elif not cards[name].on_disk:
            files = ", ".join(cards[name].files)
            sentences.append(f"{name} is left out: its files ({files}) are not in the data folder.")
        else:
            there.append(name)
    return there, sentences
