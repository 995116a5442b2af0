"""The papers' own tables, to be set beside what is measured."""

from __future__ import annotations

import csv
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "datasets" / "published"


def table(name: str) -> list[dict[str, str]]:
    """Rows of a printed table as text, column names from its first line.

    Parameters
    ----------
    name : str
        File name without its ending, e.g. ``"zhang2008_table3_error"``. An empty cell was not printed.
    """
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
