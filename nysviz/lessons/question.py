"""A question of a lesson's step: a choice, a number, or an error to reach on the playground."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from nysviz.counts import is_finite, whole
from nysviz.lessons.text import problems_of_text
from nysviz.playground.drawing import MOST_LANDMARKS

QUESTION_KEYS = ("ask", "choices", "right", "answer", "tolerance", "below", "landmarks", "why")
KINDS = "choices with right, the number of the right one; answer; or below with landmarks"
# Characters of a question or a reason, and of a choice; and how many choices.
SENTENCES, CHOICE = 300, 120
MOST_CHOICES = 6


@dataclass(frozen=True)
class Question:
    """What is asked, with the choices or the number that answers it, and the reason.

    ``answer`` is the right one of the choices, counted from 1, or the number. With ``landmarks`` it is what
    the relative Frobenius error on the playground is to fall below with at most so many.
    """

    ask: str
    why: str
    answer: float
    choices: tuple[str, ...] = ()
    tolerance: float = 0.0
    landmarks: int = 0

    def is_right(self, given: float) -> bool:
        """Whether a choice, counted from 1, or a number is the answer."""
        return abs(given - self.answer) <= self.tolerance + 1e-9 * abs(self.answer)

    def is_reached(self, error: float, m: int) -> bool:
        """Whether a drawing with m landmarks has an error that is small enough."""
        return m <= self.landmarks and error < self.answer

    @property
    def solution(self) -> str:
        """The answer in words."""
        return self.choices[int(self.answer) - 1] if self.choices else f"{self.answer:.6g}"


def question_of(table: Any, say: Callable[[str, str], None]) -> Question | None:
    """Read and check ``[step.question]``; for a bad one None, and ``say(key, sentence)`` for each problem."""
    problems = (
        list(_problems(table))
        if isinstance(table, dict)
        else [("", f"a question is lines below [step.question]: ask, why, and {KINDS}.")]
    )
    for key, sentence in problems:
        say(key, sentence)
    if problems:
        return None
    answer: Any = table.get("answer", table.get("right", table.get("below")))
    return Question(
        table["ask"].strip(),
        table["why"].strip(),
        float(answer),
        tuple(table.get("choices", ())),
        float(table.get("tolerance", 0.0)),
        table.get("landmarks", 0),
    )


def _problems(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in table:
        if key not in QUESTION_KEYS:
            yield key, f"{key[:40]!r} is not known in a question; known are {', '.join(QUESTION_KEYS)}."
    for key in ("ask", "why"):
        if problem := _problem_of(table.get(key), SENTENCES):
            yield key, f"a question needs {key}: {problem}"
    if sum(key in table for key in ("choices", "answer", "below")) != 1:
        yield "", f"a question needs one of these: {KINDS}."
    elif "choices" in table:
        yield from _problems_of_choices(table["choices"], table.get("right"))
    elif "below" in table:
        if not is_finite(table["below"]) or not table["below"] > 0:
            yield "below", "below is the relative Frobenius error to reach on the playground: below = 0.3."
        if whole(table.get("landmarks")) not in range(1, 1 + MOST_LANDMARKS):
            yield "landmarks", f"landmarks are at most so many, from 1 to {MOST_LANDMARKS}: landmarks = 3."
    else:
        for key, least in (("answer", -math.inf), ("tolerance", 0)):
            value = table.get(key, 0)
            if not is_finite(value) or isinstance(value, bool) or value < least:
                yield key, f"{key} is a number, a tolerance 0 or more: {key} = 0.5."


def _problems_of_choices(choices: Any, right: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(choices, list) or not 2 <= len(choices) <= MOST_CHOICES:
        yield "choices", f'choices are a list of 2 to {MOST_CHOICES} texts: choices = ["…", "…"].'
    elif problem := next(filter(None, (_problem_of(choice, CHOICE) for choice in choices)), ""):
        yield "choices", f"a choice needs {problem}"
    else:
        if len(set(choices)) < len(choices):
            yield "choices", "two choices are the same."
        if whole(right) not in range(1, 1 + len(choices)):
            yield "right", f"right is the number of the right choice, from 1 to {len(choices)}."


def _problem_of(text: Any, most: int) -> str:
    """Return what is wrong with one line of text, as the end of a sentence; empty where nothing is."""
    if not isinstance(text, str) or not text.strip() or len(text) > most or "\n" in text.strip():
        return f"one line of text of at most {most} characters."
    return next(iter(problems_of_text(text, ())), "")
