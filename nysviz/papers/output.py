"""Atomic file output, text tables, and the papers' published tables."""

import csv
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from nysviz.refusal import Refusal
from nysviz.root import ROOT

FOLDER = ROOT / "datasets" / "published"


def published(name: str) -> list[dict[str, str]]:
    """Read the rows of a printed table, ``"zhang2008_table3_error"`` for example; empty cells are missing."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def check_output(path: Path) -> None:
    """Raise Refusal where a file cannot be written; an existing file stays as it is."""
    try:
        if path.is_file() or path.is_dir():
            with path.open("ab"):
                pass
        if path.is_file() or not path.exists():
            beside = _beside(path)
            beside.touch()
            beside.unlink()
    except OSError as problem:
        raise Refusal(
            f"{path} cannot be written ({problem.strerror}); name a file in a folder that is there and can "
            "be written to."
        ) from problem


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file in one step: write a new one beside it, then rename it."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # a device or a pipe has no place beside it
        return
    beside = _beside(path)
    try:
        beside.write_bytes(content)
        if path.exists():
            shutil.copymode(path, beside)
        beside.replace(path.resolve())
    finally:
        beside.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    place = path.resolve()  # a link stays a link
    return place.with_name(f"{place.name}.part")


def mean_text(values: ArrayLike) -> str:
    """Write a mean ± standard deviation."""
    array = np.asarray(values, dtype=float)
    spread = f" ± {array.std(ddof=1):.2g}" if len(array) > 1 else ""
    return f"{array.mean():.4g}{spread}"


def aligned(lines: Sequence[Mapping[str, object]]) -> str:
    """Return a text table of lines that have a value for each column."""
    import pandas as pd

    return pd.DataFrame(lines).to_string(index=False, na_rep="–")
