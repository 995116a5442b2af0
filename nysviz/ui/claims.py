"""The page "Claims": its tables, filters, and a claim run again."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from nysviz.datasets import catalog
from nysviz.papers.claims import CLAIMS, PAPERS, Claim, ClaimOutcome, ClaimVerdict, can_run
from nysviz.papers.data import at_hand
from nysviz.papers.labels import data_label
from nysviz.papers.tournament.answers import QUESTIONS
from nysviz.studies.claims import Claims, Evidence, compared, data_titles, new_run, recorded_on
from nysviz.text import counted
from nysviz.ui import page, settings
from nysviz.ui.asking import sentences
from nysviz.ui.doors import TITLES
from nysviz.ui.inputs import box, page_link, pills
from nysviz.ui.running import show_progress, watch
from nysviz.ui.sidebar.data_choice import is_offered
from nysviz.ui.unfolding import Places, unfold
from nysviz.ui.watching import part

MARKS = dict(zip(ClaimVerdict, "●◐✕◇△○", strict=True))


def short(paper: str) -> str:
    """Return first author and year, or the name of several papers together."""
    name = PAPERS[paper]
    return f"{name.split(',')[0].split()[0]} {name[-4:]}" if name[-4:].isdecimal() else name


def verdicts_of(outcomes: Mapping[str, ClaimOutcome]) -> list[ClaimVerdict]:
    """Return the verdicts that some claim has."""
    verdicts = {outcome.verdict for outcome in outcomes.values()}
    return [verdict for verdict in ClaimVerdict if verdict in verdicts]


def _line(tag: str, *cells: object) -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"


def _table(head: str, rows: Iterable[str]) -> str:
    return f'<table class="nysviz-claims"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def live_link(label: str, page: str, state: Mapping[str, Any], recorded: Sequence[str] = ()) -> None:
    """Draw a link to the live page in a state, with another recorded set if its data are not here."""
    state, note = dict(state), None
    if data := state.get("data"):
        cards = {card.name: card for card in catalog()}
        if not is_offered(cards[data]):
            offered_sets = (name for name in recorded if name in cards and is_offered(cards[name]))
            state["data"] = next(offered_sets, settings.FIRST_DATA)
            note = f"On {cards[state['data']].title}: {cards[data].title} is not on this server."
    page_link(label, page, state, icon=":material/arrow_forward:", help=note)


def claim_table(claims: Sequence[Claim], evidence: Evidence, opened: str) -> str:
    """Return these claims as an HTML table; a claim opens to its test, one at a time."""
    rows = []
    for claim in claims:
        outcome = evidence.outcomes[claim.id]
        mark = f'name="claim" data-parameter="claims_open" data-value="{claim.id}"'
        mark += " open" if claim.id == opened else ""
        details = _details(mark, claim.statement, evidence.of_claim(claim), outcome.numbers)
        label = html.escape(outcome.label)
        verdict = f'<span role="img" title="{label}" aria-label="{label}">{MARKS[outcome.verdict]}</span>'
        rows.append(_line("td", claim.id, verdict, details))
    return _table("", rows)


def _marked(outcome: ClaimOutcome) -> str:
    return f"{MARKS[outcome.verdict]} {html.escape(outcome.label)}"


def mark_table(outcomes: Mapping[str, ClaimOutcome]) -> str:
    """Return a table of marks as HTML, one per claim, by paper and verdict; a mark opens its claim."""

    def mark(claim: Claim) -> str:
        outcome, statement = outcomes[claim.id], html.escape(f"{claim.id}: {claim.statement}")
        link, name = f"claims?claims_open={claim.id}", f"{claim.id}, {html.escape(outcome.label)}"
        sign = MARKS[outcome.verdict]
        return f'<a href="{link}" title="{statement}" aria-label="{name}">{sign}</a>'

    def cell(paper: str, verdict: ClaimVerdict) -> str:
        of_paper = (claim for claim in CLAIMS.values() if claim.paper == paper)
        return "".join(mark(claim) for claim in of_paper if outcomes[claim.id].verdict is verdict)

    rows = (
        _line("td", short(paper), *(cell(paper, verdict) for verdict in ClaimVerdict)) for paper in PAPERS
    )
    return f'<table class="nysviz-marks">{"".join(rows)}</table>'


def _details(mark: str, statement: str, lines: Mapping[str, str], numbers: Sequence[tuple[str, str]]) -> str:
    """Return a claim or a question as HTML, which opens to its evidence and the origin of its runs."""
    paragraphs = [f"<b>{html.escape(name)}:</b> {html.escape(text)}" for name, text in lines.items()]
    text = "<br>".join(paragraphs)
    items = (f"<li>{html.escape(data_label(name))}: {html.escape(value)}</li>" for name, value in numbers)
    opened = f"<div>{text}<ul>{''.join(items)}</ul></div>"
    return f"<details {mark}><summary>{html.escape(statement)}</summary>{opened}</details>"


def question_table(evidence: Evidence) -> str:
    """Return the questions across the papers as an HTML table; a question opens to its evidence."""
    rows = []
    for question in QUESTIONS.values():
        answer, lines = evidence.answers[question.id], evidence.of_question(question)
        details = _details("", question.statement, lines, answer.numbers)
        rows.append(_line("td", question.id, details, html.escape(answer.sentence or answer.statistic)))
    return _table(_line("th", "", "Question", "What the runs say"), rows)


def run_table(claim: Claim, lines: Iterable[tuple[str, ClaimOutcome, str]]) -> str:
    """Return the record beside a run made now on some of its data, with the changes, as HTML."""
    rows = (
        f"<tr><td>{name}</td><td class='verdict'>{_marked(outcome)}<br><b>{changed}</b></td>"
        f"<td>{html.escape(outcome.statistic)}</td><td>{outcome.repeats}</td></tr>"
        for name, outcome, changed in lines
    )
    return _table(_line("th", claim.id, "Verdict", "Statistic", "Repeats"), rows)


def choose(outcomes: Mapping[str, ClaimOutcome]) -> list[Claim]:
    """Draw the filters by paper and verdict, and return the claims that pass; no verdict means all."""
    papers = {"all": "all papers"} | {paper: short(paper) for paper in PAPERS}
    paper = box("Paper", papers, "claims_paper", names=papers)
    marked = {verdict: f"{MARKS[verdict]} {verdict}" for verdict in verdicts_of(outcomes)}
    note = "None chosen: all of them."
    verdicts = pills("Verdict", marked, "claims_verdict", marked, help=note) or tuple(ClaimVerdict)
    # An opened claim is shown whatever the filters say: a mark leads to it.
    opened = settings.text("claims_open")
    return [
        claim
        for claim in CLAIMS.values()
        if claim.id == opened or (paper in ("all", claim.paper) and outcomes[claim.id].verdict in verdicts)
    ]


def run_again(claim: Claim, study: Claims) -> None:
    """Run a claim's experiment on some of its data, and show the result beside the record."""
    left, right = st.columns([0.4, 0.6], gap="medium")
    with left:
        chosen = _choose_run(claim, study.evidence)
    with right, sentences():
        if chosen is None:
            st.html(run_table(claim, [("recorded, all data", study.outcomes[claim.id], "")]))
            return
        names, repeats = chosen
        outcomes = study.outcomes[claim.id], recorded_on(claim, study, names)
        run = new_run(claim, names, repeats)
        snapshot = watch(run)
        records = run.records() if snapshot.is_last and run.done else ()
        st.html(run_table(claim, compared(claim, *outcomes, records)))
        show_progress(run, f"{claim.id} on {data_titles(names)}, {counted(repeats, 'repeat')}", snapshot)


