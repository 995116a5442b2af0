"""Someone else's words in Markdown."""

SPECIAL = frozenset(r"\`*_{}[]()#+-!|<>$~:")


def plain(text: str) -> str:
    """Escape what Markdown would interpret: names may come from a user's file."""
    return "".join(f"\\{character}" if character in SPECIAL else character for character in text)
