"""The terms of the pages, each with two sentences."""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "texts" / "glossary.toml"


class Term(NamedTuple):
    """A term, what it means, and the pages that use it."""

    name: str
    text: str
    pages: tuple[str, ...]


@cache
def terms() -> tuple[Term, ...]:
    """Return all terms, sorted by name."""
    found = tomllib.loads(FILE.read_text("utf-8"))["term"]
    read = [Term(one["name"], one["text"], tuple(one["pages"])) for one in found]
    return tuple(sorted(read, key=lambda term: term.name.lower()))


def glossary(page: str = "") -> str:
    """Return the terms of a page, or all, as Markdown; empty for a page without terms."""
    shown = [term for term in terms() if not page or page in term.pages]
    return "\n\n".join(f"**{term.name}.** {term.text}" for term in shown)
