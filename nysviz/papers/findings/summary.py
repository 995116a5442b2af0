"""All numbers of the findings together, and the verdicts on the claims."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from nysviz.lazy import lazy_property
from nysviz.papers.claims import CLAIMS, Claim, ClaimOutcome, ClaimVerdict, Records, recorded
from nysviz.papers.findings import decision, numbers
from nysviz.papers.findings.decision import AdviceTrial, ErrorTask, MethodAdvice
from nysviz.papers.findings.learner_losses import (
    ERROR_ENDS,
    RIDGE_ENDS,
    LearnerLoss,
    LossShare,
    learner_losses,
    shares,
)
from nysviz.papers.findings.many_rows import HELD_OUT, SIZES
from nysviz.papers.findings.many_rows_errors import ManyRowsRatio, many_rows_ratios
from nysviz.papers.findings.numbers import (
    CriterionRanking,
    DecayGain,
    DecayRanks,
    ExcessError,
    GapRatio,
    Mean,
    RowRatio,
    SetRatio,
)
from nysviz.papers.records import FOLDER, recorded_of
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


class Findings:
    """The numbers of all findings and the verdicts on the claims, each computed at its first use."""

    def __init__(self, board: TournamentBoard, records: Records) -> None:
        """Take the tournament, and the records of the other experiments."""
        self.board, self.records = board, records

    @lazy_property
    def gains(self) -> Sequence[DecayGain]:
        """The gain of each choice over uniform sampling, for each decay and m/n."""
        return numbers.gains_by_decay(self.board)

    @lazy_property
    def overall(self) -> Mapping[str, Mean]:
        """The gain of each choice over all data sets."""
        return numbers.overall_gains(self.board)

    @lazy_property
    def rankings(self) -> Sequence[CriterionRanking]:
        """The mean ranks by each criterion."""
        return numbers.rankings(self.board)

    @lazy_property
    def rows(self) -> Sequence[RowRatio]:
        """The error of landmarks that are rows over that of others, at each bandwidth."""
        return numbers.row_ratios(self.board)

    @lazy_property
    def gaps(self) -> Sequence[GapRatio]:
        """The error of random features over Nyström's, for each eigengap and number of columns."""
        return numbers.gap_ratios(self.records)

    @lazy_property
    def sets(self) -> Sequence[SetRatio]:
        """The same on data sets, at equal columns and at equal seconds."""
        return numbers.set_ratios(self.records)

    @lazy_property
    def frequencies_on_mixtures(self) -> Sequence[float]:
        """The ratios where m frequencies stand against m columns."""
        return [ratio.ratio.value for ratio in numbers.gap_ratios(self.records, columns_of_frequency=1)]

    @lazy_property
    def frequencies_on_sets(self) -> Sequence[float]:
        """The same on data sets."""
        return [ratio.at_equal_columns for ratio in numbers.set_ratios(self.records, "rff")]

    @lazy_property
    def predictions(self) -> Mapping[str, Sequence[ExcessError]]:
        """Matrix error and excess test error, by the kernel of the test rows."""
        kernels = ("test_error", "test_error_restricted")
        return {name: numbers.predictions(self.board, self.records, name) for name in kernels}

    @lazy_property
    def losses(self) -> Sequence[LearnerLoss]:
        """What K̃ in place of K costs two learners."""
        return learner_losses(self.records)

    @lazy_property
    def shares_by_error(self) -> Sequence[LossShare]:
        """The share of cases without loss for each group of relative errors."""
        return shares(self.losses, lambda loss: loss.error, ERROR_ENDS)

    @lazy_property
    def shares_by_ridge(self) -> Sequence[LossShare]:
        """The same by the largest eigenvalue of K − K̃ over the ridge."""
        return shares(self.losses, lambda loss: loss.over_ridge, RIDGE_ENDS)

    @lazy_property
    def ranks_by_decay(self) -> Sequence[DecayRanks]:
        """The mean ranks at equal m for each decay."""
        return numbers.ranks_by_decay(self.board)

    @lazy_property
    def many_rows(self) -> Sequence[ManyRowsRatio]:
        """The errors on many rows over that of RPCholesky, by each criterion."""
        return many_rows_ratios(self.records, [*SIZES, *HELD_OUT])

    @lazy_property
    def tasks(self) -> Sequence[ErrorTask]:
        """The tasks that the advice rests on."""
        return decision.tasks(self.records, SIZES)

    @lazy_property
    def advice(self) -> Mapping[tuple[int, float], MethodAdvice]:
        """The method for each decay and cost of a kernel evaluation."""
        return decision.advise(self.tasks)

    @lazy_property
    def unseen(self) -> Sequence[ErrorTask]:
        """The tasks on data that the advice has not seen."""
        return decision.tasks(self.records, HELD_OUT)

    @lazy_property
    def trials(self) -> Sequence[AdviceTrial]:
        """The trials of the advice on them."""
        return decision.trials(self.unseen, self.advice)

    @lazy_property
    def trials_by_error(self) -> Sequence[AdviceTrial]:
        """The trials of an advice that also knows how small the error has to be."""
        return decision.trials_by_error(self.unseen, self.tasks)

    @lazy_property
    def outcomes(self) -> Mapping[str, ClaimOutcome]:
        """The outcome of each claim, by its id."""
        return {name: self.outcome(name) for name in CLAIMS}

    def outcome(self, claim: str) -> ClaimOutcome:
        """Judge a claim by the records."""
        return CLAIMS[claim].judge(self.records)


def read_findings(folder: Path = FOLDER) -> Findings:
    """Read the findings from the recorded runs of a folder."""
    records: Records = recorded(folder, left_out=[EXPERIMENT])
    return Findings(TournamentBoard(recorded_of(EXPERIMENT, folder)), records)


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
