"""Who takes part, on which rows, and at which bandwidths and numbers of landmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.datasets import Dataset, load
from nysviz.kernels import Gaussian, default_width
from nysviz.landmarks import METHODS
from nysviz.papers.oglic2017.lift import sampled
from nysviz.refusal import Refusal
from nysviz.rows import checked_rows

EXPERIMENT = "tournament"
# Each paper's champion, the newer methods, and the random choice that all of them want to beat.
CONTESTANTS = (
    "uniform",
    "kmeans",
    "kmeanspp_lloyd",
    "greedy",
    "partition_greedy",
    "rpcholesky",
    "leverage",
    "rls",
    "dpp",
)
# Their names in sentences that list several of them have no commas.
NAMES = {name: METHODS[name].listed for name in CONTESTANTS}
# As uniform sampling draws: a row that is drawn twice adds no rank.
OPTIONS: dict[str, dict[str, object]] = {"leverage": {"replacement": "without"}}
FLOOR = "svd"
MULTIPLES = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
PERCENTS = (1, 2, 5, 10)
# Cheap methods are taken further: at the cost of a dear one they could have had more landmarks.
FURTHER = {"uniform": (20, 40), "kmeans": (20,), "rpcholesky": (20, 40)}
# Of larger sets so many random rows: 45 kernel matrices a set and their eigenvalues take minutes, not hours.
ROWS = 1_500
# One per cent of fewer rows is no landmark.
FEWEST_ROWS = 100
SEPARATOR = "@width="

# Left out: adult and forest, whose rows are those of adult1a and covtype, since data sets are to be
# independent; documents, which are sparse; generated sets, of which there are as many as one likes.
DATA = (
    "digits",
    "breast_cancer",
    "wine",
    "diabetes",
    "iris",
    "china_patches",
    "flower_patches",
    "german",
    "splice",
    "adult1a",
    "dna",
    "segment",
    "w1a",
    "svmguide1a",
    "satimage",
    "usps",
    "cpu",
    "census",
    "cod-rna",
    "covtype",
    "elevators",
    "ailerons",
    "delta_ailerons",
    "cal_housing",
    "ujil",
    "ct_slice",
    "mnist",
    "yaleb",
    "pie",
)
EMBEDDED = DATA[:7]


@dataclass(frozen=True, eq=False)
class Arena:
    """The rows of one data set on which all methods meet.

    Attributes
    ----------
    name : str
        For the records.
    X : (n, d) array
    digest : str
        Names the content of X.
    width : float
        Default width of these rows (Zhang 2008): their mean squared distance to the mean.
    """

    name: str
    X: FloatArray
    digest: str
    width: float

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    def kernel(self, multiple: float) -> Gaussian:
        """The Gaussian kernel at a multiple of the default width."""
        return Gaussian.from_width(multiple * self.width)

    def count(self, percent: float) -> int:
        """Landmarks that are so many per cent of the rows."""
        return count_of(self.n, percent)


def count_of(n: int, percent: float) -> int:
    """Landmarks m that are so many per cent of n rows, at least one."""
    return max(1, round(n * percent / 100))


def arena_of(data: Dataset | str, seed: int = 0, rows: int = ROWS) -> Arena:
    """Return all rows of a data set or ``rows`` random ones, the same for every repeat.

    Raises
    ------
    ValueError
        Sparse data, fewer than ``FEWEST_ROWS`` rows, or rows that are all equal.
    """
    data = load(data) if isinstance(data, str) else data
    if not isinstance(data.X, np.ndarray):
        raise Refusal(
            f"{data.name} is a sparse set of documents; the Gaussian kernel of the tournament takes dense "
            "rows."
        )
    X, digest = sampled(data, rows, seed)
    X = checked_rows(X)
    if len(X) < FEWEST_ROWS:
        raise Refusal(
            f"{data.title or data.name} has {len(X)} rows; the tournament takes up to 1 % of them as "
            f"landmarks and needs {FEWEST_ROWS} or more."
        )
    width = default_width(X)
    if not width > 0:
        raise Refusal("All rows are equal, so they suggest no bandwidth; choose other data.")
    return Arena(data.name, X, digest, width)


def label_of(name: str, multiple: float) -> str:
    """What a row calls its data: the name and the multiple of the default width."""
    return f"{name}{SEPARATOR}{multiple:.6g}"


def split_label(label: str) -> tuple[str, float]:
    """Name and multiple of ``label_of``."""
    name, _, multiple = label.rpartition(SEPARATOR)
    return name, float(multiple)
