"""Find a lesson's file and read it, or say in one sentence what is wrong with it and where."""

import math
import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nysviz.numerics.counts import is_finite, whole
from nysviz.playground.drawing import MOST_LANDMARKS, Drawing
from nysviz.refusal import Refusal
from nysviz.root import ROOT

FOLDER = ROOT / "datasets" / "lessons"
VARIABLE = "NYSVIZ_LESSONS"
MOST_LESSONS = 100
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def folders() -> tuple[Path, ...]:
    """Return the folders of lessons: the project's, and the one that NYSVIZ_LESSONS names."""
    named = os.environ.get(VARIABLE, "").strip()
    return (FOLDER, Path(named)) if named else (FOLDER,)


def names() -> tuple[str, ...]:
    """Return the names of all lessons, folder by folder, sorted by their leading number and then by name."""
    lesson_names: dict[str, None] = {}
    for folder in folders():
        files = sorted(folder.glob("*.toml"), key=_place)[:MOST_LESSONS] if folder.is_dir() else []
        lesson_names |= dict.fromkeys(file.stem for file in files if _file(folder, file.stem) is not None)
    return tuple(lesson_names)


def _place(file: Path) -> tuple[float, str]:
    number = re.match(r"[0-9]{1,9}", file.stem)
    return float(number[0]) if number else math.inf, file.stem


def content_of(name: str) -> bytes:
    """Return the bytes of a lesson's file; ValueError for a name that no lesson has.

    A name is letters, digits and hyphens, so it leads into no other folder, and a link that leads out of the
    folder is not followed.
    """
    for folder in folders():
        if (file := _file(folder, name)) is not None:
            with file.open("rb") as opened:
                return opened.read(MOST_BYTES + 1)
    raise Refusal(f'There is no lesson "{name[:60]}" here; choose one on the page Lessons.')


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
MOST_STEPS, MOST_PARAMETERS, MOST_CHOICES = 8, 40, 6
# Characters of a title, the sentence about a lesson, a value, a step's text, a question or reason, a choice.
TITLE, ABOUT, VALUE, TEXT, SENTENCES, CHOICE = 80, 240, 200, 1_500, 300, 120
SIDEBAR, PLAYGROUND = "sidebar", "playground"
CONTROL = re.compile(r"[a-z][a-zA-Z0-9_]{0,79}")
LESSON_KEYS = ("title", "about", "step")
STEP_KEYS = ("title", "text", "page", "parameters", "hidden", "think", "question", "drawing")
THINK_KEYS = ("ask", "answer")
QUESTION_KEYS = ("ask", "choices", "right", "answer", "tolerance", "below", "landmarks", "hint", "why")
KINDS = "choices with right, the number of the right one; answer; or below with landmarks"
LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\(([^()\s]*)\)")
TARGET = re.compile(r"([a-z_]+)(\?[A-Za-z0-9_%+.~=&,-]*)?")
# Patterns that Markdown could turn into a link, a picture or a tag, and the messages that refuse them.
REFUSED = (
    (re.compile(r"!\["), "pictures are not shown"),
    (re.compile(r"<[A-Za-z!/?]"), "HTML is not shown; put a space after a <"),
    (re.compile(r"://|\bwww\.|mailto:|xmpp:", re.IGNORECASE), "links lead to pages only"),
    (re.compile(r"[\w.+-]@[\w-]"), "links lead to pages only, not to mail"),
    (re.compile(r"\]\s*\[|^\s*\[[^\]\n]*\]:", re.MULTILINE), "write a link as [words](page)"),
    (re.compile(r"\\(href|url|includegraphics|html\w*)"), "formulas have no links or pictures"),
    (
        re.compile(r"^\s{0,3}(#|\||```|~~~)", re.MULTILINE),
        "headings, tables and blocks of code are not shown",
    ),
    (
        re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]"),
        "it has invisible control characters",
    ),
)


Value = str | tuple[str, ...]
# Whether a page can have a control of this name.
Knows = Callable[[str, str], bool]


@dataclass(frozen=True)
class Question:
    """A question with the choices or the number that answers it, a hint, and the reason.

    The hint follows a first wrong answer; a lesson may leave it out. ``answer`` is the right one of the
    choices, counted from 1, or the number. With ``landmarks`` it is what the relative Frobenius error on the
    playground is to fall below with at most ``landmarks`` landmarks.
    """

    ask: str
    why: str
    answer: float
    choices: tuple[str, ...] = ()
    tolerance: float = 0.0
    landmarks: int = 0
    hint: str = ""

    def is_right(self, reply: float) -> bool:
        """Whether a choice, counted from 1, or a number is the answer."""
        return abs(reply - self.answer) <= self.tolerance + 1e-9 * abs(self.answer)

    def is_reached(self, error: float, m: int) -> bool:
        """Whether a drawing with m landmarks has an error that is small enough."""
        return m <= self.landmarks and error < self.answer

    @property
    def solution(self) -> str:
        """The answer in words."""
        return self.choices[int(self.answer) - 1] if self.choices else f"{self.answer:.8g}"


