"""The page "Claims": its tables, filters, script, and a claim run again."""

import html
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from nysviz.datasets import catalog
from nysviz.numerics.memory import matrix_bytes
from nysviz.papers import claims
from nysviz.papers.claims import CLAIMS, PAPERS, Claim, Outcome, Records, Verdict, recorded
from nysviz.papers.experiments import at_hand
from nysviz.papers.labels import data_label
from nysviz.papers.records import Stamp, made, origins, recorded_of
from nysviz.papers.tournament.answers import QUESTIONS, Answer
from nysviz.papers.tournament.jobs import EXPERIMENT
from nysviz.papers.tournament.standings import Board
from nysviz.text import counted, grouped, three_digits
from nysviz.ui import state
from nysviz.ui.asking import engine, sentences, shared
from nysviz.ui.doors import TITLES
from nysviz.ui.inputs import box, pills
from nysviz.ui.running import follow
from nysviz.ui.sidebar.data_choice import FIRST, is_offered

PYTHON = """from nysviz.papers.claims import CLAIMS, recorded

records = recorded()
for claim in CLAIMS.values():
    found = claim.judge(records)
    print(claim.id, found.label, found.statistic, found.repeats, sep="\\t")

# The runs themselves, made anew: make reproduce, or python -m nysviz record zhang-fig1
"""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What each claim's test found in the recorded rows, on which recorded sets, and how they were made."""

    outcomes: dict[str, Outcome]
    sets: dict[str, tuple[str, ...]]
    answers: dict[str, Answer]
    origins: dict[str, dict[str, Any]]

    def runs(self, experiments: Sequence[str]) -> dict[str, str]:
        """Say of each recorded experiment how it was made."""
        return {name: made(self.origins[name]) for name in experiments if name in self.origins}


@shared()
def records(stamp: Stamp) -> Records:
    """Return the recorded rows, which are kept apart from what was found in them."""
    return recorded(left_out=[EXPERIMENT])


@shared()
def judged(stamp: Stamp) -> Evidence:
    """Judge every claim by the recorded runs."""
    rows = records(stamp)
    board = Board(recorded_of(EXPERIMENT))
    return Evidence(
        {claim.id: claim.judge(rows) for claim in CLAIMS.values()},
        {claim.id: claims.recorded_sets(claim, rows) for claim in CLAIMS.values()},
        {question.id: question.answer(board) for question in QUESTIONS.values()},
        origins(),
    )


def by_choice(found: Outcome) -> list[tuple[str, str]]:
    """Return what is chosen, with the verdict by each option."""
    options: dict[str, dict[str, list[str]]] = {}
    for choice, verdict in found.others:
        of = options.setdefault(choice.of, {str(found.stated): [choice.stated]})
        name = "not tried" if verdict is Verdict.UNTESTED else str(verdict)
        of.setdefault(name, []).append(choice.other)

    def names(found: Sequence[str]) -> str:
        left_out = [name for name in found if name.startswith("without ")]
        if len(left_out) > 2:
            found = [*(name for name in found if name not in left_out), f"without any one of {len(left_out)}"]
        return ", ".join(found)

    return [
        (of, "; ".join(f"{names(found)} → {verdict}" for verdict, found in by.items()))
        for of, by in options.items()
    ]


def sampled(found: Outcome) -> str:
    """Say of which data sets a sample was taken."""
    whole = {card.name: card.n for card in catalog()}
    samples = [
        f"{grouped(n)} of {grouped(whole[name])} rows of {data_label(name)}"
        for name, n in found.sizes.items()
        if name in whole and n < whole[name]
    ]
    return f"On {', '.join(samples)}." if samples else ""


def rows(outcomes: Mapping[str, Outcome]) -> list[dict[str, object]]:
    """Return a row a claim: where it stands, what was tested on which data, the statistic, the verdict."""
    return [
        {
            "claim": claim.id,
            "paper": PAPERS[claim.paper],
            "place": claim.place,
            "statement": claim.statement,
            "reproduced_when": claim.decides,
            "data": ", ".join(found.data) or None,
            "sampled": sampled(found) or None,
            "repeats": found.repeats,
            "statistic": found.statistic,
            "verdict": found.label,
            "by_other_choices": "; ".join(f"{of}: {options}" for of, options in by_choice(found)) or None,
        }
        for claim, found in ((claim, outcomes[claim.id]) for claim in CLAIMS.values())
    ]


MARKS = dict(zip(Verdict, "●◐✕◇△○", strict=True))


def short(paper: str) -> str:
    """Return first author and year, or the name of several papers together."""
    name = PAPERS[paper]
    return f"{name.split(',')[0].split()[0]} {name[-4:]}" if name[-4:].isdecimal() else name


def answer(outcomes: Mapping[str, Outcome]) -> str:
    """Answer the page's question with its counts."""
    count = Counter(found.verdict for found in outcomes.values())
    few = f", {count[Verdict.TOO_FEW]} rest on too few runs" if count[Verdict.TOO_FEW] else ""
    return (
        f"**{count[Verdict.REPRODUCED]} of {len(outcomes)} claims are reproduced**, {count[Verdict.PARTLY]} "
        f"partly, {count[Verdict.NOT]} not; {count[Verdict.DEPENDS]} depend on a choice{few}."
    )


