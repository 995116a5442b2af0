"""The filters of the page "Claims", and a claim run again where it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from nysviz.papers import claims as again
from nysviz.papers.claims import CLAIMS, PAPERS, Claim, Outcome, Records, Verdict
from nysviz.papers.experiments import at_hand
from nysviz.papers.labels import data_label
from nysviz.papers.records import Stamp
from nysviz.sweep import Progress
from nysviz.text import counted
from nysviz.ui import page
from nysviz.ui.claims import result
from nysviz.ui.claims.result import Evidence, records
from nysviz.ui.inputs import box, pills, segments
from nysviz.ui.running import follow, running

REPEATS = (1, 3, 6, 10, 20)
ALL = "all papers"


def choose(findings: Mapping[str, Outcome]) -> list[Claim]:
    """Choose by paper and by verdict; with no verdict chosen, all of them."""
    papers = {ALL: ALL} | {paper: result.short(paper) for paper in PAPERS}
    paper = segments("Paper", papers, "claims_paper", names=papers)
    marked = {verdict: f"{result.MARKS[verdict]} {verdict}" for verdict in Verdict}
    note = "None chosen: all of them."
    verdicts = pills("Verdict", marked, "claims_verdict", marked, help=note) or tuple(Verdict)
    return [
        claim
        for claim in CLAIMS.values()
        if paper in (ALL, claim.paper) and findings[claim.id].verdict in verdicts
    ]


def run_again(claim: Claim, found: Evidence, stamp: Stamp) -> None:
    """Run a claim's experiment on some of its data, and set what comes out beside the record."""
    left, right = st.columns([0.4, 0.6], gap="medium")
    with left:
        asked = _choose_run(claim, found)
    with right, page.sentences():
        if asked is None:
            st.html(result.beside(claim, found.findings[claim.id]))
            return
        names, repeats = asked
        same = again.on_the_same(claim, records(stamp), names)

        def draw(rows: Sequence[Any], progress: Progress) -> None:
            live = claim.decide(Records(rows)) if progress.done == progress.total and rows else None
            st.html(result.beside(claim, found.findings[claim.id], same, live))

        key = ("claim", claim.id, names, repeats)
        run = running(key, lambda: again.jobs(claim, names, repeats, 0), alone=True)
        follow(run, draw, what=f"{claim.id} on {result.titles(names)}, {counted(repeats, 'repeat')}")


def _choose_run(claim: Claim, found: Evidence) -> tuple[tuple[str, ...], int] | None:
    """Data sets and repeats of a live run, once the button was pressed for them."""
    if not again.can_run(claim):
        st.caption("Its seconds come from `python -m benchmarks.costs`, on a quiet machine.")
        return None
    offered = tuple(at_hand(found.sets[claim.id])[0])
    if not offered:
        st.caption("None of its data is on this server: `python -m nysviz record` makes its runs.")
        return None
    names = st.multiselect(
        "Data sets", offered, default=offered[:1], format_func=data_label, key=f"claims_sets_{claim.id}"
    )
    repeats = box("Repeats", REPEATS, "claims_repeats", 6)
    spent = sum(float(found.origins[name]["seconds"]) for name in claim.experiments if name in found.origins)
    st.caption(f"All of the recorded runs took {spent:.0f} s.")
    asked = (claim.id, tuple(names), repeats)
    if st.button("Run again here", key="claims_run", icon=":material/replay:", disabled=not names):
        st.session_state["claims_asked"] = asked
    # Another claim, other data or repeats: what was asked for is no longer on the screen.
    return asked[1:] if st.session_state.get("claims_asked") == asked else None
