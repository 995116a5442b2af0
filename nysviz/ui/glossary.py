"""The terms of the pages, each with two sentences, and what the rows and columns of the tables mean."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from nysviz.landmarks import METHODS

FILE = Path(__file__).parent / "texts" / "glossary.toml"

WAYS = {"smaller": "Smaller is better.", "larger": "Larger is better.", "neither": ""}


@cache
def terms() -> list[dict[str, Any]]:
    """Return all terms, sorted by name: each with its name, its text and the pages that use it."""
    found = tomllib.loads(FILE.read_text("utf-8"))["term"]
    return sorted(found, key=lambda term: term["name"].lower())


def glossary(page: str = "") -> str:
    """Return the terms of a page, or all, as Markdown; empty for a page without terms."""
    shown = [term for term in terms() if not page or page in term["pages"]]
    return "\n\n".join(f"**{term['name']}.** {term['text']}" for term in shown)


@cache
def rows() -> dict[str, dict[str, str]]:
    """Return what the rows and columns of the tables mean, by the terms of their labels."""
    entries: dict[str, dict[str, str]] = tomllib.loads(FILE.read_text("utf-8"))["row"]
    return entries


def explanation(term: str) -> str:
    """Explain a row or a column of a table: what it is, which way is good, and where it stands."""
    if term in METHODS:
        return f"{METHODS[term].sentence} ({METHODS[term].source})"
    entry = rows()[term]
    paper = f"({entry['paper']})" if "paper" in entry else ""
    return " ".join(filter(None, (entry["text"], WAYS[entry["better"]], paper)))
