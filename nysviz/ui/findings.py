"""The page "Findings": one finding at a time; the second is the tournament, with controls of its own."""

import html

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.papers.findings.texts import FINDINGS
from nysviz.papers.findings.written import TextTable
from nysviz.papers.labels import name_bandwidth
from nysviz.papers.tournament.jobs import CONTESTANTS, MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import CRITERIA
from nysviz.studies.findings import RecordedFinding
from nysviz.studies.tournament import LABELS, RecordedTournament
from nysviz.ui import page
from nysviz.ui.inputs import box, pills, segments, several
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

QUESTIONS = {
    "gain": "What is to be gained?",
    "methods": "Which method is first?",
    "rows": "Must landmarks be rows?",
    "features": "Or random features?",
    "prediction": "How small an error is enough?",
    "decision": "What do I take?",
}
# The second picture of the tournament: its name in the address, and its chart.
LOWER = {"map": "who wins where", "predictors": "what predicts the error"}
CHARTS = {"map": "winners", "predictors": "predictors"}


def choose_ranking() -> RecordedTournament:
    """Draw the controls of the tournament."""
    note = (
        "Error is the relative Frobenius error at the same m. Where cost is held equal: the error that a "
        "method has for what randomly pivoted Cholesky spends at that m; who cannot begin for it is last."
    )
    criterion = box("Ranked by", CRITERIA, "findings_by", names=LABELS, help=note)
    note = "None chosen: all of them."
    with st.popover("Contestants, bandwidth, m / n", width="stretch"):
        methods = several("Contestants", CONTESTANTS, "findings_methods", CONTESTANTS, NAMES)
        multiples = pills(
            "Bandwidth (σ: the default)", MULTIPLES, "findings_widths", name_bandwidth, help=note
        )
        percents = pills("m / n", PERCENTS, "findings_percents", "{} %".format, help=note)
    return RecordedTournament(
        criterion=criterion, methods=methods, multiples=multiples, percents=percents, theme=page.theme()
    )


@part
def live() -> None:
    """Draw the choice at the right, the finding's picture at the left, and below what it rests on."""
    answer, left, right = page.places(0.62)
    with right:
        finding = segments("Question", FINDINGS, "findings_about", QUESTIONS)
    if finding == "methods":
        rank(answer, left, right)
    else:
        tell(finding, answer, left, right)


def rank(answer: DeltaGenerator, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Draw the tournament: its controls at the right, its ranks at the left, one more picture below."""
    with right:
        study = choose_ranking()
        numbers, about = st.container(), st.container()
    lower = segments("Second picture", LOWER, "findings_picture", names=LOWER, label_visibility="collapsed")
    charts = {"ranks": left, CHARTS[lower]: st.container()}
    unfold(study, Places(answer, numbers, about, charts), "findings_methods")
    if study.has("ranking"):
        about.caption("Test, record", help=f"{study.test_line}\n\n{study.origin}")


def tell(finding: str, answer: DeltaGenerator, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Draw a finding, its remarks at the right, its tables below."""
    study, tables = RecordedFinding(finding=finding, theme=page.theme()), st.container()

    def write_more() -> None:
        for subject, remark in study.written.remarks.items():
            right.caption(f"**{subject}:** {remark}")
        for table in study.written.tables:
            with tables.expander(f"Table: {table.title}"):
                st.html(table_of(table))

    places = Places(answer, right, right, {finding: left}, then={"written": write_more})
    unfold(study, places, "findings")


def table_of(table: TextTable) -> str:
    """Return a table of a finding as HTML."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.head)
    rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in table.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<table class="nysviz-claims"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
