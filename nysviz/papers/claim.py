"""A claim of a paper, the test that decides it, and the outcome of the test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from inspect import cleandoc
from types import MappingProxyType
from typing import Any

from nysviz.papers.labels import data_label
from nysviz.papers.records import Records
from nysviz.papers.row import catalog_name
from nysviz.text import listed, three_digits

PAPERS = MappingProxyType(
    {
        "zhang": "Zhang, Tsang & Kwok 2008",
        "farahat": "Farahat, Ghodsi & Kamel 2011",
        "yang": "Yang et al. 2012",
        "oglic": "Oglic & Gärtner 2017",
        "newer": "Newer papers",
    }
)


class Verdict(StrEnum):
    """What the records say of a claim."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not reproduced"
    DEPENDS = "depends on a choice"
    UNTESTED = "not testable here"


@dataclass(frozen=True)
class Choice:
    """Another reasonable way to decide a claim than the stated one, fixed before its outcome was looked at.

    Attributes
    ----------
    of, stated, other : str
        What is chosen, "the test kernel", the option of the stated criterion, and this one.
    settings : mapping
        Keyword arguments of the claim's test.
    rows : callable, optional
        From the claim's rows and all records to the rows that the test reads, none where none are recorded.
    """

    of: str
    stated: str
    other: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    rows: Callable[[Records, Records], Records] = lambda own, _: own


@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim's test.

    Attributes
    ----------
    statistic : str
        One line with the numbers that decide.
    numbers : tuple of (what, value)
        The test in detail.
    data : tuple of str
        Data sets that it rests on.
    repeats : int
        Of the method that has most of them.
    absent : tuple of str
        Data sets that the claim asks for and that were not at hand.
    sizes : mapping
        Number of rows of each data set.
    stated : Verdict, optional
        By the stated criterion alone, once other choices were tried.
    others : tuple of (Choice, Verdict)
        By each other choice; ``UNTESTED`` where it was not tried.
    """

    verdict: Verdict
    statistic: str
    numbers: tuple[tuple[str, str], ...] = ()
    data: tuple[str, ...] = ()
    repeats: int = 0
    absent: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    stated: Verdict | None = None
    others: tuple[tuple[Choice, Verdict], ...] = ()

    def deciding(self) -> tuple[tuple[Choice, Verdict], ...]:
        """Return the choices under which the verdict is another one than the stated."""
        return tuple(pair for pair in self.others if pair[1] not in (self.stated, Verdict.UNTESTED))

    @property
    def label(self) -> str:
        """The verdict, or what it depends on."""
        of = tuple(dict.fromkeys(choice.of for choice, _ in self.deciding()))
        return f"depends on {listed(of)}" if of else str(self.verdict)


Test = Callable[..., Outcome]
NO_RUN = "no recorded run yet"
DATA_SETS = "the data sets"


def found(verdict: Verdict, statistic: str, numbers: Mapping[str, str | float]) -> Outcome:
    """Return the outcome of a test; the claim adds the data and repeats of the rows."""
    texts = {
        what: value if isinstance(value, str) else three_digits(value) for what, value in numbers.items()
    }
    return Outcome(verdict, statistic, tuple(texts.items()))


def untried(of: str, stated: str, other: str) -> Choice:
    """Return a choice of which no run is recorded."""
    return Choice(of, stated, other, rows=lambda *_: Records())


def fewer_trials(stated: int, other: int) -> Choice:
    """Return the choice of fewer repeats."""

    def rows(own: Records, _: Records) -> Records:
        return Records(row for row in own if row.repeat < other)

    return Choice("the number of trials", str(stated), str(other), rows=rows)


@dataclass(frozen=True)
class Claim:
    """One checkable statement.

    Attributes
    ----------
    id, paper : str
        A letter for the paper (e for the newer ones) and a number, and a key of ``PAPERS``.
    place : str
        Where the paper says it, or which of the newer papers does.
    statement, decides : str
        In this project's words, and the criterion.
    experiments : tuple of str
        Whose rows the test reads.
    test : callable
        From records of these experiments, and the settings of a choice, to an outcome.
    page, link : str, mapping
        Where the evidence can be seen live: a file in ``pages`` and its query parameters.
    asked : tuple of str
        Data sets that the claim rests on in the paper.
    choices : tuple of Choice
        Besides those of data sets, which every claim has.
    """

    id: str
    paper: str
    place: str
    statement: str
    decides: str
    experiments: tuple[str, ...]
    test: Test
    page: str
    link: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()

    def judge(self, records: Records) -> Outcome:
        """Apply the test to records by the stated criterion and by every other choice.

        Where their verdicts differ it is ``DEPENDS``, and the outcome says on what.
        """
        own = Records(row for name in self.experiments for row in records.of(name))
        stated = self.decide(own)
        if stated.verdict is Verdict.UNTESTED:
            return stated
        others = tuple(
            (choice, self.decide(choice.rows(own, records), **choice.settings).verdict)
            for choice in (*self.choices, *self._choices_of_data(own))
        )
        result = replace(stated, stated=stated.verdict, others=others)
        return replace(result, verdict=Verdict.DEPENDS) if result.deciding() else result

    def decide(self, own: Records, **settings: Any) -> Outcome:
        """Apply the test to rows of the claim's experiments; "not testable here" where one has no run."""
        missing = [name for name in self.experiments if not len(own.of(name))]
        if missing:
            return Outcome(Verdict.UNTESTED, f"{NO_RUN} of {', '.join(missing)}", absent=self.asked)
        result = self.test(own, **settings)
        there = {catalog_name(name) for name in own.data}
        return replace(
            result,
            data=result.data or own.data,
            repeats=own.repeats,
            absent=tuple(name for name in self.asked if name not in there),
            sizes=own.sizes,
        )

    def _choices_of_data(self, own: Records) -> Iterator[Choice]:
        """Yield the paper's sets alone, and all sets but one."""
        names = {catalog_name(name) for name in own.data}
        kept = {"the paper's alone": set(self.asked)} if self.asked and names - set(self.asked) else {}
        if len(names) > 1:
            kept |= {f"without {data_label(name)}": names - {name} for name in sorted(names)}
        for other, those in kept.items():
            yield Choice(DATA_SETS, "all", other, rows=partial(_only, those))


