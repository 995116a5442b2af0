"""The terms of the pages, each with two sentences."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "texts" / "glossary.toml"


@cache
def terms() -> list[dict[str, Any]]:
    """Return all terms, sorted by name: each with its name, its text and the pages that use it."""
    found = tomllib.loads(FILE.read_text("utf-8"))["term"]
    return sorted(found, key=lambda term: term["name"].lower())


def glossary(page: str = "") -> str:
    """Return the terms of a page, or all, as Markdown; empty for a page without terms."""
    shown = [term for term in terms() if not page or page in term["pages"]]
    return "\n\n".join(f"**{term['name']}.** {term['text']}" for term in shown)
