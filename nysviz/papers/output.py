"""Files that are written whole, text tables, and the papers' own tables beside them."""

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
    """Rows of a printed table, ``"zhang2008_table3_error"`` for example; an empty cell was not printed."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def checked_output(path: Path) -> None:
    """Raise one sentence where a file cannot be written; a file that is there stays as it is."""
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


def replace(path: Path, content: bytes) -> None:
    """Write a file beside the one that is there and give it the name: it is the old or the new, and whole."""
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
    place = path.resolve()  # a link stays one
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
