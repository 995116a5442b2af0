"""All numbers of the findings together, and the verdicts on the claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nysviz.papers.claims import CLAIMS, Claim, ClaimOutcome, ClaimVerdict, Records, recorded
from nysviz.papers.findings import numbers
from nysviz.papers.findings.numbers import (
    CriterionRanking,
    DecayAdvice,
    DecayGain,
    ExcessError,
    GapRatio,
    Mean,
    RowRatio,
    SetRatio,
)
from nysviz.papers.records import FOLDER, describe_origin, origins, recorded_of
from nysviz.papers.tournament.jobs import EXPERIMENT
from nysviz.papers.tournament.standings import REFERENCE, TournamentBoard
from nysviz.text import capital

DECAYS = ("over 0.1 (slow)", "0.01 to 0.1", "0.001 to 0.01", "below 0.001 (fast)")
CHOICE_LABELS = {
    "svd": "best possible",
    "best": "best of all methods, in hindsight",
    "greedy": "greedy",
    "kmeans": "k-means centres",
    REFERENCE: "RPCholesky",
}


@dataclass(frozen=True, eq=False)
class Findings:
    """The numbers of all findings, and the verdicts on the claims."""

    board: TournamentBoard
    gains: Sequence[DecayGain]
    overall: Mapping[str, Mean]
    rankings: Sequence[CriterionRanking]
    rows: Sequence[RowRatio]
    gaps: Sequence[GapRatio]
    sets: Sequence[SetRatio]
    frequencies_on_mixtures: Sequence[float]
    frequencies_on_sets: Sequence[float]
    predictions: Mapping[str, Sequence[ExcessError]]
    advice: Sequence[DecayAdvice]
    outcomes: Mapping[str, ClaimOutcome]
    origins: Mapping[str, str]


def read_findings(folder: Path = FOLDER) -> Findings:
    """Compute the findings from the recorded runs of a folder."""
    records: Records = recorded(folder, left_out=[EXPERIMENT])
    board = TournamentBoard(recorded_of(EXPERIMENT, folder))
    return Findings(
        board,
        numbers.gains_by_decay(board),
        numbers.overall_gains(board),
        numbers.rankings(board),
        numbers.row_ratios(board),
        numbers.gap_ratios(records),
        numbers.set_ratios(records),
        [ratio.ratio.value for ratio in numbers.gap_ratios(records, columns_of_frequency=1)],
        [ratio.at_equal_columns for ratio in numbers.set_ratios(records, "rff")],
        {name: numbers.predictions(board, records, name) for name in ("test_error", "test_error_restricted")},
        numbers.advice(board),
        {claim.id: claim.judge(records) for claim in CLAIMS.values()},
        {name: describe_origin(origin) for name, origin in origins(folder).items()},
    )


def irreproducible(outcomes: Mapping[str, ClaimOutcome]) -> list[tuple[Claim, ClaimOutcome]]:
    """Return the claims that are not reproduced, or only by some choices."""
    verdicts = (ClaimVerdict.NOT, ClaimVerdict.DEPENDS)
    return [
        (CLAIMS[name], outcome)
        for verdict in verdicts
        for name, outcome in outcomes.items()
        if outcome.verdict is verdict
    ]


def explain_verdict(claim: Claim, outcome: ClaimOutcome) -> str:
    """Write the criterion that is not met, or the choices that change the verdict."""
    if outcome.verdict is ClaimVerdict.NOT:
        return f"Not met: {claim.decides}"
    others = [
        f"{choice.subject}: {choice.alternative} → {verdict}"
        for choice, verdict in outcome.alternatives
        if verdict not in (outcome.stated, ClaimVerdict.UNTESTED, ClaimVerdict.TOO_FEW)
    ]
    return f"{capital(str(outcome.stated))} as stated; by {'; '.join(others)}"