@dataclass(frozen=True)
class Thought:
    """Something to think about before a click shows an answer to it."""

    ask: str
    answer: str


@dataclass(frozen=True)
class Step:
    """A page in a state, with what to think about. ``drawing`` is that of the playground, as in its links."""

    title: str
    text: str
    page: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    think: Thought | None = None
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
    """A lesson that cannot be shown; the message says which line to mend, and how."""


def read(content: bytes, name: str, pages: Collection[str], knows: Knows) -> Lesson:
    """Read and check a lesson; LessonError for the first problem, with its step and key."""
    if len(content) > MOST_BYTES:
        raise LessonError(f"The file is larger than {MOST_BYTES // 1000} kB; a lesson is a few kB of text.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise LessonError(f"Line {line}: the file is not UTF-8; save it as UTF-8.") from None
    lines = text.split("\n")  # counted as TOML counts them
    if len(lines) > MOST_LINES:
        raise LessonError(f"The file has {len(lines)} lines; a lesson has at most {MOST_LINES}.")
    for number, text_line in enumerate(lines, start=1):
        message = f"it has {len(text_line)} characters; break it into lines of at most {LONGEST_LINE}."
        _check(len(text_line) <= LONGEST_LINE, f"Line {number}", message)
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not TOML, nested too deeply, or a number of thousands of digits.
        place = re.search(r"line (\d+)", str(error))
        where = place[1] if place else len(text.splitlines())
        reason = re.sub(r"\s*\(at .*\)$", "", str(error))[:160] or "nested too deeply"
        remedy = "compare it with a downloaded lesson"
        raise LessonError(f"Line {where}: this is not TOML ({reason}); {remedy}.") from None
    _check_keys(table, LESSON_KEYS, "The lesson")
    title, about = _line(table, "title", TITLE, "The lesson"), _line(table, "about", ABOUT, "The lesson")
    steps: Any = table.get("step")
    is_list = isinstance(steps, list) and steps and all(isinstance(step, dict) for step in steps)
    _check(is_list, "The lesson, step", "a lesson needs steps; begin each with [[step]].")
    _check(len(steps) <= MOST_STEPS, "The lesson, step", f"a lesson has at most {MOST_STEPS} steps.")
    checked = (_step(step, f"Step {number}", pages, knows) for number, step in enumerate(steps, start=1))
    return Lesson(name, title, about, tuple(checked))


def _check(condition: object, place: str, sentence: str) -> None:
    if not condition:
        raise LessonError(f"{place}: {sentence}")


def _check_keys(table: dict[str, Any], known_keys: Collection[str], where: str) -> None:
    for key in table:
        if key not in known_keys:
            raise LessonError(f"{where}, {key[:40]!r} is not known here; known are {', '.join(known_keys)}.")


def _line(table: Mapping[str, Any], key: str, max_length: int, where: str) -> str:
    """Return the text of a key after checking that it is one line without links."""
    text, place = table.get(key), f"{where}, {key}"
    is_line = isinstance(text, str) and text.strip() and len(text) <= max_length and "\n" not in text.strip()
    _check(is_line, place, f"needs {key}, one line of text of at most {max_length} characters.")
    return _checked_text(text, place, ())


def _checked_text(text: Any, place: str, pages: Collection[str]) -> str:
    """Return a Markdown text after checking that all of it may be shown.

    A link is ``[words](page)`` or ``[words](page?parameter=value)``, to one of the pages.
    """
    # A longer text is not searched: the time of some patterns grows with the square of its length.
    _check(len(text) <= TEXT, place, f"it has {len(text)} characters; a few sentences, at most {TEXT}.")
    for _, target in LINK.findall(text):
        match = TARGET.fullmatch(target)
        message = f"the link to {target[:60]!r} leads to no page; links lead to pages only."
        _check(match and match[1] in pages, place, message)
    unlinked_text = LINK.sub(" ", text)
    for pattern, why in REFUSED:
        if match := pattern.search(unlinked_text):
            raise LessonError(f"{place}: {why}: {match[0].strip()!r}.")
    _check("](" not in unlinked_text, place, "a link is not closed; write it as [words](page).")
    return str(text).strip()


def _step(table: dict[str, Any], where: str, pages: Collection[str], knows: Knows) -> Step:
    _check_keys(table, STEP_KEYS, where)
    title, text, page = _line(table, "title", TITLE, where), table.get("text"), table.get("page", "")
    message = "needs a text: a few sentences between three quotation marks."
    _check(isinstance(text, str) and text.strip(), f"{where}, text", message)
    text = _checked_text(text, f"{where}, text", pages)
    is_text = isinstance(page, str)
    message = f"there is no page {repr(page[:40]) if is_text else 'that is no text'}; there are "
    _check(is_text and page in pages, f"{where}, page", f"{message}{', '.join(sorted(pages))}.")
    hidden = table.get("hidden", [])
    is_list = isinstance(hidden, list) and all(isinstance(key, str) for key in hidden)
    _check(is_list, f"{where}, hidden", 'hidden is a list of names: hidden = ["seed"].')
    parameters = _parameters(table.get("parameters", {}), f"{where}, parameters")
    for name in {*parameters, *hidden} - {SIDEBAR}:
        message = f"the page {page} has no control {name[:40]!r}; copy names from the page's address."
        _check(CONTROL.fullmatch(name) and knows(page, name), f"{where}, parameters or hidden", message)
    think, question, drawing = None, None, table.get("drawing", "")
    if "think" in table:
        think = _thought(table["think"], f"{where}, think")
    if "question" in table:
        question = _question(table["question"], f"{where}, question")
        is_here = not question.landmarks or page == PLAYGROUND
        _check(is_here, f"{where}, question", f"an error is reached on the page {PLAYGROUND} alone.")
    if drawing:
        message = f"a drawing is shown on the page {PLAYGROUND} alone."
        _check(page == PLAYGROUND, f"{where}, drawing", message)
        try:
            drawing = Drawing.from_text(drawing).text
        except (TypeError, Refusal):
            link = "copy what stands behind #d= in the address of the playground"
            raise LessonError(f"{where}, drawing: the drawing is damaged; {link}.") from None
    return Step(title, text, page, parameters, tuple(dict.fromkeys(hidden)), think, question, drawing)


def _parameters(table: Any, where: str) -> dict[str, Value]:
    is_few = isinstance(table, dict) and len(table) <= MOST_PARAMETERS
    _check(is_few, where, f"these are lines below [step.parameters], at most {MOST_PARAMETERS}.")
    parameters: dict[str, Value] = {}
    for name, value in table.items():
        texts = tuple(value) if isinstance(value, list) else (value,)
        are_texts = len(texts) <= MOST_PARAMETERS and all(
            isinstance(text, str) and len(text) <= VALUE and text.isprintable() for text in texts
        )
        message = f'{name[:40]!r} is not a text; write it as the address shows it: name = "…".'
        _check(are_texts, where, message)
        parameters[name] = texts if isinstance(value, list) else texts[0]
    return parameters


def _thought(table: Any, where: str) -> Thought:
    """Read and check ``[step.think]``."""
    _check(isinstance(table, dict), where, "it is lines below [step.think]: ask and answer.")
    _check_keys(table, THINK_KEYS, where)
    return Thought(*(_line(table, key, SENTENCES, where) for key in THINK_KEYS))


def _question(table: Any, where: str) -> Question:
    """Read and check ``[step.question]``."""
    message = f"a question is lines below [step.question]: ask, why, and {KINDS}."
    _check(isinstance(table, dict), where, message)
    _check_keys(table, QUESTION_KEYS, where)
    ask, why = (_line(table, key, SENTENCES, where) for key in ("ask", "why"))
    hint = _line(table, "hint", SENTENCES, where) if "hint" in table else ""
    is_one = sum(key in table for key in ("choices", "answer", "below")) == 1
    _check(is_one, where, f"a question needs one of these: {KINDS}.")
    if "choices" in table:
        listed, right = table["choices"], table.get("right")
        message = f'choices are a list of 2 to {MOST_CHOICES} texts: choices = ["…", "…"].'
        _check(isinstance(listed, list) and 2 <= len(listed) <= MOST_CHOICES, where, message)
        choices = tuple(_line({"a choice": choice}, "a choice", CHOICE, where) for choice in listed)
        _check(len(set(choices)) == len(choices), where, "two choices are the same.")
        message = f"right is the number of the right choice, from 1 to {len(choices)}."
        _check(whole(right) in range(1, 1 + len(choices)), where, message)
        return Question(ask, why, float(right), choices, hint=hint)
    if "below" in table:
        below, landmarks = table["below"], table.get("landmarks")
        message = "below is the relative Frobenius error to reach on the playground: below = 0.3."
        _check(is_finite(below) and below > 0, where, message)
        message = f"landmarks is the largest number allowed, from 1 to {MOST_LANDMARKS}: landmarks = 3."
        _check(whole(landmarks) in range(1, 1 + MOST_LANDMARKS), where, message)
        return Question(ask, why, float(below), landmarks=landmarks, hint=hint)
    for key, minimum in (("answer", -math.inf), ("tolerance", 0)):
        value = table.get(key, 0)
        is_number = is_finite(value) and not isinstance(value, bool) and value >= minimum
        _check(is_number, where, f"{key} is a number, a tolerance 0 or more: {key} = 0.5.")
    tolerance = float(table.get("tolerance", 0.0))
    return Question(ask, why, float(table["answer"]), tolerance=tolerance, hint=hint)
