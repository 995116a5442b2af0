"""A claim of a paper, the test that decides it, and the outcome of the test."""

import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from nysviz.papers.data import expand_groups
from nysviz.papers.labels import data_label
from nysviz.papers.records import Records, catalog_name
from nysviz.root import ROOT
from nysviz.text import listed, three_digits

NO_RUN = "no recorded run yet"
TABLE = tomllib.loads((ROOT / "datasets" / "claims.toml").read_text(encoding="utf-8"))


class Verdict(StrEnum):
    """What the records say of a claim."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not reproduced"
    DEPENDS = "depends on a choice"
    TOO_FEW = "too few runs"
    UNTESTED = "not testable here"


class TooFewRunsError(Exception):
    """Raised where no outcome of the runs could be significant: there are too few."""


@dataclass(frozen=True)
class Choice:
    """Another reasonable way to decide a claim than the stated one, fixed before its outcome was looked at.

    ``of`` is what is chosen, "the test kernel"; ``settings`` are keyword arguments of the claim's test, and
    ``rows`` makes the rows that it reads from the claim's own and all records.
    """

    of: str
    stated: str
    other: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    rows: Callable[[Records, Records], Records] = lambda own, _: own


@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim's test.

    ``statistic`` has the numbers that decide in one line, ``numbers`` the test in detail, (what, value) each.
    ``repeats`` are the most of any method, ``sizes`` the rows of each data set, ``absent`` the sets asked for
    that were not at hand. ``stated`` is the verdict by the stated criterion, ``others`` that by each other
    choice, ``UNTESTED`` where it was not tried.
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

    @property
    def deciding(self) -> tuple[str, ...]:
        """What is chosen where another choice gives another verdict than the stated."""
        same = (self.stated, Verdict.UNTESTED, Verdict.TOO_FEW)
        return tuple(dict.fromkeys(choice.of for choice, verdict in self.others if verdict not in same))

    @property
    def label(self) -> str:
        """The verdict, or what it depends on."""
        return f"depends on {listed(self.deciding)}" if self.deciding else str(self.verdict)


def untried(of: str, stated: str, other: str) -> Choice:
    """Return a choice of which no run is recorded."""
    return Choice(of, stated, other, rows=lambda *_: Records())


def fewer_trials(stated: int, other: int) -> Choice:
    """Return the choice of fewer repeats."""
    return Choice(
        "the number of trials",
        str(stated),
        str(other),
        rows=lambda own, _: Records(row for row in own if row.repeat < other),
    )


def limits(stated: float, *others: float) -> tuple[Choice, ...]:
    """Return the choices of another limit, an argument of the test."""
    return tuple(Choice("the limit", f"{stated:g}", f"{one:g}", {"limit": one}) for one in others)


@dataclass(frozen=True)
class Claim:
    """One checkable statement; ``datasets/claims.toml`` explains the fields that it gives.

    ``decides`` is the criterion in words. The test is given the rows of the experiments and the settings of a
    choice; every claim also has the choices of data sets.
    """

    id: str
    paper: str
    statement: str
    decides: str
    experiments: Sequence[str]
    test: Callable[..., Outcome]
    place: str
    page: str
    link: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()

    def judge(self, records: Records) -> Outcome:
        """Apply the test by the stated criterion and by every other choice; ``DEPENDS`` where they differ."""
        own = records.of(*self.experiments)
        stated = self.decide(own)
        if stated.verdict in (Verdict.UNTESTED, Verdict.TOO_FEW):
            return stated
        others = tuple(
            (choice, self._tested(choice.rows(own, records), **choice.settings).verdict)
            for choice in (*self.choices, *self._choices_of_data(own))
        )
        result = replace(stated, stated=stated.verdict, others=others)
        return replace(result, verdict=Verdict.DEPENDS) if result.deciding else result

    def decide(self, own: Records, **settings: Any) -> Outcome:
        """Apply the test to rows of the claim's experiments; "not testable here" where one has no run."""
        result = self._tested(own, **settings)
        there = {catalog_name(name) for name in own.data}
        return replace(
            result,
            data=result.data or own.data,
            repeats=own.repeats,
            absent=tuple(name for name in self.asked if name not in there),
            sizes=own.sizes,
        )

    def _tested(self, own: Records, **settings: Any) -> Outcome:
        there = {one.experiment for one in own.series}
        if missing := [name for name in self.experiments if name not in there]:
            return Outcome(Verdict.UNTESTED, f"{NO_RUN} of {', '.join(missing)}")
        try:
            return self.test(own, **settings)
        except TooFewRunsError as shortage:
            return Outcome(Verdict.TOO_FEW, str(shortage))

    def _choices_of_data(self, own: Records) -> Iterator[Choice]:
        """Yield the paper's sets alone, and all sets but one."""
        names = {catalog_name(name) for name in own.data}
        if self.asked and names - set(self.asked):
            yield _only_on(self.asked, "the paper's alone")
        if len(names) > 1:
            yield from (_only_on(names - {name}, f"without {data_label(name)}") for name in sorted(names))


def _only_on(names: Collection[str], other: str) -> Choice:
    return Choice("the data sets", "all", other, rows=lambda own, _: own.on(names))


def claim(id: str, *choices: Choice) -> Callable[[Callable[..., Outcome]], Claim]:
    """Return a decorator that makes a claim of the test which decides it, and whose docstring says how."""
    entry = TABLE[id]

    def made(test: Callable[..., Outcome]) -> Claim:
        return Claim(
            id=id,
            decides=" ".join((test.__doc__ or "").split()),
            test=test,
            choices=choices,
            **{**entry, "asked": expand_groups(entry.get("asked", ()))},
        )

    return made


def make_outcome(
    holds: Mapping[Any, bool] | Verdict,
    statistic: str,
    numbers: Mapping[str, str | float],
    partly: bool = False,
) -> Outcome:
    """Return the outcome of a test by ``on_every`` set, or partly where only something less holds."""
    verdict = holds if isinstance(holds, Verdict) else on_every(holds, partly)
    texts = {
        what: value if isinstance(value, str) else three_digits(value) for what, value in numbers.items()
    }
    return Outcome(verdict, statistic, tuple(texts.items()))


def on_every(holds: Mapping[Any, bool], partly: bool = False) -> Verdict:
    """Reproduced where it holds on every set; partly on some, or where at least something less holds."""
    if not holds:
        return Verdict.UNTESTED
    if all(holds.values()):
        return Verdict.REPRODUCED
    return Verdict.PARTLY if partly or any(holds.values()) else Verdict.NOT


def on_most(holds: Mapping[str, bool], partly: bool = False) -> Verdict:
    """Reproduced where it holds on more than half of the sets, partly on fewer or where less holds."""
    return Verdict.REPRODUCED if 2 * sum(holds.values()) > len(holds) else on_every(holds, partly)


def both(first: bool, second: bool) -> Verdict:
    """Reproduced where both parts of a statement hold, partly where one does."""
    return on_every({"first": first, "second": second})


def tally(holds: Mapping[Any, bool], of: str = "data sets") -> str:
    """Write "5 of 7 data sets"."""
    return f"{sum(holds.values())} of {len(holds)} {of}"
