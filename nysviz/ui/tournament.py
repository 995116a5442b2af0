"""The page "Tournament": its controls, and the places of its study."""

import streamlit as st

from nysviz.papers.tournament.jobs import CONTESTANTS, MULTIPLES, NAMES, PERCENTS
from nysviz.papers.tournament.standings import CRITERIA
from nysviz.studies.tournament import LABELS, RecordedTournament, in_sigma
from nysviz.ui import page
from nysviz.ui.inputs import box, pills, segments, several
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

# The second picture: its name in the address, and its chart.
LOWER = {"map": "who wins where", "predictors": "what predicts the error"}
CHARTS = {"map": "winners", "predictors": "predictors"}


def choose() -> RecordedTournament:
    """Draw the controls of the page."""
    note = (
        "Error is the relative Frobenius error at the same m. Where cost is held equal: the error that a "
        "method has for what randomly pivoted Cholesky spends at that m; who cannot begin for it is last."
    )
    criterion = box("Ranked by", CRITERIA, "tournament_by", names=LABELS, help=note)
    note = "None chosen: all of them."
    with st.popover("Contestants, bandwidth, m / n", width="stretch"):
        methods = several("Contestants", CONTESTANTS, "tournament_methods", CONTESTANTS, NAMES)
        multiples = pills("Bandwidth (σ: the default)", MULTIPLES, "tournament_widths", in_sigma, help=note)
        percents = pills("m / n", PERCENTS, "tournament_percents", "{} %".format, help=note)
    return RecordedTournament(
        criterion=criterion, methods=methods, multiples=multiples, percents=percents, theme=page.theme()
    )


@part
def live() -> None:
    """Draw controls and advice at the right, the ranks at the left, one more picture below."""
    answer, left, right = page.places(0.62)
    with right:
        study = choose()
        numbers, about = st.container(), st.container()
    lower = segments("Second picture", LOWER, "tournament_third", names=LOWER, label_visibility="collapsed")
    charts = {"ranks": left, CHARTS[lower]: st.container()}
    unfold(study, Places(answer, numbers, about, charts), "tournament")
    if study.has("ranking"):
        about.caption("Test, record", help=f"{study.test_line}\n\n{study.origin}")
