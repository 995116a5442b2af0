"""Data of the experiments: groups of sets, the sets on disk, random rows, and kernel matrices."""

import tomllib
from collections.abc import Sequence

import numpy as np

from nysviz.datasets import Dataset, catalog
from nysviz.kernels import Gaussian, default_width
from nysviz.numerics.blocks import FloatArray
from nysviz.root import ROOT
from nysviz.sweep import Problem

# Data sets that go together, by the name of the group.
GROUPS: dict[str, list[str]] = tomllib.loads((ROOT / "datasets" / "groups.toml").read_text(encoding="utf-8"))
LINE = "line"  # the data name of a search for counterexamples, which has no data set


def expand_groups(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of data sets, with each group's name replaced by its members."""
    return tuple(name for group in names for name in GROUPS.get(group, [group]))


def at_hand(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the data sets that can be loaded, and a sentence for each of the others."""
    cards = {card.name: card for card in catalog()}
    available_names, sentences = [], []
    for name in names:
        if name == LINE or (name in cards and cards[name].on_disk):
            available_names.append(name)
        elif name in cards:
            files = ", ".join(cards[name].files)
            sentences.append(f"{name} is left out: its files ({files}) are not in the data folder.")
        else:
            sentences.append(f"{name} is left out: the catalog has no set of this name.")
    return available_names, sentences


def sample_rows(data: Dataset, rows: int, seed: int) -> tuple[FloatArray, str]:
    """Return all rows, or ``rows`` random ones of more, and a name for their content."""
    if data.n <= rows:
        return data.X, data.digest
    chosen = np.sort(np.random.default_rng(seed).permutation(data.n)[:rows])
    return data.X[chosen], f"{data.digest}:{rows}:{seed}"


def default_problem(data: Dataset) -> Problem:
    """Return the Gaussian kernel matrix of a data set at its default width (Zhang 2008, section 4)."""
    return Problem(data.name, data.X, Gaussian.from_width(default_width(data.X)), data.digest, data.y)
