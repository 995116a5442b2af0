"""Every experiment by its id: what it is, on which data, and where its code stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from nysviz.datasets import Dataset, catalog
from nysviz.kernels import Gaussian, default_width
from nysviz.papers.output import pivot
from nysviz.papers.row import Row
from nysviz.papers.tournament.jobs import DATA as TOURNAMENT
from nysviz.papers.tournament.jobs import EMBEDDED
from nysviz.sweep import Problem

# The data sets of each paper's experiments, and small ones that come along.
ZHANG = ("german", "splice", "adult1a", "dna", "segment", "w1a", "svmguide1a", "satimage")
YANG = ("cpu", "census", "adult", "cod-rna", "covtype", "forest")
OGLIC = ("elevators", "ailerons", "delta_ailerons", "cal_housing")
SMALL = ("digits", "breast_cancer")
# Of the newer papers' claims: any rows, and rows with values to predict.
COLUMNS = ("clusters", *SMALL, "german", "segment", "cal_housing")
REGRESSION = ("cpu", "elevators", "delta_ailerons", "cal_housing")


@dataclass(frozen=True)
class Experiment:
    """A published figure or table, or the comparison that none of the papers made.

    Attributes
    ----------
    code : str
        Below ``nysviz.papers``: the function (names, repeats, seed) that yields rows, loaded when it is
        needed. Its module may have a ``table(rows)`` that sets them beside what is printed.
    data : tuple of str
        The data sets of the paper.
    repeats : int
        As in the paper.
    measures : tuple of str
        Those that are shown as tables.
    embedded : tuple of str
        What to begin with where no file of the paper's data is at hand.
    timed : bool
        Whether the seconds of the first one are shown too.
    """

    title: str
    code: str
    data: tuple[str, ...]
    repeats: int
    measures: tuple[str, ...] = ()
    embedded: tuple[str, ...] = SMALL
    timed: bool = False

    def reproduce(self, names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
        """Yield the rows of the experiment as they are measured.

        Parameters
        ----------
        names : sequence of str
            Data sets of the catalog.
        repeats : int
            Of what is random; run r has the seed ``seed + r``.
        """
        yield from getattr(self._module(), self.code.rpartition(".")[2])(names, repeats, seed)

    def _module(self) -> ModuleType:
        return import_module(f"nysviz.papers.{self.code.rpartition('.')[0]}")

    def table(self, rows: Sequence[Row]) -> str:
        """Set measured numbers beside printed ones, then the claims that these rows decide, as text."""
        # Imported late: the tests of all claims are a second's worth of code.
        from nysviz.papers.claims import judged

        parts = [pivot(rows, measure, measure) for measure in self.measures]
        if self.timed:
            parts.append(pivot(rows, self.measures[0], "seconds", field="seconds"))
        module = self._module()
        parts += [module.table(rows)] if hasattr(module, "table") else []
        return "\n".join([*filter(None, parts), *judged(rows)])


EXPERIMENTS: dict[str, Experiment] = {
    "zhang-fig1": Experiment(
        "Frobenius error against m/n for five schemes",
        "zhang2008.figure1.reproduce",
        ZHANG,
        20,
        ("frobenius",),
    ),
    "zhang-fig2": Experiment(
        "error against quantization error, m = 100",
        "zhang2008.figure2.reproduce",
        ("german",),
        100,
        ("frobenius", "quantization"),
    ),
    "zhang-table3": Experiment(
        "misalignment of the top three kernel principal components, m = 0.05 n",
        "zhang2008.table3.reproduce",
        ZHANG,
        20,
    ),
    "zhang-table4": Experiment(
        "test error of the LS-SVM on pairs of digits, m = 0.05 n and 0.1 n",
        "zhang2008.table4.reproduce",
        ("usps",),
        20,
        embedded=("digits",),
    ),
    "zhang-prop3": Experiment(
        "the error and its bound (proposition 3)",
        "zhang2008.figure1.reproduce_bound",
        ZHANG,
        20,
        ("frobenius", "bound"),
    ),
    "yang-fig1": Experiment(
        "two balls: spectrum, eigenvectors and accuracy",
        "yang2012.figure1.reproduce",
        ("two_balls",),
        10,
        ("test_error", "cosine"),
    ),
    "yang-fig2": Experiment(
        "Nyström against random Fourier features: error on test data",
        "yang2012.figure2.reproduce",
        YANG,
        10,
        ("mse", "test_error"),
        ("diabetes", "digits"),
    ),
    "farahat-fig1": Experiment(
        "relative accuracy and seconds of rank-d approximations against columns",
        "farahat2011.figure1.reproduce",
        ("mnist", "yaleb", "la1"),
        10,
        ("relative_accuracy", "classical_accuracy", "seconds"),
        ("digits",),
    ),
    "yang-fig3": Experiment("eigenvalues and the largest eigengap", "yang2012.figure3.reproduce", YANG, 1),
    "oglic-fig1": Experiment(
        "lift against bandwidth, rank 100", "oglic2017.figures.figure1", OGLIC, 10, ("lift",)
    ),
    "oglic-fig2": Experiment(
        "seconds against error over the bandwidths, rank 100",
        "oglic2017.figures.figure2",
        OGLIC,
        10,
        ("relative_frobenius",),
        timed=True,
    ),
    "oglic-fig3": Experiment(
        "lift against rank 5 … 100 at 1/median", "oglic2017.figures.figure3", OGLIC, 10, ("lift",)
    ),
    "oglic-ranks": Experiment(
        "rank 100 from k, k ln k and k ln n landmarks",
        "oglic2017.figures.landmark_rules",
        OGLIC,
        10,
        ("lift",),
    ),
    "newer-columns": Experiment(
        "errors of columns, pivots and sketches beside their bounds and estimates",
        "newer.measurements.columns",
        COLUMNS,
        20,
        ("over_best", "bound"),
        ("clusters", *SMALL),
    ),
    "newer-preconditioner": Experiment(
        "condition numbers and iterations of (K + μI) x = b with Nyström preconditioners",
        "newer.measurements.preconditioners",
        COLUMNS[1:],
        10,
        ("condition", "iterations"),
    ),
    "newer-evidence": Experiment(
        "gap from the variational bound of a Gaussian process to its evidence",
        "newer.measurements.evidence",
        (*REGRESSION, "diabetes"),
        10,
        ("gap",),
        ("diabetes", "swiss_roll"),
    ),
    "newer-centres": Experiment(
        "test error of ridge regression on √n ln n centres",
        "newer.measurements.centres",
        REGRESSION,
        10,
        ("mse",),
        ("diabetes", "swiss_roll"),
    ),
    "tournament": Experiment(
        "each paper's champion and the newer methods against each other (in no paper)",
        "tournament.standings.reproduce",
        TOURNAMENT,
        5,
        embedded=EMBEDDED,
    ),
}


def problem_of(data: Dataset) -> Problem:
    """Return the Gaussian kernel matrix of a data set at its default width (Zhang 2008, section 4)."""
    return Problem(data.name, data.X, Gaussian.from_width(default_width(data.X)), data.digest, data.y)


def at_hand(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tell which data sets can be loaded, and why others cannot.

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
