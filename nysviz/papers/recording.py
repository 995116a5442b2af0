"""The recording of the runs that decide the claims, as the table of experiments says."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nysviz.papers.experiments import EXPERIMENTS, at_hand
from nysviz.papers.output import checked_output, replace
from nysviz.papers.records import ORIGIN, file_of, origins, sizes_of, write
from nysviz.papers.row import Row
from nysviz.refusal import Refusal
from nysviz.root import ROOT

PLANNED = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.recorded)


def record(
    experiments: Sequence[str], folder: Path, seed: int = 0, say: Callable[[str], None] = lambda _: None
) -> None:
    """Run experiments, or all that are planned, and write rows and how they were made into a folder."""
    if unknown := sorted(set(experiments) - set(PLANNED)):
        raise Refusal(f"{unknown[0]} is not recorded; the plan has {', '.join(PLANNED)}.")
    folder.mkdir(parents=True, exist_ok=True)
    # Before hours of runs, not after them.
    for path in (folder / ORIGIN, *(file_of(experiment, folder) for experiment in experiments or PLANNED)):
        checked_output(path)
    for experiment in experiments or PLANNED:
        rows: list[Row] = []
        parts, started = [], time.perf_counter()
        for names, repeats in EXPERIMENTS[experiment].recorded:
            there, sentences = at_hand(names)
            for sentence in sentences:
                say(sentence)
            done: list[str] = []
            left_out = [name for name in names if name not in there]
            parts.append({"data": done, "absent": left_out, "repeats": repeats})
            for name in there:
                rows += run(experiment, [name], repeats, seed)
                done.append(name)
                # Written after every data set: an interrupted recording keeps what it has, and says so.
                _keep(experiment, rows, folder, _origin(parts, seed, time.perf_counter() - started))
        say(f"{experiment}: {len(rows)} rows, {time.perf_counter() - started:.0f} s")


def _keep(experiment: str, rows: Sequence[Row], folder: Path, origin: dict[str, Any]) -> None:
    write(rows, file_of(experiment, folder))
    origin = origin | {"sizes": sizes_of(rows)}
    text = json.dumps(origins(folder) | {experiment: origin}, indent=1, sort_keys=True) + "\n"
    replace(folder / ORIGIN, text.encode())


def run(experiment: str, names: Sequence[str], repeats: int, seed: int) -> Iterator[Row]:
    """Yield the rows of one experiment as they are recorded."""
    one = EXPERIMENTS[experiment]
    rows = one.reproduce(names, repeats, seed, **one.settings)
    return (row for row in rows if row.measure not in one.left_out)


def _origin(parts: list[dict[str, Any]], seed: int, seconds: float) -> dict[str, Any]:
    import nysviz

    return {
        "nysviz": nysviz.__version__,
        "commit": _commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "seed": seed,
        "seconds": round(seconds),
        "parts": parts,
    }


def _commit() -> str:
    """The commit of the code, with a plus where files differ from it; empty outside a repository."""
    if not (ROOT / ".git").exists():
        return ""
    try:
        asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--abbrev=9", "--exclude=*"]
        found = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()
