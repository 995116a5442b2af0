"""The words and tables of the page Claims; every number comes from a finding."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from nysviz.datasets import catalog
from nysviz.papers.claim import Choice
from nysviz.papers.claims import CLAIMS, PAPERS, Claim, Finding, Verdict
from nysviz.papers.labels import data_in_words
from nysviz.text import grouped

MARKS = MappingProxyType(
    {
        Verdict.REPRODUCED: "●",
        Verdict.PARTLY: "◐",
        Verdict.NOT: "✕",
        Verdict.DEPENDS: "◇",
        Verdict.UNTESTED: "○",
    }
)
PAGE_NAMES = MappingProxyType(
    {
        "bounds": "Bounds",
        "compare": "Compare",
        "kernel_pca": "Kernel PCA",
        "learning": "Learning",
        "lift": "Lift",
        "quantization": "Quantization",
        "spectrum": "Spectrum",
        "steps": "Step by step",
        "two_balls": "Two balls",
    }
)
STYLE = """<style>
.nysviz-claims tr:has(details[open]) {scroll-margin-top: 4rem;}
.nysviz-claims {width: 100%; border-collapse: collapse; font-size: 0.88rem; line-height: 1.4;}
.nysviz-claims th {text-align: left; font-weight: 400; opacity: 0.75; padding: 0.2rem 0.8rem 0.2rem 0;}
.nysviz-claims td {vertical-align: top; padding: 0.35rem 0.8rem 0.35rem 0;
  border-top: 1px solid rgba(128, 128, 128, 0.3);}
.nysviz-claims td.verdict {min-width: 8rem;}
.nysviz-claims details > summary {cursor: pointer;}
.nysviz-claims details > div {padding: 0.3rem 0 0.3rem 1rem; opacity: 0.9;}
.nysviz-claims ul {margin: 0.2rem 0; padding-left: 1.2rem;}
.nysviz-claims ul li {font-size: inherit;}
.nysviz-claims a {text-decoration: underline; color: inherit;}
.nysviz-claims th, .nysviz-counts th {overflow-wrap: normal; word-break: keep-all; hyphens: none;}
.nysviz-counts th {vertical-align: bottom;}
.nysviz-counts td {white-space: nowrap;}
@media (max-width: 640px) {
  .nysviz-counts {font-size: 0.8rem;}
  .nysviz-claims thead {display: none;}
  .nysviz-claims td {display: block; border-top: none; padding: 0.1rem 0;}
  .nysviz-claims td:first-child {border-top: 1px solid rgba(128, 128, 128, 0.3); padding-top: 0.5rem;}
}
</style>"""


def short(paper: str) -> str:
    """First author and year."""
    name = PAPERS[paper]
    return f"{name.split(',')[0].split()[0]} {name[-4:]}"


def times(repeats: int) -> str:
    """Say "1 repeat" or "6 repeats"."""
    return "1 repeat" if repeats == 1 else f"{repeats} repeats"


def marked(found: Finding) -> str:
    """The verdict with its mark, which no colour is needed for."""
    return f"{MARKS[found.verdict]} {html.escape(found.label)}"


def answer(findings: Mapping[str, Finding]) -> str:
    """Answer the page's question with its counts."""
    count = Counter(found.verdict for found in findings.values())
    tested = len(findings) - count[Verdict.UNTESTED]
    decided = f"all {tested} claims" if tested == len(findings) else f"{tested} of {len(findings)} claims"
    text = (
        f"The recorded runs decide {decided}: **{count[Verdict.REPRODUCED]} reproduced**, "
        f"{count[Verdict.PARTLY]} partly, {count[Verdict.NOT]} not. The verdict on "
        f"{count[Verdict.DEPENDS]} depends on a choice, such as the data sets or a limit."
    )
    if count[Verdict.UNTESTED]:
        text += f" For {count[Verdict.UNTESTED]} there is no run or no data here."
    return text


def count_table(findings: Mapping[str, Finding]) -> str:
    """Counts by paper and verdict, as HTML."""
    whole = Counter(found.verdict for found in findings.values())
    verdicts = [verdict for verdict in Verdict if whole[verdict]]
    head = "".join(f"<th>{MARKS[verdict]} {verdict}</th>" for verdict in verdicts)
    rows = ""
    for paper in PAPERS:
        mine = Counter(findings[claim.id].verdict for claim in CLAIMS.values() if claim.paper == paper)
        cells = "".join(f"<td>{mine[verdict]}</td>" for verdict in verdicts)
        rows += f"<tr><td>{short(paper)}</td>{cells}</tr>"
    total = "".join(f"<td><b>{whole[verdict]}</b></td>" for verdict in verdicts)
    rows += f"<tr><td><b>All</b></td>{total}</tr>"
    top = f"<thead><tr><th>Paper</th>{head}</tr></thead>"
    return f'{STYLE}<table class="nysviz-numbers nysviz-counts">{top}<tbody>{rows}</tbody></table>'