def given(outcomes: Mapping[str, Outcome]) -> list[Verdict]:
    """Return the verdicts that some claim has."""
    found = {outcome.verdict for outcome in outcomes.values()}
    return [verdict for verdict in Verdict if verdict in found]


def _line(tag: str, *cells: object) -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"


def _table(head: str, rows: Iterable[str]) -> str:
    return f'<table class="nysviz-claims"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def live_link(page: str, settings: Mapping[str, Any], recorded: Sequence[str] = ()) -> str:
    """Link to the live page in the state of a claim, or of a recorded set where its data are not here."""
    settings, on = dict(settings), ""
    if wanted := settings.get("data"):
        cards = {card.name: card for card in catalog()}
        if not is_offered(cards[wanted]):
            there = (name for name in recorded if name in cards and is_offered(cards[name]))
            settings["data"] = next(there, FIRST)
            on = f" on {cards[settings['data']].title}: {cards[wanted].title} is not on this server."
        settings["data"] = cards[settings["data"]].title
    address = html.escape(f"{page}?{urlencode(settings, doseq=True)}" if settings else page)
    return f'<a class="nysviz-state" href="{address}">{TITLES[page]}</a>{html.escape(on)}'


def claim_table(claims: Sequence[Claim], evidence: Evidence, opened: str) -> str:
    """These claims as an HTML table; a claim opens to what was tested, one at a time."""
    rows = []
    for claim in claims:
        found = evidence.outcomes[claim.id]
        data, repeats = titles(found.data) or "none", counted(found.repeats, "repeat")
        rests_on = {
            "Verdict": f"{found.label}.",
            "Claimed in": f"{PAPERS[claim.paper]}, {claim.place}.",
            "The runs say": found.statistic,
            "Reproduced when": claim.decides,
            "On": f"{data}; {repeats} at most. {sampled(found)}",
            **{f"By {of}": f"{options}." for of, options in by_choice(found)},
            "Not recorded for this claim": f"{titles(found.absent) or 'none'}.",
            **evidence.runs(claim.experiments),
        }
        mark = f'name="claim" data-parameter="claims_open" data-value="{claim.id}"'
        mark += " open" if claim.id == opened else ""
        live = live_link(claim.page, claim.link, evidence.sets[claim.id])
        tested = _tested(mark, claim.statement, live, rests_on, found.numbers)
        label = html.escape(found.label)
        verdict = f'<span role="img" title="{label}" aria-label="{label}">{MARKS[found.verdict]}</span>'
        rows.append(_line("td", claim.id, verdict, tested))
    return _table("", rows)


def _marked(found: Outcome) -> str:
    return f"{MARKS[found.verdict]} {html.escape(found.label)}"


def mark_table(outcomes: Mapping[str, Outcome]) -> str:
    """Draw a mark a claim, by paper and verdict, as HTML; a mark opens its claim."""

    def mark(claim: Claim) -> str:
        found, statement = outcomes[claim.id], html.escape(f"{claim.id}: {claim.statement}")
        link, name = f"claims?claims_open={claim.id}", f"{claim.id}, {html.escape(found.label)}"
        sign = MARKS[found.verdict]
        return f'<a class="nysviz-state" href="{link}" title="{statement}" aria-label="{name}">{sign}</a>'

    def cell(paper: str, verdict: Verdict) -> str:
        of = (one for one in CLAIMS.values() if one.paper == paper)
        return "".join(mark(one) for one in of if outcomes[one.id].verdict is verdict)

    rows = (_line("td", short(paper), *(cell(paper, one) for one in Verdict)) for paper in PAPERS)
    return f'<table class="nysviz-marks">{"".join(rows)}</table>'


def titles(names: Sequence[str]) -> str:
    """List data sets by their titles, some of which have commas of their own."""
    return "; ".join(map(data_label, names))


def _tested(
    mark: str, statement: str, live: str, lines: Mapping[str, str], numbers: Sequence[tuple[str, str]]
) -> str:
    """What opens below a claim or a question: the live page, what it rests on, where the runs are from."""
    rests = [f"<b>{html.escape(name)}:</b> {html.escape(text)}" for name, text in lines.items()]
    text = "<br>".join([f"<b>Live:</b> {live}", *rests])
    items = (f"<li>{html.escape(data_label(what))}: {html.escape(value)}</li>" for what, value in numbers)
    opened = f"<div>{text}<ul>{''.join(items)}</ul></div>"
    return f"<details {mark}><summary>{html.escape(statement)}</summary>{opened}</details>"


def question_table(evidence: Evidence) -> str:
    """The questions across the papers as an HTML table; a question opens to what the answer rests on."""
    rows = []
    for one in QUESTIONS.values():
        found = evidence.answers[one.id]
        rests_on = {
            "Numbers": found.statistic,
            "Answered by": one.decides,
            "On": f"{titles(found.data)}; means of {counted(found.repeats, 'repeat')}.",
            **evidence.runs((EXPERIMENT,)),
        }
        tested = _tested("", one.statement, live_link("tournament", one.link), rests_on, found.numbers)
        rows.append(_line("td", one.id, tested, html.escape(found.sentence or found.statistic)))
    return _table(_line("th", "", "Question", "What the runs say"), rows)


