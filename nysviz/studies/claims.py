"""Which of the papers' claims hold? The verdicts from the recorded runs, and those of a claim run again."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nysviz.datasets import catalog
from nysviz.engine import Run
from nysviz.engine.shared import engine, shared
from nysviz.numerics.memory import matrix_bytes
from nysviz.papers import claims as papers
from nysviz.papers.claims import CLAIMS, PAPERS, Claim, ClaimOutcome, ClaimVerdict, Records, recorded
from nysviz.papers.labels import data_label
from nysviz.papers.records import Stamp, describe_origin, origins, recorded_of
from nysviz.papers.tournament.answers import QUESTIONS, Answer, TournamentQuestion
from nysviz.papers.tournament.jobs import EXPERIMENT
from nysviz.papers.tournament.standings import TournamentBoard
from nysviz.studies.recorded import RecordedStudy
from nysviz.studies.study import Part, complete
from nysviz.text import counted, grouped, three_digits


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the test of each claim gives on the recorded rows, on which sets, and how they were made."""

    outcomes: dict[str, ClaimOutcome]
    sets: dict[str, tuple[str, ...]]
    answers: dict[str, Answer]
    origins: dict[str, dict[str, Any]]

    def runs(self, experiments: Sequence[str]) -> dict[str, str]:
        """Say of each recorded experiment how it was made."""
        return {name: describe_origin(self.origins[name]) for name in experiments if name in self.origins}

    def time_sentence(self, claim: Claim) -> str:
        """Say how long the recorded runs of a claim took."""
        seconds = sum(float(self.origins[name]["seconds"]) for name in self.runs(claim.experiments))
        return f"The recorded runs took {three_digits(seconds)} s."

    def of_claim(self, claim: Claim) -> dict[str, str]:
        """Return what the verdict of a claim rests on, in words."""
        outcome = self.outcomes[claim.id]
        data, repeats = data_titles(outcome.data) or "none", counted(outcome.repeats, "repeat")
        return {
            "Verdict": f"{outcome.label}.",
            "Claimed in": f"{PAPERS[claim.paper]}, {claim.place}.",
            "The runs say": outcome.statistic,
            "Reproduced when": claim.decides,
            "On": f"{data}; {repeats} at most. {sample_sentence(outcome)}",
            **{f"By {choice}": f"{options}." for choice, options in by_choice(outcome)},
            "Not recorded for this claim": f"{data_titles(outcome.absent) or 'none'}.",
            **self.runs(claim.experiments),
        }

    def of_question(self, question: TournamentQuestion) -> dict[str, str]:
        """Return what the answer to a question across the papers rests on, in words."""
        answer = self.answers[question.id]
        return {
            "Numbers": answer.statistic,
            "Answered by": question.decides,
            "On": f"{data_titles(answer.data)}; means of {counted(answer.repeats, 'repeat')}.",
            **self.runs((EXPERIMENT,)),
        }


@shared()
def read_records(stamp: Stamp) -> Records:
    """Return the recorded rows, which are kept apart from the verdicts."""
    return recorded(left_out=[EXPERIMENT])


@shared()
def judged(stamp: Stamp) -> Evidence:
    """Judge every claim by the recorded runs."""
    rows = read_records(stamp)
    board = TournamentBoard(recorded_of(EXPERIMENT))
    return Evidence(
        {claim.id: claim.judge(rows) for claim in CLAIMS.values()},
        {claim.id: papers.recorded_sets(claim, rows) for claim in CLAIMS.values()},
        {question.id: question.answer(board) for question in QUESTIONS.values()},
        origins(),
    )


def by_choice(outcome: ClaimOutcome) -> list[tuple[str, str]]:
    """Return each choice with the verdicts of its options."""
    options: dict[str, dict[str, list[str]]] = {}
    for choice, verdict in outcome.alternatives:
        by_verdict = options.setdefault(choice.subject, {str(outcome.stated): [choice.stated]})
        name = "not tried" if verdict is ClaimVerdict.UNTESTED else str(verdict)
        by_verdict.setdefault(name, []).append(choice.alternative)

    def join_names(alternatives: Sequence[str]) -> str:
        left_out = [name for name in alternatives if name.startswith("without ")]
        if len(left_out) > 2:
            alternatives = [
                *(name for name in alternatives if name not in left_out),
                f"without any one of {len(left_out)}",
            ]
        return ", ".join(alternatives)

    return [
        (choice, "; ".join(f"{join_names(names)} → {verdict}" for verdict, names in by_verdict.items()))
        for choice, by_verdict in options.items()
    ]


