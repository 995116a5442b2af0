"""Texts that others have written, in Markdown."""

import re
from functools import cache

from nysviz.datasets import catalog

SPECIAL = frozenset(r"\`*_{}[]()#+-!|<>$~:&")
# The browser makes links, icons and arrows of these after it has taken out the escapes.
READ_LATER = r"www(?=\.)|https?:(?=//)|@(?=[\w-])|:(?=[\w+/-]+:)|[-<>~](?=[-<>=])"
# Nobody sees it, and it separates what would be read together.
JOINER = "\N{WORD JOINER}"


def plain(text: str) -> str:
    """Escape what Markdown would interpret: names may come from a user's file.

    Lines are joined: a new one could begin a list or a heading. An address from the catalog stays a link.
    """
    split = _reader().sub(lambda found: found[1] or found[0] + JOINER, " ".join(text.splitlines()))
    # A number with a point and a blank begins a list.
    split = re.sub(r"^(\s*\d+)\.(?=\s)", rf"\1{JOINER}.", split)
    return "".join(f"\\{character}" if character in SPECIAL else character for character in split)


@cache
def _reader() -> re.Pattern[str]:
    """What the browser would read, and in the first group the addresses that it may."""
    known = {
        address for card in catalog() for address in re.findall(r"https?://[^\s)]+/[^\s)]*", card.source)
    }
    mine = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    return re.compile(f"({mine})|{READ_LATER}", re.IGNORECASE)
