"""What is written of each finding: a sentence, tables, remarks, and what its figure shows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nysviz.papers.findings.numbers import Mean
from nysviz.text import signed, three_digits


@dataclass(frozen=True)
class TextTable:
    """A table of words: its title, the heads of its columns, its rows, and the file of the same numbers."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    file: str


@dataclass(frozen=True)
class WrittenFinding:
    """A finding: its title, its sentence, its tables, and remarks by their subject."""

    title: str
    sentence: str
    tables: Sequence[TextTable]
    remarks: Mapping[str, str]


def span(values: Iterable[float]) -> str:
    """Write the smallest and the largest of these numbers."""
    low, *_, high = [three_digits(value) for value in sorted(values)] * 2
    return low if low == high else f"{low} to {high}"


def with_interval(mean: Mean) -> str:
    """Write a mean with its interval."""
    return f"{signed(mean.value)} ({signed(mean.low)} … {signed(mean.high)})"


# What the figure of each shows.
CAPTIONS = {
    "gain": (
        "The error of uniform sampling divided by that of the best method, chosen afterwards; 1 is "
        "nothing to gain. The choice matters most where the eigenvalues fall fast, and there it matters "
        "more with more landmarks. Bars are 95 % intervals over data sets."
    ),
    "methods": (
        "Each row is a method, ranked by its error at equal kernel evaluations; 1, at the left, is the best. "
        "Small marks are data sets, the large one is their mean. Methods with their mean in the grey band "
        "are not significantly behind the first."
    ),
    "rows": (
        "How many times the error of landmarks that are rows of the data is that of landmarks that are not; "
        "above 1 rows have the larger error. Bars are 95 % intervals over data sets."
    ),
    "features": (
        "How many times the test error of random Fourier features is that of Nyström features with as many "
        "columns; above 1 Nyström predicts better. A line is a mixture with this eigengap; bars are 95 % "
        "intervals over repeats."
    ),
    "prediction": (
        "Each mark is the share of cases in which a learner that is given K̃ in place of K loses next to "
        "nothing: at most 0.25 percentage points of its test error. Higher is better; read from left to "
        "right how large the residual may be, in units of the ridge λ. Bars are 95 % intervals over data "
        "sets."
    ),
    "decision": (
        "Find the row of your data by the error of the best rank 100 on 1000 random rows, and the column of "
        "your kernel by what one evaluation costs: the cell names the method that reaches an error in the "
        "fewest seconds. In a pale cell it takes on average more than 1.2 times as long as the fastest."
    ),
}
