"""The playground's JavaScript modules joined into one, without a build step."""

from __future__ import annotations

from importlib.resources import files

# In the order in which they are joined: a module stands behind those that it imports.
MODULES = ("kernels", "nystrom", "algorithms", "state", "canvas", "hand", "panel", "main")


def bundle() -> str:
    """Return the text of one ES module that holds all modules, without imports and exports.

    Imports are lines of their own in these modules, and no name is defined at the top of two of them.
    """
    folder = files("nysviz.ui.playground") / "js"
    texts = [(folder / f"{name}.js").read_text(encoding="utf-8") for name in MODULES]
    lines = [line for text in texts for line in text.splitlines() if not line.startswith("import ")]
    return "\n".join(line.removeprefix("export ") for line in lines) + "\n"
