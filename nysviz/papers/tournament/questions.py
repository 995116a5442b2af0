"""The questions across the papers, which none of them claims an answer to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nysviz.papers.claim import NO_RUN
from nysviz.papers.records import Records
from nysviz.papers.tournament import answers as across
from nysviz.papers.tournament import cost_answers as across_costs
from nysviz.papers.tournament import predictors as across_predictors
from nysviz.papers.tournament.answers import Answer
from nysviz.papers.tournament.setting import NAMES


@dataclass(frozen=True)
class Question:
    """One question; its answer is a sentence with a statistic, not a verdict, since nobody claimed one.

    Attributes
    ----------
    id, statement, decides : str
        What is asked, and what the answer is computed from.
    experiments : tuple of str
        Whose rows it reads.
    ask : callable
        From records to an answer.
    page : str
        Where the evidence can be seen live.
    link : mapping
        Query parameters of that page.
    """

    id: str
    statement: str
    decides: str
    ask: Callable[[Records], Answer]
    experiments: tuple[str, ...] = ("tournament",)
    page: str = "tournament"
    link: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)

    def answer(self, records: Records) -> Answer:
        """Answer from records; without a sentence where an experiment that it needs has no run."""
        missing = [name for name in self.experiments if not len(records.of(name))]
        if missing:
            return Answer("", f"{NO_RUN} of {', '.join(missing)}")
        return self.ask(Records(row for name in self.experiments for row in records.of(name)))


_EQUAL = (
    "A rival's error over that of randomly pivoted Cholesky at the same cost, read off a line through its "
    "runs at 1 … 40 % of the rows on logarithmic axes; beyond its dearest run that run's error stands. "
    "Median over the bandwidths and m/n of a data set, Wilcoxon over the data sets, Holm over rivals and "
    "both costs. Seconds are those at the default width."
)

QUESTIONS: dict[str, Question] = {
    question.id: question
    for question in (
        Question(
            "x1",
            "Greedy, kernel k-means++ (refined) or k-means centres: which has the smallest error at which "
            "bandwidth?",
            "Relative Frobenius errors at five bandwidths; the mean logarithm over m/n of a data set, "
            "Wilcoxon over the data sets for each pair and bandwidth, Holm over all of them.",
            across.champions,
            link={"tournament_methods": tuple(NAMES[name] for name in across.CHAMPIONS)},
        ),
        Question(
            "x2",
            "Is randomly pivoted Cholesky ahead of the others at equal kernel evaluations and at equal "
            "seconds?",
            _EQUAL,
            across_costs.at_equal_cost,
            link={"tournament_by": "error at equal kernel evaluations"},
        ),
        Question(
            "x3",
            "Does the quantization error or the trace of the residual tell more of the Frobenius error?",
            "Rank correlations with the Frobenius error: over the methods at each bandwidth and m/n, and "
            "over the repeats of one method; their means over a data set, Wilcoxon over the data sets.",
            across_predictors.predictors,
            link={"tournament_third": "what predicts the error"},
        ),
    )
}