def evidence_link(claim: Claim) -> str:
    """Address of the live page in the state of the claim; the page says so where its data are not at hand."""
    settings = dict(claim.link)
    if "data" in settings:
        settings["data"] = next(card.title for card in catalog() if card.name == settings["data"])
    return f"{claim.page}?{urlencode(settings)}" if settings else claim.page


def claim_table(
    claims: Sequence[Claim],
    findings: Mapping[str, Finding],
    origins: Mapping[str, Mapping[str, Any]],
    opened: str = "",
) -> str:
    """All chosen claims as an HTML table; a claim opens to what was tested, one at a time."""
    head = "".join(f"<th>{name}</th>" for name in ("", "Verdict", "Claim", "What the runs say", "Live"))
    rows = "".join(_row(claim, findings[claim.id], origins, claim.id == opened) for claim in claims)
    return f'{STYLE}<table class="nysviz-claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(claim: Claim, found: Finding, origins: Mapping[str, Mapping[str, Any]], is_open: bool) -> str:
    text = html.escape
    link = f'<a href="{text(evidence_link(claim))}" class="nysviz-state">{PAGE_NAMES[claim.page]}</a>'
    place = f"<small>{text(short(claim.paper))}, {text(claim.place)}</small>"
    summary = f"<summary>{text(claim.statement)} {place}</summary>"
    mark = f'name="claim" data-parameter="claims_open" data-value="{claim.id}"{" open" if is_open else ""}'
    opened = f"<details {mark}>{summary}<div>{_tested(claim, found, origins)}</div></details>"
    changes = [f"{of}: {options}" for of, options in by_choice(found, found.deciding())]
    said = [
        text(found.statistic),
        *(f"<small>{text(part)}</small>" for part in (*changes, sampled(found)) if part),
    ]
    return (
        f'<tr><td>{claim.id}</td><td class="verdict">{marked(found)}</td>'
        f"<td>{opened}</td><td>{'<br>'.join(said)}</td><td>{link}</td></tr>"
    )


def by_choice(found: Finding, others: Sequence[tuple[Choice, Verdict]]) -> list[tuple[str, str]]:
    """Return what is chosen, with the verdict by each option."""
    options: dict[str, dict[str, list[str]]] = {}
    for choice, verdict in others:
        of = options.setdefault(choice.of, {str(found.stated): [choice.stated]})
        name = "not tried" if verdict is Verdict.UNTESTED else str(verdict)
        of.setdefault(name, []).append(choice.other)
    return [
        (of, "; ".join(f"{_options(names)} → {verdict}" for verdict, names in by.items()))
        for of, by in options.items()
    ]


def _options(names: Sequence[str]) -> str:
    """List options; of many data sets that are left out in turn, their number."""
    left_out = [name for name in names if name.startswith("without ")]
    if len(left_out) < 3:
        return ", ".join(names)
    rest = [name for name in names if name not in left_out]
    return ", ".join([*rest, f"without any one of {len(left_out)}"])


def sampled(found: Finding) -> str:
    """Say of which data sets a sample was taken."""
    whole = {card.name: card.n for card in catalog()}
    parts = [
        f"{grouped(n)} of {grouped(whole[name])} rows of {data_in_words(name)}"
        for name, n in found.sizes.items()
        if name in whole and n < whole[name]
    ]
    return f"On {', '.join(parts)}." if parts else ""


def _tested(claim: Claim, found: Finding, origins: Mapping[str, Mapping[str, Any]]) -> str:
    rests_on = [("Reproduced when", claim.decides)]
    if found.data:
        rests_on.append(("On", f"{sets_told(found.data)}; {times(found.repeats)} at most."))
    rests_on += [(f"By {of}", f"{options}.") for of, options in by_choice(found, found.others)]
    if found.absent:
        rests_on.append(("Not tried, since not at hand", f"{sets_told(found.absent)}."))
    return tested(rests_on, claim.experiments, origins, found.numbers)


