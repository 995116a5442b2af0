"""Run the script that a page shows, and read and compare what it prints."""

from __future__ import annotations

import contextlib
import csv
import io
import math
import warnings
from dataclasses import dataclass
from typing import Any

from streamlit.testing.v1 import AppTest

from nysviz.studies.rows import table
from nysviz.ui.downloads import KEY, PageContent

# Part of the largest value of a measure below which a number is rounding.
ROUNDING = 1e-12
RELATIVE = 1e-10
# What no second run repeats.
TIMES = ("seconds",)


@dataclass(frozen=True)
class Number:
    keys: dict[str, str]
    measure: str
    value: float


def printed(text: str) -> list[Number]:
    """Read what a script has printed: lines ``key=value … measure value``, or tidy records as CSV."""
    found: list[Number] = []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("data,"):
            found += numbers_of("\n".join([line, *lines]))
        elif line.strip():
            *keys, measure, value = line.split(" ")
            found.append(Number(dict(key.split("=", 1) for key in keys), measure, float(value)))
    return found


def numbers_of(text: str) -> list[Number]:
    found = []
    for row in csv.DictReader(io.StringIO(text)):
        keys = {key: value for key, value in row.items() if key not in ("measure", "value", "seconds")}
        found.append(Number(keys, row["measure"], float(row["value"] or "nan")))
    return found


def agree(one: Number, other: Number) -> bool:
    """Whether what is known of both, of which they are the number, is the same."""
    return one.measure == other.measure and all(
        one.keys[key] == other.keys[key] for key in one.keys.keys() & other.keys.keys()
    )


def compare(script: list[Number], shown: list[Number]) -> list[str]:
    """Return a line for each printed number that is not the CSV's, and for each of the CSV not printed."""
    problems = []
    scale: dict[str, float] = {}
    for one in shown:
        if math.isfinite(one.value):
            scale[one.measure] = max(scale.get(one.measure, 0.0), abs(one.value))
    seen: set[int] = set()
    by_measure: dict[str, list[int]] = {}
    for index, one in enumerate(shown):
        by_measure.setdefault(one.measure, []).append(index)
    for one in script:
        if one.measure in TIMES:
            continue
        matches = [index for index in by_measure.get(one.measure, []) if agree(one, shown[index])]
        if not matches:
            problems.append(f"not in the CSV: {one}")
        for index in matches:
            other, limit = shown[index].value, max(ROUNDING * scale.get(one.measure, 0.0), 1e-14)
            seen.add(index)
            same = one.value == other or (math.isnan(one.value) and math.isnan(other))
            if not (same or math.isclose(one.value, other, rel_tol=RELATIVE, abs_tol=limit)):
                problems.append(f"{one}: the CSV has {other!r}")
    missing = [one for index, one in enumerate(shown) if index not in seen and one.measure not in TIMES]
    return problems + [f"not printed: {one}" for one in missing]


def run(script: str) -> tuple[Any, str]:
    """Run a script in this process, which is warm, with nothing but its own names.

    Return its ``result``, where it has one, and what it prints.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    printed_to = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed_to):
        warnings.simplefilter("error")
        # A file is closed when it is forgotten.
        warnings.simplefilter("ignore", ResourceWarning)
        exec(compile(script, "script", "exec"), names)
    return names.get("result"), printed_to.getvalue()


def kept_of(at: AppTest) -> tuple[str, str]:
    content: PageContent = at.session_state[KEY]
    rows = content.rows() if callable(content.rows) else content.rows
    return content.python, table(rows)


def values_of(found: list[Number], measure: str) -> list[float]:
    return [one.value for one in found if one.measure == measure]
