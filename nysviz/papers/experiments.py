"""Every experiment by its id: what it is, on which data, and where its code stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from nysviz.papers.row import Row
from nysviz.papers.tournament.setting import DATA as TOURNAMENT
from nysviz.papers.tournament.setting import EMBEDDED


@dataclass(frozen=True)
class Experiment:
    """A published figure or table, or the comparison that none of the papers made.

    Attributes
    ----------
    title : str
    module : str
        Below ``nysviz.papers``; its ``reproduce(names, repeats, seed)`` yields rows, its ``table(rows)``
        sets them beside what is printed.
    data : tuple of str
        The data sets of the paper.
    embedded : tuple of str
        What to begin with where none of their files is at hand.
    repeats : int
        As in the paper.
    """

    title: str
    module: str
    data: tuple[str, ...]
    embedded: tuple[str, ...]
    repeats: int

    def _code(self) -> Any:
        return import_module(f"nysviz.papers.{self.module}")

    def reproduce(self, names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
        """Yield the rows of the experiment as they are measured."""
        yield from self._code().reproduce(names, repeats, seed)

    def table(self, rows: Sequence[Row]) -> str:
        """Set measured numbers beside printed ones, as text."""
        return str(self._code().table(rows))


# The data sets of each paper's experiments, and small ones that come along.
ZHANG = ("german", "splice", "adult1a", "dna", "segment", "w1a", "svmguide1a", "satimage")
YANG = ("cpu", "census", "adult", "cod-rna", "covtype", "forest")
OGLIC = ("elevators", "ailerons", "delta_ailerons", "cal_housing")
SMALL = ("digits", "breast_cancer")

EXPERIMENTS: dict[str, Experiment] = {
    "zhang-fig1": Experiment(
        "Frobenius error against m/n for five schemes", "zhang2008.figure1", ZHANG, SMALL, 20
    ),
    "zhang-fig2": Experiment(
        "error against quantization error, m = 100", "zhang2008.figure2", ("german",), SMALL, 100
    ),
    "zhang-table3": Experiment(
        "misalignment of the top three kernel principal components, m = 0.05 n",
        "zhang2008.table3",
        ZHANG,
        SMALL,
        20,
    ),
    "zhang-table4": Experiment(
        "test error of the LS-SVM on pairs of digits, m = 0.05 n and 0.1 n",
        "zhang2008.table4",
        ("usps",),
        ("digits",),
        20,
    ),
    "zhang-prop3": Experiment("the error and its bound (proposition 3)", "zhang2008.bound", ZHANG, SMALL, 20),
    "yang-fig1": Experiment(
        "two balls: spectrum, eigenvectors and accuracy",
        "yang2012.figure1",
        ("two_balls",),
        ("two_balls",),
        10,
    ),
    "yang-fig2": Experiment(
        "Nyström against random Fourier features: error on test data",
        "yang2012.figure2",
        YANG,
        ("diabetes", "digits"),
        10,
    ),
    "farahat-fig1": Experiment(
        "relative accuracy and seconds of rank-d approximations against columns",
        "farahat2011.figure1",
        ("mnist", "yaleb", "la1"),
        ("digits",),
        10,
    ),
    "yang-fig3": Experiment("eigenvalues and the largest eigengap", "yang2012.figure3", YANG, SMALL, 1),
    "oglic-fig1": Experiment("lift against bandwidth, rank 100", "oglic2017.figure1", OGLIC, SMALL, 10),
    "oglic-fig2": Experiment(
        "seconds against error over the bandwidths, rank 100", "oglic2017.figure2", OGLIC, SMALL, 10
    ),
    "oglic-fig3": Experiment("lift against rank 5 … 100 at 1/median", "oglic2017.figure3", OGLIC, SMALL, 10),
    "oglic-ranks": Experiment(
        "rank 100 from K, K ln K and K ln n landmarks", "oglic2017.ranks", OGLIC, SMALL, 10
    ),
    "tournament": Experiment(
        "each paper's champion and the newer methods against each other (in no paper)",
        "tournament.contest",
        TOURNAMENT,
        EMBEDDED,
        5,
    ),
}