def _choose_run(claim: Claim, evidence: Evidence) -> tuple[tuple[str, ...], int] | None:
    """Draw the controls of a live run; return its data sets and repeats once the button was pressed."""
    if not can_run(claim):
        st.caption("Its seconds come from `python -m benchmarks.costs`, on a quiet machine.")
        return None
    offered = tuple(at_hand(evidence.sets[claim.id])[0])
    if not offered:
        st.caption("None of its data is on this server: `python -m nysviz record` makes its runs.")
        return None
    names = st.multiselect(
        "Data sets", offered, default=offered[:1], format_func=data_label, key=f"claims_sets_{claim.id}"
    )
    repeats = box("Repeats", (1, 3, 6, 10, 20), "claims_repeats", 6)
    st.caption(evidence.time_sentence(claim))
    request = claim.id, tuple(names), repeats
    if st.button("Run again here", key="claims_run", icon=":material/replay:", disabled=not names):
        st.session_state["claims_asked"] = request
    # With another claim, other data or repeats, the request is no longer on the screen.
    return request[1:] if st.session_state.get("claims_asked") == request else None


@part
def browse(study: Claims) -> None:
    """Draw marks and filters, then the chosen claims; an opened one can be run again."""
    picture, filters = st.columns([0.6, 0.4], gap="medium")
    with picture:
        st.html(mark_table(study.outcomes))
    with filters:
        chosen = choose(study.outcomes)
    settings.write()
    if not chosen:
        st.info("No claim has this paper and this verdict.", icon=":material/filter_alt:")
        return
    opened = settings.text("claims_open")
    names = [claim.id for claim in chosen]
    end = names.index(opened) + 1 if opened in names else len(chosen)
    st.html(claim_table(chosen[:end], study.evidence, opened))
    if opened in names:
        claim = chosen[end - 1]
        with st.container(border=True):
            label = f"Open {TITLES[claim.page]} in the state of {claim.id}"
            live_link(label, claim.page, claim.link, study.evidence.sets[claim.id])
            run_again(claim, study)
        if end < len(chosen):
            st.html(claim_table(chosen[end:], study.evidence, ""))


def live() -> None:
    """Draw the whole page."""
    answer, tables, across = page.answer_place(), st.container(), st.container()
    study = Claims()

    def draw_tables() -> None:
        with tables:
            browse(study)
        with across:
            st.subheader("Across the papers", anchor=False)
            st.html(question_table(study.evidence))
            with st.container(horizontal=True, gap="medium"):
                for question in QUESTIONS.values():
                    live_link(f"{question.id} in Findings", "findings", question.link)

    # Before the explanations below them, which they would push down.
    unfold(study, Places(answer, answer, tables, {}, then={"evidence": draw_tables}), "claims")
