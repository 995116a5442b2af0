"""A lesson as a value, and what is wrong with one that cannot be shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Value = str | tuple[str, ...]
# Whether a page can have a control of this name.
Knows = Callable[[str, str], bool]


@dataclass(frozen=True)
class Step:
    """A page in a state, with what to think about: title, text in Markdown, parameters, hidden controls."""

    title: str
    text: str
    page: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """A tour: its name (the file's, without ``.toml``), title, what it is about, and its steps."""

    name: str
    title: str
    about: str
    steps: tuple[Step, ...]


class LessonError(ValueError):
    """A lesson that cannot be shown; ``problems`` has a sentence for each thing to mend."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)
