"""Where lessons stand: the project's own folder, and one that a teacher names by ``NYSVIZ_LESSONS``."""

from __future__ import annotations

import os
import re
from pathlib import Path

from nysviz.lessons.reading import MOST_BYTES
from nysviz.refusal import Refusal
from nysviz.root import ROOT

FOLDER = ROOT / "datasets" / "lessons"
VARIABLE = "NYSVIZ_LESSONS"
MOST_LESSONS = 100
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def folders() -> tuple[Path, ...]:
    """Return the folders that lessons come from: the project's own, and the one that NYSVIZ_LESSONS names."""
    named = os.environ.get(VARIABLE, "").strip()
    return (FOLDER, Path(named)) if named else (FOLDER,)


def names() -> tuple[str, ...]:
    """Return the names of all lessons at hand, folder by folder."""
    found: dict[str, None] = {}
    for folder in folders():
        files = sorted(folder.glob("*.toml"))[:MOST_LESSONS] if folder.is_dir() else []
        found |= dict.fromkeys(file.stem for file in files if _file(folder, file.stem) is not None)
    return tuple(found)


def content_of(name: str) -> bytes:
    """Return a lesson's file as it is.

    Raises
    ------
    ValueError
        For a name that no lesson has. A name is letters, digits and hyphens, so it leads into no other
        folder, and a link that leads out of the folder is not followed.
    """
    for folder in folders():
        file = _file(folder, name)
        if file is not None:
            with file.open("rb") as opened:
                return opened.read(MOST_BYTES + 1)
    raise Refusal(f'There is no lesson "{name[:60]}" here.')


def _file(folder: Path, name: str) -> Path | None:
    if not NAME.fullmatch(name):
        return None
    try:
        file, inside = (folder / f"{name}.toml").resolve(), folder.resolve()
        return file if file.is_relative_to(inside) and file.is_file() else None
    except (OSError, RuntimeError):
        return None
