"""Where the keys of a lesson's file stand, so that a problem can name its line."""

from __future__ import annotations


class Lines:
    """The lines of a lesson's keys. ``tomllib`` tells a line only where the file is not TOML at all."""

    def __init__(self, text: str) -> None:
        self._at: dict[tuple[int, str], int] = {}
        step, prefix, closing = 0, "", None
        for number, line in enumerate(text.splitlines(), start=1):
            if closing is not None:
                closing = None if closing in line else closing
                continue
            bare = line.strip()
            if bare.startswith("["):
                header = bare.strip("[] ").split("]")[0].strip()
                step += bare.startswith("[[step]]")
                prefix = "parameters." if header == "step.parameters" else ""
                self._at.setdefault((step, prefix), number)
            elif "=" in bare and not bare.startswith("#"):
                key = bare.split("=")[0].strip().strip("\"'")
                self._at.setdefault((step, prefix + key), number)
            for quotes in ('"""', "'''"):
                if line.count(quotes) % 2:
                    closing = quotes

    def of(self, step: int, key: str) -> str:
        """Name the line of a key, or that of its step, as the beginning of a sentence."""
        line = self._at.get((step, key), self._at.get((step, ""), 1))
        return f"Line {line}: "
