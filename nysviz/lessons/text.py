"""What the text of a lesson may hold: Markdown and formulas, no HTML, no pictures, links to pages only."""

from __future__ import annotations

import re
from collections.abc import Collection

MOST_CHARACTERS = 1_500
LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\(([^()\s]*)\)")
TARGET = re.compile(r"([a-z_]+)(\?[A-Za-z0-9_%+.~=&,-]*)?")
# What Markdown could make a link, a picture or a tag of, and how to say that it may not stand here.
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


def problems_of_text(text: str, pages: Collection[str]) -> list[str]:
    """Return the end of a sentence for each thing in a text, Markdown, that may not be shown.

    A link is ``[words](page)`` or ``[words](page?parameter=value)``, to one of the pages.
    """
    if len(text) > MOST_CHARACTERS:
        # Not searched: some of the patterns take the square of its length.
        return [f"the text has {len(text)} characters; a few sentences, at most {MOST_CHARACTERS}."]
    problems = []
    for _, target in LINK.findall(text):
        found = TARGET.fullmatch(target)
        if found is None or found[1] not in pages:
            problems.append(f"the link to {target[:60]!r} leads to no page; links lead to pages only.")
    rest = LINK.sub(" ", text)
    if "](" in rest:
        problems.append("a link is not closed; write it as [words](page).")
    for pattern, why in REFUSED:
        if found := pattern.search(rest):
            problems.append(f"{why}: {found[0].strip()!r}.")
    return problems
