"""Texts written by visitors or data sources, as Markdown."""

import re
from functools import cache

from nysviz.datasets.cards import read_cards

SPECIAL = frozenset(r"\`*_{}[]()#+-!|<>$~:&")
# The browser makes links, icons and arrows of these after it has taken out the escapes.
READ_LATER = r"www(?=\.)|https?:(?=//)|@(?=[\w-])|:(?=[\w+/-]+:)|[-<>~](?=[-<>=])"
# An invisible character that separates signs which would be read together.
JOINER = "\N{WORD JOINER}"


def plain(text: str) -> str:
    """Escape what Markdown would interpret: names may come from a user's file.

    Lines are joined: a new one could begin a list or a heading. An address from the catalog stays a link.
    """
    split = _readable_pattern().sub(lambda match: match[1] or match[0] + JOINER, " ".join(text.splitlines()))
    # A number with a point and a blank begins a list.
    split = re.sub(r"^(\s*\d+)\.(?=\s)", rf"\1{JOINER}.", split)
    return "".join(f"\\{character}" if character in SPECIAL else character for character in split)


@cache
def _readable_pattern() -> re.Pattern[str]:
    """Match text that the browser would interpret, with the addresses that it may in the first group."""
    addresses = {
        address for card in read_cards() for address in re.findall(r"https?://[^\s)]+/[^\s)]*", card.source)
    }
    allowed_pattern = "|".join(map(re.escape, sorted(addresses, key=len, reverse=True)))
    return re.compile(f"({allowed_pattern})|{READ_LATER}", re.IGNORECASE)
