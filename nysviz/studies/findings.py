"""Does choosing landmarks help, and when? The findings from the recorded runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from nysviz.engine.shared import shared
from nysviz.figures import findings as figures
from nysviz.figures.tournament import rank_chart
from nysviz.papers.findings.decision import COSTS
from nysviz.papers.findings.decision_text import name_cost
from nysviz.papers.findings.numbers import BEST
from nysviz.papers.findings.prediction_text import LEARNER_LABELS
from nysviz.papers.findings.summary import DECAYS, Findings
from nysviz.papers.findings.tables import TABLES
from nysviz.papers.findings.texts import FINDINGS
from nysviz.papers.findings.written import CAPTIONS, WrittenFinding
from nysviz.papers.labels import name_bandwidth
from nysviz.papers.records import Stamp
from nysviz.studies.choice import checked_choice
from nysviz.studies.claims import read_records
from nysviz.studies.recorded import RecordedStudy
from nysviz.studies.study import Ink, Part, chart, complete, derived, theme_of
from nysviz.studies.tournament import read_tournament


@shared()
def read_numbers(stamp: Stamp) -> Findings:
    """Read the recorded runs, from which each number is computed at its first use."""
    return Findings(read_tournament(stamp), read_records(stamp))


@shared()
def write(stamp: Stamp, finding: str) -> WrittenFinding:
    """Write a finding in words."""
    return FINDINGS[finding](read_numbers(stamp))


def findings(finding: str = "gain", *, theme: Ink = "light") -> "RecordedFinding":
    """Answer a question across the papers from the recorded runs.

    Parameters
    ----------
    finding : {"gain", "methods", "rows", "features", "prediction", "decision"}
        What the choice gains over uniform sampling; which method has the best mean rank; what it costs that
        landmarks are rows; random Fourier features against Nyström features; how small a matrix error is
        small enough for a prediction; which method to take, from the decay of the eigenvalues and the cost of
        a kernel evaluation.
    theme : {"light", "dark"}

    Returns
    -------
    RecordedFinding
        With ``answer``, ``table``, ``figures``; ``written`` has remarks on the test and on other choices.

    Raises
    ------
    ValueError
        An unknown finding.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.findings("rows")
    >>> [*result.figures]
    ['rows']
    """
    checked_choice("finding", finding, FINDINGS)
    return complete(RecordedFinding(finding=finding, theme=theme_of(theme)))


def _chart_of(finding: str) -> Callable[[Callable[["RecordedFinding"], go.Figure]], Any]:
    """Mark a drawing as the chart of this finding alone."""
    return chart("written", caption=CAPTIONS[finding], when=lambda study: study.finding == finding)


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedFinding(RecordedStudy):
    """A finding with its figure and tables."""

    finding: str = "gain"

    name = "findings"
    question = "Does choosing landmarks help, and when?"

    written = Part(write, "record finding", "The finding", needed=True)

    @property
    def recorded_numbers(self) -> Findings:
        """The numbers."""
        return read_numbers(self.record)

    @derived
    def answer(self) -> str:
        """Say the finding."""
        return self.written.sentence if self.has("written") else ""

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return the rows of the finding's tables."""
        tables = [table.file for table in self.written.tables]
        return [
            {"table": name, **record} for name in tables for record in TABLES[name](self.recorded_numbers)
        ]

    @_chart_of("gain")
    def gain(self) -> go.Figure:
        """Draw the gain of the best method in hindsight against m/n."""
        subtitle = "by the error of the best rank 0.1 n; 95 % intervals over data sets"
        sheet = self.sheet("What the best choice gains over uniform sampling", subtitle)
        return figures.gain_chart(self.recorded_numbers.gains, BEST, DECAYS, sheet)

    @_chart_of("methods")
    def methods(self) -> go.Figure:
        """Draw the ranks of the methods at equal kernel evaluations."""
        standing = self.recorded_numbers.rankings[1].standing
        subtitle = f"Gaussian, all bandwidths, m/n 1 to 10 %, {len(standing.sets)} data sets"
        return rank_chart(standing, self.sheet("Mean rank at equal kernel evaluations", subtitle))

    @_chart_of("rows")
    def rows(self) -> go.Figure:
        """Draw errors of rows over those of other landmarks by bandwidth."""
        subtitle = "equal m; 95 % intervals over data sets"
        sheet = self.sheet("Landmarks that are rows against landmarks that are not", subtitle)
        widths = {ratio.multiple: name_bandwidth(ratio.multiple) for ratio in self.recorded_numbers.rows}
        return figures.row_chart(self.recorded_numbers.rows, widths, sheet)

    @_chart_of("features")
    def features(self) -> go.Figure:
        """Draw the test error of random features over that of Nyström features."""
        subtitle = "mixtures, equal columns; 95 % intervals over repeats"
        sheet = self.sheet("Random features against Nyström features", subtitle)
        return figures.gap_chart(self.recorded_numbers.gaps, sheet)

    @_chart_of("prediction")
    def prediction(self) -> go.Figure:
        """Draw the share of cases without loss against the residual over the ridge."""
        subtitle = "Gaussian kernel, λ and C as for K; 95 % intervals over data sets"
        sheet = self.sheet("Where K̃ predicts as well as K", subtitle)
        return figures.loss_chart(self.recorded_numbers.shares_by_ridge, LEARNER_LABELS, sheet)

    @_chart_of("decision")
    def decision(self) -> go.Figure:
        """Draw the method for each decay and cost of a kernel evaluation."""
        sheet = self.sheet("Which method reaches an error in the fewest seconds?", "n from 20 000 to 50 000")
        costs = {cost: name_cost(cost) for cost in COSTS}
        return figures.decision_chart(self.recorded_numbers.advice, DECAYS, costs, sheet)