def beside(claim: Claim, record: Outcome, same: Outcome | None = None, live: Outcome | None = None) -> str:
    """The record beside a live run on some of its data, with what changed, as HTML."""
    changed = ""
    if live is not None and same is not None:
        changed = "≠ changed" if live.verdict is not same.verdict else "= the same verdict"
        if Verdict.TOO_FEW in (live.verdict, same.verdict):
            changed = "take more repeats to compare"
    lines = (("recorded, all data", record, ""), ("recorded, these data", same, ""))
    rows = (
        f"<tr><td>{name}</td><td class='verdict'>{_marked(found)}<br><b>{mark}</b></td>"
        f"<td>{html.escape(found.statistic)}</td><td>{found.repeats}</td></tr>"
        for name, found, mark in (*lines, ("run here, these data", live, changed))
        if found is not None
    )
    return _table(_line("th", claim.id, "Verdict", "Statistic", "Repeats"), rows)


def choose(outcomes: Mapping[str, Outcome]) -> list[Claim]:
    """Choose by paper and by verdict; with no verdict chosen, all of them."""
    papers = {"all": "all papers"} | {paper: short(paper) for paper in PAPERS}
    paper = box("Paper", papers, "claims_paper", names=papers)
    marked = {verdict: f"{MARKS[verdict]} {verdict}" for verdict in given(outcomes)}
    note = "None chosen: all of them."
    verdicts = pills("Verdict", marked, "claims_verdict", marked, help=note) or tuple(Verdict)
    of_paper = [claim for claim in CLAIMS.values() if paper in ("all", claim.paper)]
    return [claim for claim in of_paper if outcomes[claim.id].verdict in verdicts]


def run_again(claim: Claim, found: Evidence, stamp: Stamp) -> None:
    """Run a claim's experiment on some of its data, and set what comes out beside the record."""
    left, right = st.columns([0.4, 0.6], gap="medium")
    with left:
        asked = _choose_run(claim, found)
    with right, sentences():
        if asked is None:
            st.html(beside(claim, found.outcomes[claim.id]))
            return
        names, repeats = asked
        same = claims.on_the_same(claim, records(stamp), names)

        def draw(rows: Sequence[Any]) -> None:
            live = claim.decide(Records(rows)) if run.done and rows else None
            st.html(beside(claim, found.outcomes[claim.id], same, live))

        key = ("claim", claim.id, names, repeats)
        run = engine().run(key, lambda: claims.jobs(claim, names, repeats, 0), matrix_bytes(), alone=True)
        follow(run, draw, what=f"{claim.id} on {titles(names)}, {counted(repeats, 'repeat')}")


def _choose_run(claim: Claim, found: Evidence) -> tuple[tuple[str, ...], int] | None:
    """Data sets and repeats of a live run, once the button was pressed for them."""
    if not claims.can_run(claim):
        st.caption("Its seconds come from `python -m benchmarks.costs`, on a quiet machine.")
        return None
    offered = tuple(at_hand(found.sets[claim.id])[0])
    if not offered:
        st.caption("None of its data is on this server: `python -m nysviz record` makes its runs.")
        return None
    names = st.multiselect(
        "Data sets", offered, default=offered[:1], format_func=data_label, key=f"claims_sets_{claim.id}"
    )
    repeats = box("Repeats", (1, 3, 6, 10, 20), "claims_repeats", 6)
    spent = sum(float(found.origins[name]["seconds"]) for name in found.runs(claim.experiments))
    st.caption(f"The recorded runs took {three_digits(spent)} s.")
    asked = claim.id, tuple(names), repeats
    if st.button("Run again here", key="claims_run", icon=":material/replay:", disabled=not names):
        st.session_state["claims_asked"] = asked
    # Another claim, other data or repeats: what was asked for is no longer on the screen.
    return asked[1:] if st.session_state.get("claims_asked") == asked else None


@st.fragment
def live(found: Evidence, files: Stamp) -> None:
    """Marks and filters first, then the claims that are chosen; an opened one can be run again there."""
    picture, filters = st.columns([0.6, 0.4], gap="medium")
    with picture:
        st.html(mark_table(found.outcomes))
    with filters:
        chosen = choose(found.outcomes)
    state.note()
    if not chosen:
        st.info("No claim has this paper and this verdict.", icon=":material/filter_alt:")
        return
    opened = st.query_params.get("claims_open", "")
    names = [claim.id for claim in chosen]
    end = names.index(opened) + 1 if opened in names else len(chosen)
    st.html(claim_table(chosen[:end], found, opened))
    if opened in names:
        with st.container(border=True):
            run_again(chosen[end - 1], found, files)
        if end < len(chosen):
            st.html(claim_table(chosen[end:], found, ""))
