"""Read a lesson's file, and say everything that is wrong with it at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from nysviz.lessons.question import Question, question_of
from nysviz.lessons.text import problems_of_text
from nysviz.playground.drawing import Drawing
from nysviz.refusal import Refusal

MOST_BYTES = 100_000
# The reader of TOML takes seconds for a key of thousands of parts, which stands on one line.
MOST_LINES, LONGEST_LINE = 1_000, 2_000
MOST_STEPS = 8
# So many problems are told of one file.
MOST_PROBLEMS = 20
MOST_PARAMETERS = 40
# Characters of a title, of the sentence about a lesson, of a value.
TITLE, ABOUT, VALUE = 80, 240, 200
SIDEBAR = "sidebar"
CONTROL = re.compile(r"[a-z][a-zA-Z0-9_]{0,79}")
LESSON_KEYS = ("title", "about", "step")
STEP_KEYS = ("title", "text", "page", "parameters", "hidden", "question", "drawing")
PLAYGROUND = "playground"


Value = str | tuple[str, ...]
# Whether a page can have a control of this name.
Knows = Callable[[str, str], bool]


@dataclass(frozen=True)
class Step:
    """A page in a state, with what to think about. ``drawing`` is that of the playground, as in its links."""

    title: str
    text: str
    page: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    question: Question | None = None
    drawing: str = ""


@dataclass(frozen=True)
class Lesson:
    """A tour: its name (the file's, without ``.toml``), title, what it is about, and its steps."""

    name: str
    title: str
    about: str
    steps: tuple[Step, ...]


class LessonError(Refusal):
    """A lesson that cannot be shown; ``problems`` has a sentence for each thing to mend."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


def read(content: bytes, name: str, pages: Collection[str], knows: Knows) -> Lesson:
    """Read and check a lesson.

    Raises
    ------
    LessonError
        With a sentence for each problem, which names the step and the key.
    """
    if len(content) > MOST_BYTES:
        raise LessonError([f"The file is larger than {MOST_BYTES // 1000} kB; a lesson is a few kB of text."])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise LessonError([f"Line {line}: the file is not UTF-8; save it as UTF-8."]) from None
    if problem := _too_long(text):
        raise LessonError([problem])
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not TOML, nested too deeply, or a number of thousands of digits.
        raise LessonError([_syntax(error, text)]) from None
    check = _Check(pages, knows)
    lesson = check.lesson(table, name)
    if check.problems:
        raise LessonError(check.problems[:MOST_PROBLEMS])
    return lesson


def _too_long(text: str) -> str | None:
    # As TOML counts them.
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        return f"The file has {len(lines)} lines; a lesson has at most {MOST_LINES}."
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            return f"Line {number} has {len(line)} characters; break it into lines of at most {LONGEST_LINE}."
    return None


def _syntax(error: Exception, text: str) -> str:
    told = str(error)
    place = re.search(r"line (\d+)", told)
    what = re.sub(r"\s*\(at .*\)$", "", told)[:160]
    where = place[1] if place else len(text.splitlines())
    what = what or "nested too deeply"
    return f"Line {where}: this is not TOML ({what}); compare it with a downloaded lesson."


class _Check:
    """One pass over a lesson's table that collects every problem."""

    def __init__(self, pages: Collection[str], knows: Knows) -> None:
        self.problems: list[str] = []
        self._pages, self._knows = pages, knows

    def _say(self, step: int, key: str, sentence: str) -> None:
        where = f"Step {step}" if step else "The lesson"
        place = f"{where}, {key[:40]}" if key and key.isprintable() else where
        self.problems.append(f"{place}: {sentence}")

    def lesson(self, table: dict[str, Any], name: str) -> Lesson:
        self._keys(0, table, LESSON_KEYS)
        title = self._words(0, table, "title", TITLE)
        about = self._words(0, table, "about", ABOUT)
        parts = table.get("step", [])
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts) or not parts:
            self._say(0, "step", "a lesson needs steps; begin each with [[step]].")
            parts = []
        if len(parts) > MOST_STEPS:
            self._say(MOST_STEPS + 1, "", f"a lesson has at most {MOST_STEPS} steps, not {len(parts)}.")
        steps = tuple(self._step(number, part) for number, part in enumerate(parts[:MOST_STEPS], start=1))
        return Lesson(name, title, about, steps)

    def _step(self, number: int, part: dict[str, Any]) -> Step:
        self._keys(number, part, STEP_KEYS)
        title = self._words(number, part, "title", TITLE)
        text = part.get("text")
        if not isinstance(text, str) or not text.strip():
            self._say(number, "text", "needs a text: a few sentences between three quotation marks.")
            text = ""
        for problem in problems_of_text(text, self._pages):
            self._say(number, "text", problem)
        page = part.get("page", "")
        if not isinstance(page, str) or page not in self._pages:
            offered = ", ".join(sorted(self._pages))
            named = repr(page[:40]) if isinstance(page, str) else "that is no text"
            self._say(number, "page", f"there is no page {named}; there are {offered}.")
            page = ""
        question = None
        if "question" in part:
            question = question_of(
                part["question"], lambda key, sentence: self._say(number, f"question.{key}", sentence)
            )
            if question and question.landmarks and page != PLAYGROUND:
                self._say(number, "question.below", f"an error is reached on the page {PLAYGROUND} alone.")
        return Step(
            title,
            text.strip(),
            page,
            self._parameters(number, part, page),
            self._hidden(number, part, page),
            question,
            self._drawing(number, part, page),
        )

    def _keys(self, number: int, table: dict[str, Any], known: tuple[str, ...]) -> None:
        for key in table:
            if key not in known:
                self._say(number, key, f"{key[:40]!r} is not known here; known are {', '.join(known)}.")

    def _words(self, number: int, table: dict[str, Any], key: str, most: int) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value.strip() or len(value) > most or "\n" in value.strip():
            self._say(number, key, f'needs {key} = "…", one line of at most {most} characters.')
            return ""
        for problem in problems_of_text(value, ()):
            self._say(number, key, problem)
        return value.strip()

    def _parameters(self, number: int, part: dict[str, Any], page: str) -> dict[str, Value]:
        table = part.get("parameters", {})
        if not isinstance(table, dict) or len(table) > MOST_PARAMETERS:
            self._say(
                number,
                "parameters",
                f"parameters are lines below [step.parameters], at most {MOST_PARAMETERS}.",
            )
            return {}
        read: dict[str, Value] = {}
        for name, value in table.items():
            if page and not (CONTROL.fullmatch(name) and self._knows(page, name)):
                self._say(
                    number,
                    f"parameters.{name}",
                    f"the page {page} has no control {name[:40]!r}; copy names from the page's address.",
                )
                continue
            texts = tuple(value) if isinstance(value, list) else (value,)
            if len(texts) > MOST_PARAMETERS or not all(
                isinstance(text, str) and len(text) <= VALUE and text.isprintable() for text in texts
            ):
                self._say(
                    number,
                    f"parameters.{name}",
                    f'{name} is not a text; write it as the address shows it: {name} = "…".',
                )
                continue
            read[name] = texts if isinstance(value, list) else texts[0]
        return read

    def _drawing(self, number: int, part: dict[str, Any], page: str) -> str:
        drawing = part.get("drawing", "")
        if page != PLAYGROUND and drawing:
            self._say(number, "drawing", f"a drawing is shown on the page {PLAYGROUND} alone.")
        elif drawing:
            try:
                return Drawing.from_text(drawing).text
            except (TypeError, Refusal):
                link = "copy what stands behind #d= in the address of the playground"
                self._say(number, "drawing", f"the drawing is damaged; {link}.")
        return ""

    def _hidden(self, number: int, part: dict[str, Any], page: str) -> tuple[str, ...]:
        keys = part.get("hidden", [])
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            self._say(number, "hidden", 'hidden is a list of names: hidden = ["seed"].')
            return ()
        for key in keys:
            fine = key == SIDEBAR or (CONTROL.fullmatch(key) and self._knows(page, key))
            if page and not fine:
                self._say(number, "hidden", f"the page {page} has no control {key[:40]!r} to hide.")
        return tuple(dict.fromkeys(keys))
