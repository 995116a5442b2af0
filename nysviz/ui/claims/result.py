"""What the page "Claims" shows: the verdict on each claim, the rows of the CSV, the script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nysviz.datasets import catalog
from nysviz.papers import claims
from nysviz.papers.claim import Choice
from nysviz.papers.claims import CLAIMS, PAPERS, Outcome, Records, Verdict, recorded
from nysviz.papers.labels import data_label
from nysviz.papers.records import FOLDER, origins
from nysviz.papers.tournament.answers import QUESTIONS, Answer
from nysviz.text import grouped
from nysviz.ui.asking import shared

# Name, time of change and size of the recorded files: their content.
Stamp = tuple[tuple[str, int, int], ...]
PYTHON = """from nysviz.papers.claims import CLAIMS, recorded

records = recorded()
for claim in CLAIMS.values():
    found = claim.judge(records)
    print(claim.id, found.label, found.statistic, found.repeats, sep="\\t")

# The runs themselves, made anew: make reproduce, or python -m nysviz record zhang-fig1
"""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What each claim's test found in the recorded rows, on which recorded sets, and how they were made."""

    findings: dict[str, Outcome]
    sets: dict[str, tuple[str, ...]]
    answers: dict[str, Answer]
    origins: dict[str, dict[str, Any]]


def stamp() -> Stamp:
    """Name the content of the recorded files."""
    files = sorted(FOLDER.glob("*")) if FOLDER.exists() else []
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)


@shared()
def records(stamp: Stamp) -> Records:
    """Return the recorded rows, 25 MB, which are kept apart from what was found in them."""
    return recorded()


@shared()
def judged(stamp: Stamp) -> Evidence:
    """Judge every claim by the recorded runs."""
    rows = records(stamp)
    return Evidence(
        {claim.id: claim.judge(rows) for claim in CLAIMS.values()},
        {claim.id: claims.recorded_sets(claim, rows) for claim in CLAIMS.values()},
        {question.id: question.answer(rows) for question in QUESTIONS.values()},
        origins(),
    )


def by_choice(found: Outcome, others: Sequence[tuple[Choice, Verdict]]) -> list[tuple[str, str]]:
    """Return what is chosen, with the verdict by each option."""
    options: dict[str, dict[str, list[str]]] = {}
    for choice, verdict in others:
        of = options.setdefault(choice.of, {str(found.stated): [choice.stated]})
        name = "not tried" if verdict is Verdict.UNTESTED else str(verdict)
        of.setdefault(name, []).append(choice.other)
    return [
        (of, "; ".join(f"{_options(names)} → {verdict}" for verdict, names in by.items()))
        for of, by in options.items()
    ]


def _options(names: Sequence[str]) -> str:
    """List options; of many data sets that are left out in turn, their number."""
    left_out = [name for name in names if name.startswith("without ")]
    if len(left_out) < 3:
        return ", ".join(names)
    rest = [name for name in names if name not in left_out]
    return ", ".join([*rest, f"without any one of {len(left_out)}"])


def sampled(found: Outcome) -> str:
    """Say of which data sets a sample was taken."""
    whole = {card.name: card.n for card in catalog()}
    parts = [
        f"{grouped(n)} of {grouped(whole[name])} rows of {data_label(name)}"
        for name, n in found.sizes.items()
        if name in whole and n < whole[name]
    ]
    return f"On {', '.join(parts)}." if parts else ""


def rows(findings: Mapping[str, Outcome]) -> list[dict[str, object]]:
    """Return a row a claim: where it stands, what was tested on which data, the statistic, the verdict."""
    lines: list[dict[str, object]] = []
    for claim in CLAIMS.values():
        found = findings[claim.id]
        others = "; ".join(f"{of}: {options}" for of, options in by_choice(found, found.others))
        lines.append(
            {
                "claim": claim.id,
                "paper": PAPERS[claim.paper],
                "place": claim.place,
                "statement": claim.statement,
                "reproduced_when": claim.decides,
                "data": ", ".join(found.data) or None,
                "sampled": sampled(found) or None,
                "repeats": found.repeats,
                "statistic": found.statistic,
                "verdict": found.label,
                "by_other_choices": others or None,
            }
        )
    return lines
