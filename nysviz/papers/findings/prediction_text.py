"""How small a matrix error is small enough for a prediction, in words."""

from collections.abc import Callable, Sequence

from nysviz.datasets import catalog
from nysviz.papers.findings import numbers as findings
from nysviz.papers.findings.learner_losses import (
    ERROR_ENDS,
    RIDGE_ENDS,
    LearnerLoss,
    LossShare,
    group_label,
    loss_correlations,
    shares,
)
from nysviz.papers.findings.learners import LEARNERS, MULTIPLES, PERCENTS, TEST_ROWS, TRAINING_ROWS
from nysviz.papers.findings.numbers import MARGIN
from nysviz.papers.findings.summary import Findings
from nysviz.papers.findings.written import TextTable, WrittenFinding, with_interval
from nysviz.papers.labels import data_label, method_label, name_bandwidth
from nysviz.text import counted, grouped, listed, signed, three_digits

LEARNER_LABELS = {"ridge": "ridge regression", "svm": "support vector machine"}
ERROR_HEAD, RIDGE_HEAD = "‖K − K̃‖/‖K‖", "‖K − K̃‖₂/λ"


def write_prediction(numbers: Findings) -> WrittenFinding:
    """Write how small a matrix error is small enough for a prediction."""
    losses = numbers.losses
    sets = dict.fromkeys(loss.data for loss in losses)
    by_error, by_ridge = numbers.shares_by_error, numbers.shares_by_ridge
    below, few_times, *_, beyond = (_percents(by_ridge, low) for low in RIDGE_ENDS)
    sentence = (
        f"On **{counted(len(sets), 'data set')}** K̃ in place of K costs at most {MARGIN:g} percentage points "
        f"of test error in {_of_each(below)} where the largest eigenvalue of K − K̃ is below the ridge λ, "
        f"which {by_ridge[0].cases} of {counted(len(losses) // len(LEARNERS), 'case')} reach; at "
        f"1 to 10 times λ in {' and '.join(few_times)}, from {RIDGE_ENDS[-1]:g} times on in "
        f"{' and '.join(beyond)}. A relative error below {ERROR_ENDS[1]:g} alone says less: "
        f"{' and '.join(_percents(by_error, 0.0))}."
    )
    digits, about_digits = _write_digits(numbers)
    remarks = {
        "The runs": f"on {counted(len(sets), 'data set')} ({listed([data_label(name) for name in sets])}), "
        f"{grouped(TRAINING_ROWS)} random training rows or half of a smaller set, up to "
        f"{grouped(TEST_ROWS)} test rows, Gaussian kernel at "
        f"{listed([name_bandwidth(multiple) for multiple in MULTIPLES])}, σ the default bandwidth, m/n of "
        f"{listed([f'{percent:g}' for percent in PERCENTS])} %, uniform sampling, k-means centres and "
        "RPCholesky. Ridge regression (of classes: of ±1 for each) and the support vector machine are given "
        "K̃ in place of K, for test rows too; their λ and C are chosen with K, by leave-one-out and by "
        "cross-validation, and the λ of ridge regression is the unit for both. Test error: per cent of the "
        "test rows in a wrong class, or of the variance that is not explained.",
        "The shares": "a case is a method at one m, on a data set at one bandwidth, in the mean over five "
        f"divisions into training and test; it is without loss where its test error is at most {MARGIN:g} "
        "points above that with K. A share is a mean over the data sets with a 95 % interval. In brackets: "
        "cases, data sets.",
        "Which number says more": "mean rank correlation with the loss, on one matrix: "
        + "; ".join(_correlations(losses, learner) for learner in LEARNERS)
        + ".",
        "Other choices": _other_choices(losses),
        **about_digits,
        "Many landmarks": f"ridge regression with √n ln n centres (e13): {numbers.outcome('e13').statistic}.",
        "What would change it": "larger training sets, and λ and C chosen anew for K̃.",
    }
    tables = [
        _share_table(
            "cases without loss by the largest eigenvalue of K − K̃ over the ridge", RIDGE_HEAD, by_ridge
        ),
        _share_table("the same, by the relative error", ERROR_HEAD, by_error),
        digits,
    ]
    return WrittenFinding("Matrix error and test error", sentence, tables, remarks)


