"""Find a lesson's file, read it, and say everything that is wrong with it at once."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nysviz.lessons.question import Question, question_of
from nysviz.lessons.text import problems_of_text
from nysviz.playground.drawing import Drawing
from nysviz.refusal import Refusal
from nysviz.root import ROOT

FOLDER = ROOT / "datasets" / "lessons"
VARIABLE = "NYSVIZ_LESSONS"
MOST_LESSONS = 100
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def folders() -> tuple[Path, ...]:
    """Return the folders that lessons come from: the project's own, and the one that NYSVIZ_LESSONS names."""
    named = os.environ.get(VARIABLE, "").strip()
    return (FOLDER, Path(named)) if named else (FOLDER,)


def names() -> tuple[str, ...]:
    """Return the names of all lessons at hand, folder by folder."""
    found: dict[str, None] = {}
    for folder in folders():
        files = sorted(folder.glob("*.toml"))[:MOST_LESSONS] if folder.is_dir() else []
        found |= dict.fromkeys(file.stem for file in files if _file(folder, file.stem) is not None)
    return tuple(found)


def content_of(name: str) -> bytes:
    """Return a lesson's file as it is; ValueError for a name that no lesson has.

    A name is letters, digits and hyphens, so it leads into no other folder, and a link that leads out of the
    folder is not followed.
    """
    for folder in folders():
        if (file := _file(folder, name)) is not None:
            with file.open("rb") as opened:
                return opened.read(MOST_BYTES + 1)
    raise Refusal(f'There is no lesson "{name[:60]}" here.')


def _file(folder: Path, name: str) -> Path | None:
    if not NAME.fullmatch(name):
        return None
    try:
        file, inside = (folder / f"{name}.toml").resolve(), folder.resolve()
        return file if file.is_relative_to(inside) and file.is_file() else None
    except (OSError, RuntimeError):
        return None


MOST_BYTES = 100_000
# The reader of TOML takes seconds for a key of thousands of parts, which stands on one line.
MOST_LINES, LONGEST_LINE = 1_000, 2_000
MOST_STEPS = 8
# So many problems of one file are said.
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
    """Read and check a lesson; LessonError with a sentence for each problem, which names step and key."""
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
    place = re.search(r"line (\d+)", str(error))
    where = place[1] if place else len(text.splitlines())
    what = re.sub(r"\s*\(at .*\)$", "", str(error))[:160] or "nested too deeply"
    return f"Line {where}: this is not TOML ({what}); compare it with a downloaded lesson."


class _Part:
    """A lesson's own lines, or those of a step, and what is wrong in them."""

    def __init__(
        self, table: dict[str, Any], where: str, known: tuple[str, ...], problems: list[str]
    ) -> None:
        self.table, self._where, self._problems = table, where, problems
        for key in table:
            if key not in known:
                self.say(key, f"{key[:40]!r} is not known here; known are {', '.join(known)}.")

    def say(self, key: str, sentence: str) -> None:
        place = f"{self._where}, {key[:40]}" if key and key.isprintable() else self._where
        self._problems.append(f"{place}: {sentence}")

    def line(self, key: str, most: int) -> str:
        value = self.table.get(key)
        if not isinstance(value, str) or not value.strip() or len(value) > most or "\n" in value.strip():
            self.say(key, f'needs {key} = "…", one line of at most {most} characters.')
            return ""
        for problem in problems_of_text(value, ()):
            self.say(key, problem)
        return value.strip()


class _Check:
    """One pass over a lesson's table that collects every problem."""

    def __init__(self, pages: Collection[str], knows: Knows) -> None:
        self.problems: list[str] = []
        self._pages, self._knows = pages, knows

    def lesson(self, table: dict[str, Any], name: str) -> Lesson:
        whole = _Part(table, "The lesson", LESSON_KEYS, self.problems)
        title, about = whole.line("title", TITLE), whole.line("about", ABOUT)
        tables = table.get("step", [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables) or not tables:
            whole.say("step", "a lesson needs steps; begin each with [[step]].")
            tables = []
        if len(tables) > MOST_STEPS:
            whole.say("step", f"a lesson has at most {MOST_STEPS} steps, not {len(tables)}.")
        steps = (
            self._step(_Part(one, f"Step {number}", STEP_KEYS, self.problems))
            for number, one in enumerate(tables[:MOST_STEPS], start=1)
        )
        return Lesson(name, title, about, tuple(steps))

    def _step(self, part: _Part) -> Step:
        title, text, page = part.line("title", TITLE), part.table.get("text"), part.table.get("page", "")
        if not isinstance(text, str) or not text.strip():
            part.say("text", "needs a text: a few sentences between three quotation marks.")
            text = ""
        for problem in problems_of_text(text, self._pages):
            part.say("text", problem)
        if not isinstance(page, str) or page not in self._pages:
            named = repr(page[:40]) if isinstance(page, str) else "that is no text"
            part.say("page", f"there is no page {named}; there are {', '.join(sorted(self._pages))}.")
            page = ""
        question = None
        if "question" in part.table:
            question = question_of(
                part.table["question"], lambda key, sentence: part.say(f"question.{key}", sentence)
            )
            if question and question.landmarks and page != PLAYGROUND:
                part.say("question.below", f"an error is reached on the page {PLAYGROUND} alone.")
        parameters, hidden = self._parameters(part, page), self._hidden(part, page)
        return Step(title, text.strip(), page, parameters, hidden, question, _drawing(part, page))

    def _parameters(self, part: _Part, page: str) -> dict[str, Value]:
        table = part.table.get("parameters", {})
        if not isinstance(table, dict) or len(table) > MOST_PARAMETERS:
            what = f"parameters are lines below [step.parameters], at most {MOST_PARAMETERS}."
            part.say("parameters", what)
            return {}
        found: dict[str, Value] = {}
        for name, value in table.items():
            texts = tuple(value) if isinstance(value, list) else (value,)
            if page and not (CONTROL.fullmatch(name) and self._knows(page, name)):
                problem = f"the page {page} has no control {name[:40]!r}; copy names from the page's address."
            elif len(texts) > MOST_PARAMETERS or not all(
                isinstance(text, str) and len(text) <= VALUE and text.isprintable() for text in texts
            ):
                problem = f'{name} is not a text; write it as the address shows it: {name} = "…".'
            else:
                found[name] = texts if isinstance(value, list) else texts[0]
                continue
            part.say(f"parameters.{name}", problem)
        return found

    def _hidden(self, part: _Part, page: str) -> tuple[str, ...]:
        keys = part.table.get("hidden", [])
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            part.say("hidden", 'hidden is a list of names: hidden = ["seed"].')
            return ()
        for key in keys:
            fine = key == SIDEBAR or (CONTROL.fullmatch(key) and self._knows(page, key))
            if page and not fine:
                part.say("hidden", f"the page {page} has no control {key[:40]!r} to hide.")
        return tuple(dict.fromkeys(keys))


def _drawing(part: _Part, page: str) -> str:
    drawing = part.table.get("drawing", "")
    if page != PLAYGROUND and drawing:
        part.say("drawing", f"a drawing is shown on the page {PLAYGROUND} alone.")
    elif drawing:
        try:
            return Drawing.from_text(drawing).text
        except (TypeError, Refusal):
            link = "copy what stands behind #d= in the address of the playground"
            part.say("drawing", f"the drawing is damaged; {link}.")
    return ""
