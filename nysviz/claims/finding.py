"""A claim of a paper, the test that decides it, and what the test found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from nysviz.claims.records import Records

PAPERS = MappingProxyType(
    {
        "zhang": "Zhang, Tsang & Kwok 2008",
        "farahat": "Farahat, Ghodsi & Kamel 2011",
        "yang": "Yang et al. 2012",
        "oglic": "Oglic & Gärtner 2017",
    }
)


class Verdict(StrEnum):
    """What the records say of a claim."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not reproduced"
    UNTESTED = "not testable here"


@dataclass(frozen=True)
class Finding:
    """The outcome of a claim's test.

    Attributes
    ----------
    verdict : Verdict
    statistic : str
        One line with the numbers that decide.
    data : tuple of str
        What it rests on.
    repeats : int
        Of the method that has most of them.
    numbers : tuple of (what, value)
        The test in detail.
    absent : tuple of str
        Data sets that the claim asks for and that were not at hand.
    """

    verdict: Verdict
    statistic: str
    data: tuple[str, ...] = ()
    repeats: int = 0
    numbers: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()


Test = Callable[[Records], Finding]
NO_RUN = "no recorded run yet"


@dataclass(frozen=True)
class Claim:
    """One checkable statement.

    Attributes
    ----------
    id : str
        Stable: a letter for the paper and a number.
    paper : str
        Key of ``PAPERS``.
    statement : str
        In this project's words.
    place : str
        Where the paper says it.
    decides : str
        The rule of the test in one or two sentences.
    experiments : tuple of str
        Whose rows the test reads.
    test : callable
        From records of these experiments to a finding.
    page : str
        Where the evidence can be seen live: the name of a file in ``pages``.
    link : mapping
        Query parameters of that page.
    asked : tuple of str
        Data sets that the claim rests on in the paper.
    """

    id: str
    paper: str
    statement: str
    place: str
    decides: str
    experiments: tuple[str, ...]
    test: Test
    page: str
    link: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] = ()

    def judge(self, records: Records) -> Finding:
        """Apply the test to records; "not testable here" where an experiment that it needs has no run."""
        missing = [name for name in self.experiments if not len(records.of(name))]
        if missing:
            return Finding(
                Verdict.UNTESTED,
                f"{NO_RUN} of {', '.join(missing)}" if self.experiments else NO_RUN,
                absent=self.asked,
            )
        mine = Records(row for name in self.experiments for row in records.of(name))
        found = self.test(mine)
        there = {name.split(" ", 1)[0] for name in mine.data}
        return replace(found, absent=tuple(name for name in self.asked if name not in there))


def on_every(holds: Mapping[str, bool], direction: bool = False) -> Verdict:
    """Reproduced where it holds on every set; partly on some, or where at least its direction does."""
    if not holds:
        return Verdict.UNTESTED
    if all(holds.values()):
        return Verdict.REPRODUCED
    return Verdict.PARTLY if direction or any(holds.values()) else Verdict.NOT


def on_most(holds: Mapping[str, bool]) -> Verdict:
    """Reproduced where it holds on more than half of the sets, partly where on fewer."""
    if not holds:
        return Verdict.UNTESTED
    count = sum(holds.values())
    if 2 * count > len(holds):
        return Verdict.REPRODUCED
    return Verdict.PARTLY if count else Verdict.NOT


def found(
    verdict: Verdict, statistic: str, records: Records, numbers: Iterable[tuple[str, str]] = ()
) -> Finding:
    """Return a finding with the data and repeats of the records that it rests on."""
    return Finding(verdict, statistic, records.data, records.repeats, tuple(numbers))


def counted(holds: Mapping[str, bool], of: str = "data sets") -> str:
    """Say "5 of 7 data sets"."""
    return f"{sum(holds.values())} of {len(holds)} {of}"


def named(holds: Mapping[str, bool], wanted: bool = True) -> str:
    """Names for which it holds, or does not."""
    return ", ".join(name for name, yes in holds.items() if yes is wanted) or "none"
