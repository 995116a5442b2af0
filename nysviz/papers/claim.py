"""Claims of papers, the tests that decide them, and the outcomes of the tests."""

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


class ClaimVerdict(StrEnum):
    """Verdict of the records on a claim."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not reproduced"
    DEPENDS = "depends on a choice"
    TOO_FEW = "too few runs"
    UNTESTED = "not testable here"


class TooFewRunsError(Exception):
    """Raised where there are too few runs for any significant outcome."""


@dataclass(frozen=True)
class ClaimChoice:
    """A reasonable alternative to the stated way to decide a claim, fixed before its outcome was known.

    ``subject`` names what is chosen, "the test kernel"; ``settings`` are keyword arguments of the claim's
    test, and ``rows`` selects the rows that the test reads, from the claim's and from all records.
    """

    subject: str
    stated: str
    alternative: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    rows: Callable[[Records, Records], Records] = lambda claim_records, _: claim_records


@dataclass(frozen=True)
class ClaimOutcome:
    """The outcome of a claim's test.

    ``statistic`` has the deciding numbers in one line, ``numbers`` the test in detail, pairs of a name and a
    value. ``repeats`` is the most of any method, ``sizes`` the rows of each data set, ``absent`` the paper's
    sets without a run. ``stated`` is the verdict by the stated criterion, ``alternatives`` that by each other
    choice, ``UNTESTED`` where it was not tried.
    """

    verdict: ClaimVerdict
    statistic: str
    numbers: tuple[tuple[str, str], ...] = ()
    data: tuple[str, ...] = ()
    repeats: int = 0
    absent: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    stated: ClaimVerdict | None = None
    alternatives: tuple[tuple[ClaimChoice, ClaimVerdict], ...] = ()

    @property
    def deciding(self) -> tuple[str, ...]:
        """The subjects of the choices that give another verdict than the stated one."""
        same = (self.stated, ClaimVerdict.UNTESTED, ClaimVerdict.TOO_FEW)
        return tuple(
            dict.fromkeys(choice.subject for choice, verdict in self.alternatives if verdict not in same)
        )

    @property
    def label(self) -> str:
        """The verdict in words, or the choices that it depends on."""
        return f"depends on {listed(self.deciding)}" if self.deciding else str(self.verdict)


def untried(subject: str, stated: str, alternative: str) -> ClaimChoice:
    """Return a choice without a recorded run."""
    return ClaimChoice(subject, stated, alternative, rows=lambda *_: Records())


def fewer_trials(stated: int, alternative: int) -> ClaimChoice:
    """Return the choice of fewer repeats."""
    return ClaimChoice(
        "the number of trials",
        str(stated),
        str(alternative),
        rows=lambda claim_records, _: Records(row for row in claim_records if row.repeat < alternative),
    )


def limits(stated: float, *alternatives: float) -> tuple[ClaimChoice, ...]:
    """Return the choices of another limit, an argument of the test."""
    return tuple(
        ClaimChoice("the limit", f"{stated:g}", f"{limit:g}", {"limit": limit}) for limit in alternatives
    )


@dataclass(frozen=True)
class Claim:
    """One checkable statement; ``datasets/claims.toml`` explains the fields that it gives.

    ``decides`` is the criterion in words, ``paper_sets`` the table's ``asked``. The test takes the rows of
    the experiments and the settings of a choice; every claim also has the choices of data sets.
    """

    id: str
    paper: str
    statement: str
    decides: str
    experiments: Sequence[str]
    test: Callable[..., ClaimOutcome]
    place: str
    page: str
    link: Mapping[str, str] = field(default_factory=dict)
    paper_sets: tuple[str, ...] = ()
    choices: tuple[ClaimChoice, ...] = ()

    def judge(self, records: Records) -> ClaimOutcome:
        """Apply the test with the stated criterion and every other choice; ``DEPENDS`` where they differ."""
        claim_records = records.of_experiments(*self.experiments)
        stated = self.decide(claim_records)
        if stated.verdict in (ClaimVerdict.UNTESTED, ClaimVerdict.TOO_FEW):
            return stated
        alternatives = tuple(
            (choice, self._tested(choice.rows(claim_records, records), **choice.settings).verdict)
            for choice in (*self.choices, *self._choices_of_data(claim_records))
        )
        result = replace(stated, stated=stated.verdict, alternatives=alternatives)
        return replace(result, verdict=ClaimVerdict.DEPENDS) if result.deciding else result

    def decide(self, claim_records: Records, **settings: Any) -> ClaimOutcome:
        """Apply the test to rows of the claim's experiments; ``UNTESTED`` where one of them has no run."""
        result = self._tested(claim_records, **settings)
        recorded_names = {catalog_name(name) for name in claim_records.data}
        return replace(
            result,
            data=result.data or claim_records.data,
            repeats=claim_records.repeats,
            absent=tuple(name for name in self.paper_sets if name not in recorded_names),
            sizes=claim_records.sizes,
        )

    def _tested(self, claim_records: Records, **settings: Any) -> ClaimOutcome:
        recorded_experiments = {series.experiment for series in claim_records.series}
        if missing := [name for name in self.experiments if name not in recorded_experiments]:
            return ClaimOutcome(ClaimVerdict.UNTESTED, f"{NO_RUN} of {', '.join(missing)}")
        try:
            return self.test(claim_records, **settings)
        except TooFewRunsError as shortage:
            return ClaimOutcome(ClaimVerdict.TOO_FEW, str(shortage))

    def _choices_of_data(self, claim_records: Records) -> Iterator[ClaimChoice]:
        """Yield the paper's sets alone, and all sets but one."""
        names = {catalog_name(name) for name in claim_records.data}
        if self.paper_sets and names - set(self.paper_sets):
            yield _only_on(self.paper_sets, "the paper's alone")
        if len(names) > 1:
            yield from (_only_on(names - {name}, f"without {data_label(name)}") for name in sorted(names))