def sets_told(names: Sequence[str]) -> str:
    """List data sets by their titles, some of which have commas of their own."""
    return "; ".join(map(data_in_words, names))


def tested(
    rests_on: Sequence[tuple[str, str]],
    experiments: Sequence[str],
    origins: Mapping[str, Mapping[str, Any]],
    numbers: Sequence[tuple[str, str]],
) -> str:
    """What opens below a claim or a question, as HTML: what it rests on, where runs are from, numbers."""
    made = [(name, origin_told(origins[name])) for name in experiments if name in origins]
    parts = [f"<b>{html.escape(name)}:</b> {html.escape(text)}" for name, text in [*rests_on, *made]]
    items = "".join(
        f"<li>{html.escape(data_in_words(what))}: {html.escape(value)}</li>" for what, value in numbers
    )
    return "<br>".join(parts) + (f"<ul>{items}</ul>" if items else "")


def origin_told(of: Mapping[str, Any]) -> str:
    """How recorded runs were made, in one line."""
    repeats = sorted({part["repeats"] for part in of["parts"]})
    told = " or ".join(str(value) for value in repeats)
    return (
        f"recorded {of['date']} with nysviz {of['nysviz']} ({of['commit'] or 'no commit'}), seed "
        f"{of['seed']}, "
        f"{told} repeats, {of['seconds']} s on {of['machine']}."
    )


def seconds_of(origins: Mapping[str, Mapping[str, Any]], claim: Claim) -> str:
    """How long the recorded runs of a claim took."""
    spent = sum(float(origins[name]["seconds"]) for name in claim.experiments if name in origins)
    return f"{spent:.0f} s"


def beside(claim: Claim, record: Finding, same: Finding | None, live: Finding | None) -> str:
    """The record beside a live run on some of its data, with what changed, as HTML."""
    rows = [("recorded, all data", record, "")]
    if same is not None:
        rows.append(("recorded, these data", same, ""))
    if live is not None and same is not None:
        changed = "≠ changed" if live.verdict is not same.verdict else "= the same verdict"
        rows.append(("run here, these data", live, changed))
    body = "".join(
        f"<tr><td>{name}</td><td class='verdict'>{marked(found)}<br><b>{mark}</b></td>"
        f"<td>{html.escape(found.statistic)}</td>"
        f"<td>{times(found.repeats) if found.repeats else '–'}</td></tr>"
        for name, found, mark in rows
    )
    head = f"<tr><th>{claim.id}</th><th>Verdict</th><th>Statistic</th><th>Repeats</th></tr>"
    return f'{STYLE}<table class="nysviz-claims"><thead>{head}</thead><tbody>{body}</tbody></table>'


def seen(findings: Mapping[str, Finding]) -> str:
    """Name the data sets that no run has."""
    absent = sorted({name for found in findings.values() for name in found.absent})
    if not absent:
        return "The recorded runs have every data set that the claims rest on."
    return (
        f"Data sets that some claims rest on and that the runs do not have: {sets_told(absent)}. Verdicts on "
        "those claims are about the other sets."
    )


MATHS = r"""
Every verdict is computed from tidy rows (data, method, m, repeat, measure, value) by the rule that opens with
its claim.

- Two methods at one data set and m: Wilcoxon's signed-rank test over the repeats, run $r$ of one paired with
  run $r$ of the other; Holm's correction within each data set at 5 %.
- Two errors of the same runs: Spearman's $\rho$ with a 95 % interval from 2000 bootstrap samples,
  drawn within each scheme.
- Rates: the least-squares slope of $\log$ value against $\log n$ or $\log m$.
- *Reproduced*: the rule holds on every set tried, or on most where the claim says most.
  *Partly*: on some, or in direction. *Not testable here*: no run is recorded.
- *Depends on*: the verdict changes with another choice that was fixed before looking: the paper's data sets
  alone, all sets but one, or one of those listed with the claim.
- *Equal*, *as good*, *gone*: a 95 % interval, or two one-sided tests at 5 %, lie within a stated margin.
  A difference that is not significant does not count as none.
"""

SOURCE = (
    "The claims are told in this project's words; the places are those of Zhang, Tsang & Kwok (ICML "
    "2008), Farahat, "
    "Ghodsi & Kamel (2011), Yang, Li, Mahdavi, Jin & Zhou (NIPS 2012) and Oglic & Gärtner (ICML 2017)."
)