def _write_digits(numbers: Findings) -> tuple[TextTable, dict[str, str]]:
    """Write what the LS-SVM of Zhang 2008 loses on pairs of digits: its table and its remarks."""
    results, restricted = numbers.predictions.values()
    count, limit = findings.small_enough(results)
    beyond = results[count:]
    rhos = findings.error_correlation(results)
    by_cell = {(each.data, each.percent, each.method): each for each in restricted}
    rows = [
        [
            data_label(each.data),
            f"{each.percent:g}",
            method_label(each.method),
            three_digits(each.error),
            with_interval(each.excess),
            with_interval(by_cell[each.data, each.percent, each.method].excess),
        ]
        for each in results
    ]
    head = [
        "data set",
        "m/n, %",
        "method",
        "relative error",
        "excess, exact kernel",
        "excess, restricted kernel",
    ]
    correlation = ", ".join(f"{data_label(name)} {signed(rho)}" for name, rho in rhos.items())
    remarks = {
        "Pairs of digits": f"up to a relative error of {three_digits(limit)} the LS-SVM trained on K̃, with k "
        "between test and training rows, is in all "
        f"{count} cells at most {MARGIN:g} percentage points worse than the exact one (95 % interval over "
        f"{results[0].pairs} pairs, which share digits), beyond it in {findings.passing(beyond)} of "
        f"{len(beyond)}; with the restricted test kernel, that of K̃ by the landmarks, in "
        f"{findings.passing(restricted)} of {len(restricted)}. The matrix error is that of the tournament on "
        "1000 rows of the whole set, not of the pair's own matrix, which is not recorded. Rank correlation "
        f"of error and excess: {correlation}.",
    }
    return TextTable("LS-SVM on pairs of digits (Zhang 2008, table 4)", head, rows, "prediction"), remarks


def _share_table(title: str, head: str, results: Sequence[LossShare]) -> TextTable:
    groups = dict.fromkeys(group_label(share) for share in results)
    cells = {(group_label(share), share.learner): _share_text(share) for share in results}
    rows = [[group, *(cells.get((group, learner), "–") for learner in LEARNERS)] for group in groups]
    return TextTable(title, [head, *LEARNER_LABELS.values()], rows, "losses")


def _share_text(share: LossShare) -> str:
    low, high = share.ends
    interval = f"({100 * low:.0f} … {100 * high:.0f})"
    return f"{100 * share.share.value:.0f} % {interval} [{share.cases}, {share.sets}]"


def _correlations(losses: Sequence[LearnerLoss], learner: str) -> str:
    sizes: dict[str, Callable[[LearnerLoss], float]] = {
        ERROR_HEAD: lambda loss: loss.error,
        RIDGE_HEAD: _over_ridge,
    }
    texts = [
        f"{head} {with_interval(loss_correlations(losses, learner, size))}" for head, size in sizes.items()
    ]
    return f"{LEARNER_LABELS[learner]}: {', '.join(texts)}"


def _percents(results: Sequence[LossShare], low: float) -> list[str]:
    """Write the share of each learner in the group that begins here."""
    by_learner = {share.learner: share.share.value for share in results if share.low == low}
    return [
        f"{100 * by_learner[learner]:.0f} %" if learner in by_learner else "no run" for learner in LEARNERS
    ]


def _of_each(percents: Sequence[str]) -> str:
    ridge, svm = percents
    return f"**{ridge}** of the cases of ridge regression and **{svm}** of those of a support vector machine"


def _other_choices(losses: Sequence[LearnerLoss]) -> str:
    """Write the shares below the ridge with other margins, and for some of the cases."""
    tasks = {card.name: card.task for card in catalog()}
    choices = {f"margin {margin:g}": (losses, margin) for margin in (0.1, 1.0)}
    for multiple in MULTIPLES:
        some = [loss for loss in losses if loss.multiple == multiple]
        choices[name_bandwidth(multiple)] = some, MARGIN
    for task in ("classification", "regression"):
        choices[task] = [loss for loss in losses if tasks[loss.data] == task], MARGIN
    texts = [
        f"{name}, {' and '.join(_percents(shares(some, _over_ridge, RIDGE_ENDS, margin), 0.0))}"
        for name, (some, margin) in choices.items()
    ]
    return f"cases without loss below the ridge: {'; '.join(texts)}."


def _over_ridge(loss: LearnerLoss) -> float:
    return loss.over_ridge
