"""The page Claims: its state, its filters, and a claim run again."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from nysviz.papers import live as again
from nysviz.papers.claims import CLAIMS, PAPERS, Claim, Finding, Records, Verdict, recorded
from nysviz.papers.labels import data_in_words
from nysviz.papers.records import FOLDER, origins
from nysviz.papers.tournament.answers import QUESTIONS, Answer
from nysviz.sweep import Progress
from nysviz.ui import page
from nysviz.ui.claims import words
from nysviz.ui.running import follow, running
from nysviz.ui.work.store import store

# What judging takes on a machine of two cores.
JUDGING_SECONDS = 6.0
REPEATS = (1, 3, 6, 10, 20)
ALL = "all papers"


# Name, time of change and size of the recorded files.
Stamp = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Evidence:
    """What each claim's test found in the recorded rows, and how these were made."""

    stamp: Stamp
    findings: dict[str, Finding]
    origins: dict[str, dict[str, Any]]
    sets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)

    def records(self) -> Records:
        """Return the rows themselves: 25 MB, which are kept apart from what was found."""
        return _records(self.stamp)


def evidence_later() -> Future[Evidence]:
    """Judge every claim by the recorded runs, in the background; again when a file of theirs changed."""
    files = sorted(FOLDER.glob("*")) if FOLDER.exists() else []
    stamp = tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    return store().later(("claims", stamp), lambda: _judged(stamp), urgent=True)


def _records(stamp: Stamp) -> Records:
    return store().get(("claim records", stamp), recorded)


def _judged(stamp: Stamp) -> Evidence:
    records = _records(stamp)
    findings = {claim.id: claim.judge(records) for claim in CLAIMS.values()}
    sets = {claim.id: again.recorded_sets(claim, records) for claim in CLAIMS.values()}
    answers = {question.id: question.answer(records) for question in QUESTIONS.values()}
    return Evidence(stamp, findings, origins(), sets, answers)


def choose(findings: dict[str, Finding]) -> list[Claim]:
    """Choose by paper and by verdict; with no verdict chosen, all of them."""
    paper = st.segmented_control(
        "Paper",
        (ALL, *PAPERS),
        default=ALL,
        required=True,
        format_func=lambda key: words.short(key) if key in PAPERS else key,
        key="claims_paper",
        bind="query-params",
        wrap=True,
    )
    verdicts = st.pills(
        "Verdict",
        list(Verdict),
        selection_mode="multi",
        format_func=lambda verdict: f"{words.MARKS[verdict]} {verdict}",
        key="claims_verdict",
        bind="query-params",
        wrap=True,
        help="None chosen: all of them.",
    )
    wanted = set(verdicts or Verdict)
    return [
        claim
        for claim in CLAIMS.values()
        if paper in (ALL, None, claim.paper) and findings[claim.id].verdict in wanted
    ]


def run_again(found: Evidence) -> None:
    """Choose a claim, run its experiment on small data, and set what comes out beside the record."""
    st.subheader("Run again here", anchor=False)
    left, right = st.columns([0.4, 0.6], gap="medium")
    with left:
        chosen = st.selectbox(
            "Claim", list(CLAIMS), key="claims_claim", bind="query-params", index=list(CLAIMS).index("z15")
        )
        claim = CLAIMS[chosen]
        st.markdown(f"{claim.statement} *{PAPERS[claim.paper]}, {claim.place}.*")
        asked = _ask(claim, found)
    with right, page.sentences():
        if asked is None:
            st.caption("Press the button to run it; the record stays as it is.")
            st.html(words.beside(claim, found.findings[chosen], None, None))
            return
        names, repeats = asked
        same = again.on_the_same(claim, found.records(), names)

        def draw(rows: Sequence[Any], progress: Progress) -> None:
            live = claim.decide(Records(rows)) if progress.done == progress.total and rows else None
            st.html(words.beside(claim, found.findings[chosen], same, live))

        key = ("claim", chosen, names, repeats)
        run = running(key, lambda: again.jobs(claim, names, repeats, 0), alone=True)
        follow(run, draw, what=f"{chosen} on {words.sets_told(names)}, {words.times(repeats)}")


def _ask(claim: Claim, found: Evidence) -> tuple[tuple[str, ...], int] | None:
    """Data sets and repeats of a live run, once the button was pressed for them."""
    if not again.can_run(claim):
        st.caption(
            "The seconds behind this claim come from `python -m benchmarks.costs`, on a quiet machine; the "
            "page Compare measures them for one data set."
        )
        return None
    offered = again.loadable(found.sets.get(claim.id, ()))
    if not offered:
        st.caption(
            "No run of it is recorded, or none of its data is at hand: `python -m nysviz record` makes them."
        )
        return None
    names = st.multiselect(
        "Data sets", offered, default=offered[:1], format_func=data_in_words, key=f"claims_sets_{claim.id}"
    )
    repeats = st.selectbox("Repeats", REPEATS, index=2, key="claims_repeats", bind="query-params")
    spent = words.seconds_of(found.origins, claim)
    st.caption(f"All of the recorded runs took {spent}; one set with few repeats is a part of that.")
    asked = (claim.id, tuple(names), repeats)
    if st.button("Run again here", key="claims_run", icon=":material/replay:", disabled=not names):
        st.session_state["claims_asked"] = asked
    # Another claim, other data or repeats: what was asked for is no longer on the screen.
    return asked[1:] if st.session_state.get("claims_asked") == asked else None
