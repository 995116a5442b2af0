"""The questions across the papers on the page "Claims": answers in words, since nobody claimed any."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from nysviz.papers.tournament.answers import QUESTIONS, Answer, Question
from nysviz.ui.claims.words import STYLE, sets_told, tested, times

PAGE_NAME = "Tournament"


def question_link(question: Question) -> str:
    """Address of the live page in the state of the question."""
    return f"{question.page}?{urlencode(question.link, doseq=True)}" if question.link else question.page


def question_table(answers: Mapping[str, Answer], origins: Mapping[str, Mapping[str, Any]]) -> str:
    """All questions as an HTML table; a question opens to what the answer rests on."""
    head = "".join(f"<th>{name}</th>" for name in ("", "Question", "What the runs say", "Live"))
    rows = "".join(_row(question, answers[question.id], origins) for question in QUESTIONS.values())
    return f'{STYLE}<table class="nysviz-claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(question: Question, found: Answer, origins: Mapping[str, Mapping[str, Any]]) -> str:
    text = html.escape
    link = f'<a class="nysviz-state" href="{text(question_link(question))}">{PAGE_NAME}</a>'
    summary = f"<summary>{text(question.statement)} <small>claimed by none</small></summary>"
    opened = f"<details>{summary}<div>{_tested(question, found, origins)}</div></details>"
    said = f"{text(found.sentence)}<br><small>{text(found.statistic)}</small>"
    return (
        f"<tr><td>{question.id}</td><td>{opened}</td>"
        f"<td>{said if found.sentence else text(found.statistic)}</td><td>{link}</td></tr>"
    )


def _tested(question: Question, found: Answer, origins: Mapping[str, Mapping[str, Any]]) -> str:
    rests_on = [("Answered by", question.decides)]
    if found.data:
        rests_on.append(("On", f"{sets_told(found.data)}; means of {times(found.repeats)}."))
    return tested(rests_on, question.experiments, origins, found.numbers)