def _only_on(names: Collection[str], alternative: str) -> ClaimChoice:
    return ClaimChoice(
        "the data sets", "all", alternative, rows=lambda claim_records, _: claim_records.on(names)
    )


def claim(id: str, *choices: ClaimChoice) -> Callable[[Callable[..., ClaimOutcome]], Claim]:
    """Return a decorator that makes a claim from its test, whose docstring is the criterion in words."""
    entry = dict(TABLE[id])
    paper_sets = expand_groups(entry.pop("asked", ()))

    def make_claim(test: Callable[..., ClaimOutcome]) -> Claim:
        decides = " ".join((test.__doc__ or "").split())
        return Claim(id=id, decides=decides, test=test, choices=choices, paper_sets=paper_sets, **entry)

    return make_claim


def make_outcome(
    holds: Mapping[Any, bool] | ClaimVerdict,
    statistic: str,
    numbers: Mapping[str, str | float],
    partly: bool = False,
) -> ClaimOutcome:
    """Return the outcome of a test that is decided by ``on_every``, or by a given verdict."""
    verdict = holds if isinstance(holds, ClaimVerdict) else on_every(holds, partly)
    texts = {
        name: value if isinstance(value, str) else three_digits(value) for name, value in numbers.items()
    }
    return ClaimOutcome(verdict, statistic, tuple(texts.items()))


def on_every(holds: Mapping[Any, bool], partly: bool = False) -> ClaimVerdict:
    """Return REPRODUCED if it holds on every set, PARTLY if on some or if a weaker statement holds."""
    if not holds:
        return ClaimVerdict.UNTESTED
    if all(holds.values()):
        return ClaimVerdict.REPRODUCED
    return ClaimVerdict.PARTLY if partly or any(holds.values()) else ClaimVerdict.NOT


def on_most(holds: Mapping[str, bool], partly: bool = False) -> ClaimVerdict:
    """Return REPRODUCED if it holds on most sets, PARTLY if on fewer or if a weaker statement holds."""
    return ClaimVerdict.REPRODUCED if 2 * sum(holds.values()) > len(holds) else on_every(holds, partly)


def both(first: bool, second: bool) -> ClaimVerdict:
    """Return REPRODUCED if both parts of a statement hold, PARTLY if one does."""
    return on_every({"first": first, "second": second})


def tally(holds: Mapping[Any, bool], noun: str = "data sets") -> str:
    """Write "5 of 7 data sets"."""
    return f"{sum(holds.values())} of {len(holds)} {noun}"