def _only(names: Collection[str], own: Records, _: Records) -> Records:
    return Records(row for row in own if catalog_name(row.data) in names)


def claim(paper: str, into: list[Claim], id: str, *experiments: str, **more: Any) -> Callable[[Test], Test]:
    """Return a decorator that appends the claim which the decorated test decides.

    The first paragraph of the test's docstring states the claim, the second one the criterion.
    """

    def add(test: Test) -> Test:
        statement, decides = cleandoc(test.__doc__ or "").split("\n\n")
        into.append(
            Claim(
                id,
                paper,
                statement=statement,
                decides=" ".join(decides.split()),
                experiments=experiments,
                test=test,
                **more,
            )
        )
        return test

    return add


def on_every(holds: Mapping[str, bool], direction: bool = False) -> Verdict:
    """Reproduced where it holds on every set; partly on some, or where at least its direction does."""
    if not holds:
        return Verdict.UNTESTED
    if all(holds.values()):
        return Verdict.REPRODUCED
    return Verdict.PARTLY if direction or any(holds.values()) else Verdict.NOT


def on_most(holds: Mapping[str, bool]) -> Verdict:
    """Reproduced where it holds on more than half of the sets, partly where on fewer."""
    return Verdict.REPRODUCED if 2 * sum(holds.values()) > len(holds) else on_every(holds)


def both(first: bool, second: bool) -> Verdict:
    """Reproduced where both parts of a statement hold, partly where one does."""
    return on_every({"first": first, "second": second})


def counted(holds: Mapping[Any, bool], of: str = "data sets") -> str:
    """Write "5 of 7 data sets"."""
    return f"{sum(holds.values())} of {len(holds)} {of}"


def failing(holds: Mapping[str, bool]) -> str:
    """Names for which it does not hold."""
    return ", ".join(name for name, yes in holds.items() if not yes) or "none"