def data_titles(names: Sequence[str]) -> str:
    """List data sets by their titles, separated by semicolons because some titles have commas."""
    return "; ".join(map(data_label, names))


def sample_sentence(outcome: ClaimOutcome) -> str:
    """Say of which data sets a sample was taken."""
    whole = {card.name: card.n for card in catalog()}
    samples = [
        f"{grouped(n)} of {grouped(whole[name])} rows of {data_label(name)}"
        for name, n in outcome.sizes.items()
        if name in whole and n < whole[name]
    ]
    return f"On {', '.join(samples)}." if samples else ""


def claims() -> "Claims":
    """Judge every claim of the papers by the recorded runs.

    ``python -m nysviz record EXPERIMENT`` makes the runs anew.

    Returns
    -------
    Claims
        With ``answer`` and ``table``, a row each claim: where it stands, what was tested on which data, the
        statistic, the verdict, and what it is by other choices; ``outcomes`` by the ids of the claims.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.claims()
    >>> bool(result.outcomes)
    True
    """
    return complete(Claims())


@dataclass(frozen=True, eq=False, kw_only=True)
class Claims(RecordedStudy):
    """The verdict on every claim, from the recorded runs."""

    name = "claims"
    question = "Which of the papers' claims hold?"

    evidence = Part(judged, "record", "Verdicts from the recorded runs", needed=True)

    @property
    def outcomes(self) -> dict[str, ClaimOutcome]:
        """The outcome of each claim, by its id."""
        return self.evidence.outcomes

    @property
    def answer(self) -> str:
        """Say how many claims hold."""
        if not self.has("evidence"):
            return ""
        count = Counter(outcome.verdict for outcome in self.outcomes.values())
        few = f", {count[ClaimVerdict.TOO_FEW]} rest on too few runs" if count[ClaimVerdict.TOO_FEW] else ""
        return (
            f"**{count[ClaimVerdict.REPRODUCED]} of {len(self.outcomes)} claims are reproduced**, "
            f"{count[ClaimVerdict.PARTLY]} partly, {count[ClaimVerdict.NOT]} not; "
            f"{count[ClaimVerdict.DEPENDS]} depend on a choice{few}."
        )

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return a row a claim: its place, what was tested on which data, the statistic, the verdict."""
        return [
            {
                "claim": claim.id,
                "paper": PAPERS[claim.paper],
                "place": claim.place,
                "statement": claim.statement,
                "reproduced_when": claim.decides,
                "data": ", ".join(outcome.data) or None,
                "sampled": sample_sentence(outcome) or None,
                "repeats": outcome.repeats,
                "statistic": outcome.statistic,
                "verdict": outcome.label,
                "by_other_choices": "; ".join(f"{choice}: {o}" for choice, o in by_choice(outcome)) or None,
            }
            for claim, outcome in ((claim, self.outcomes[claim.id]) for claim in CLAIMS.values())
        ]


def new_run(claim: Claim, names: tuple[str, ...], repeats: int) -> Run:
    """Return a run of a claim's experiments on some of its data, made now."""
    key = ("claim", claim.id, names, repeats)
    return engine().run(key, lambda: papers.jobs(claim, names, repeats, 0), matrix_bytes(), alone=True)


def recorded_on(claim: Claim, study: Claims, names: Sequence[str]) -> ClaimOutcome:
    """Judge a claim by the recorded runs on some of its data."""
    return papers.on_the_same(claim, read_records(study.record), names)


def compared(
    claim: Claim, all_data: ClaimOutcome, these_data: ClaimOutcome, rows: Sequence[Any]
) -> list[tuple[str, ClaimOutcome, str]]:
    """Return the record beside the rows of a new run, if there are any: name, outcome and what changed."""
    lines = [("recorded, all data", all_data, ""), ("recorded, these data", these_data, "")]
    if rows:
        outcome = claim.decide(Records(rows))
        changed = "≠ changed" if outcome.verdict is not these_data.verdict else "= the same verdict"
        if ClaimVerdict.TOO_FEW in (outcome.verdict, these_data.verdict):
            changed = "take more repeats to compare"
        lines.append(("run here, these data", outcome, changed))
    return lines
