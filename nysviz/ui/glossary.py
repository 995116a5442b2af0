"""The terms of the pages, each with two sentences, and the meaning of the rows and columns of tables."""

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
    entries = tomllib.loads(FILE.read_text("utf-8"))["term"]
    return sorted(entries, key=lambda term: term["name"].lower())


def glossary(page: str = "") -> str:
    """Return the terms of a page, or all, as Markdown; empty for a page without terms."""
    page_terms = [term for term in terms() if not page or page in term["pages"]]
    return "\n\n".join(f"**{term['name']}.** {term['text']}" for term in page_terms)


@cache
def rows() -> dict[str, dict[str, str]]:
    """Return the meaning of the rows and columns of the tables, by the terms of their labels."""
    entries: dict[str, dict[str, str]] = tomllib.loads(FILE.read_text("utf-8"))["row"]
    return entries


def explanation(term: str) -> str:
    """Explain a row or a column of a table: its definition, which way is good, and its source."""
    if term in METHODS:
        return f"{METHODS[term].sentence} ({METHODS[term].source})"
    entry = rows()[term]
    paper = f"({entry['paper']})" if "paper" in entry else ""
    return " ".join(filter(None, (entry["text"], WAYS[entry["better"]], paper)))
