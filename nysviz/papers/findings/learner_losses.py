"""What it costs learners that are given K̃ in place of K, by the size of the matrix error."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from nysviz.papers.claims import Records
from nysviz.papers.findings.learners import EXACT, EXPERIMENT, LEARNERS
from nysviz.papers.findings.numbers import MARGIN, Mean
from nysviz.papers.statistics import interval, spearman
from nysviz.papers.tournament.jobs import split_label

# Lower ends of the groups of cases by the relative error of K̃, and by ‖K − K̃‖₂/λ.
ERROR_ENDS = (0.0, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
RIDGE_ENDS = (0.0, 1.0, 10.0, 100.0, 1_000.0)


@dataclass(frozen=True)
class LearnerLoss:
    """A case: means over the repeats of one method at one m, on a data set at one bandwidth.

    ``loss`` is the test error less that of the same learner with K, in percentage points; ``over_ridge`` is
    ‖K − K̃‖₂/λ.
    """

    data: str
    multiple: float
    method: str
    m: int
    learner: str
    error: float
    over_ridge: float
    loss: float


@dataclass(frozen=True)
class LossShare:
    """The cases of a learner whose matrix error is in a group: in which share of them little is lost.

    ``share`` is a mean over the data sets, with its interval; ``without_loss`` counts cases.
    """

    learner: str
    low: float
    high: float
    sets: int
    cases: int
    without_loss: int
    share: Mean

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval, within 0 to 1."""
        return max(0.0, self.share.low), min(1.0, self.share.high)


def group_label(share: LossShare) -> str:
    """Name the group of matrix errors of a share."""
    if share.low == 0:
        return f"below {share.high:g}"
    return f"{share.low:g} or more" if share.high == np.inf else f"{share.low:g} to {share.high:g}"


def learner_losses(records: Records) -> list[LearnerLoss]:
    """Return the losses of all methods, matrices and learners."""
    losses = []
    for label, mine in records.of_experiments(EXPERIMENT).by_data().items():
        data, multiple = split_label(label)
        errors = mine.where(measure="relative_frobenius").by("method", "m")
        over_ridge = mine.where(measure="residual_over_ridge").by("method", "m")
        for learner in LEARNERS:
            test_errors = mine.where(measure=f"{learner}_error").by("method", "m")
            (exact,) = (values for (method, _), values in test_errors.items() if method == EXACT)
            losses += [
                LearnerLoss(
                    data,
                    multiple,
                    method,
                    m,
                    learner,
                    float(np.exp(np.log(values).mean())),
                    float(np.exp(np.log(over_ridge[method, m]).mean())),
                    float((test_errors[method, m] - exact).mean()),
                )
                for (method, m), values in errors.items()
            ]
    return losses


def shares(
    losses: Sequence[LearnerLoss],
    size: Callable[[LearnerLoss], float],
    ends: Sequence[float],
    margin: float = MARGIN,
) -> list[LossShare]:
    """Return, for each learner and group of sizes, the share of cases that lose at most the margin."""
    results = []
    for learner in LEARNERS:
        mine = [loss for loss in losses if loss.learner == learner]
        for low, high in zip(ends, (*ends[1:], np.inf), strict=True):
            by_data: dict[str, list[bool]] = defaultdict(list)
            for loss in mine:
                if low <= size(loss) < high:
                    by_data[loss.data].append(loss.loss <= margin)
            if by_data:
                cases, passed = (sum(map(count, by_data.values())) for count in (len, sum))
                share = Mean(*interval([fmean(each) for each in by_data.values()]))
                results.append(LossShare(learner, low, high, len(by_data), cases, passed, share))
    return results


def loss_correlations(
    losses: Sequence[LearnerLoss], learner: str, size: Callable[[LearnerLoss], float]
) -> Mean:
    """Return the rank correlation of loss and size on each matrix, a mean over the data sets."""
    matrices: dict[str, dict[float, list[LearnerLoss]]] = defaultdict(lambda: defaultdict(list))
    for loss in losses:
        if loss.learner == learner:
            matrices[loss.data][loss.multiple].append(loss)
    return Mean(
        *interval(
            [
                fmean(
                    spearman([size(loss) for loss in each], [loss.loss for loss in each])
                    for each in by_width.values()
                )
                for by_width in matrices.values()
            ]
        )
    )
