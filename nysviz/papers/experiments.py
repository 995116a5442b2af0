"""Every experiment by its id, from ``datasets/experiments.toml``, and the recording."""

import json
import os
import platform
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from nysviz.papers.data import at_hand, expand_groups
from nysviz.papers.output import check_output, write_atomically
from nysviz.papers.records import ORIGIN, Row, file_of, origins, pivot, sizes_of, write
from nysviz.refusal import Refusal
from nysviz.root import ROOT

TABLE = tomllib.loads((ROOT / "datasets" / "experiments.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Experiment:
    """An entry of the table, which explains the fields; ``recorded`` has data sets with their repeats."""

    title: str
    code: str
    data: tuple[str, ...]
    repeats: int
    embedded: tuple[str, ...]
    recorded: tuple[tuple[tuple[str, ...], int], ...]
    measures: Sequence[str] = ()
    left_out: Sequence[str] = ("lift",)
    settings: Mapping[str, Any] = field(default_factory=dict)
    timed: bool = False
    fixed: bool = False

    def reproduce(self, names: Sequence[str], repeats: int, seed: int, **settings: Any) -> Iterator[Row]:
        """Yield the rows on these data sets as they are measured; run r of what is random has seed + r."""
        if self.fixed and set(names) - set(self.data):
            raise Refusal(f"This experiment is about {self.data[0]} alone; leave other data out.")
        for name in names:
            yield from getattr(self._module(), self.code.rpartition(".")[2])(name, repeats, seed, **settings)

    def _module(self) -> ModuleType:
        return import_module(f"nysviz.papers.{self.code.rpartition('.')[0]}")

    def tables(self, rows: Sequence[Row]) -> list[str]:
        """Return tables of measured numbers, and of measured beside printed ones, as text."""
        tables = [pivot(rows, measure) for measure in self.measures]
        if self.timed:
            tables.append(pivot(rows, self.measures[0], "seconds"))
        module = self._module()
        tables += [module.table(rows)] if hasattr(module, "table") else []
        return list(filter(None, tables))


def _experiment(entry: Mapping[str, Any]) -> Experiment:
    names = {
        "data": expand_groups(entry["data"]),
        "embedded": expand_groups(entry.get("embedded", ["small"])),
        "recorded": tuple(
            (expand_groups(part["data"]), part["repeats"]) for part in entry.get("recorded", [entry])
        ),
    }
    return Experiment(**{**entry, **names})


EXPERIMENTS = {name: _experiment(entry) for name, entry in TABLE.items()}
PLANNED = tuple(name for name, experiment in EXPERIMENTS.items() if experiment.recorded)


def record(
    experiments: Sequence[str], folder: Path, seed: int = 0, say: Callable[[str], None] = lambda _: None
) -> None:
    """Run experiments, by default all planned ones, and write their rows and origin into a folder."""
    if unknown := sorted(set(experiments) - set(PLANNED)):
        raise Refusal(f"{unknown[0]} is not recorded; the plan has {', '.join(PLANNED)}.")
    folder.mkdir(parents=True, exist_ok=True)
    # Refuse an output that cannot be written before hours of runs.
    for path in (folder / ORIGIN, *(file_of(experiment, folder) for experiment in experiments or PLANNED)):
        check_output(path)
    for experiment in experiments or PLANNED:
        rows: list[Row] = []
        done: list[dict[str, Any]] = []
        started = time.perf_counter()
        for names, repeats in EXPERIMENTS[experiment].recorded:
            available_names, sentences = at_hand(names)
            for sentence in sentences:
                say(sentence)
            absent = [name for name in names if name not in available_names]
            done.append({"data": [], "absent": absent, "repeats": repeats})
            for name in available_names:
                rows += run(experiment, [name], repeats, seed)
                done[-1]["data"].append(name)
                # Written after every data set, so that an interrupted recording is usable, with its origin.
                write(rows, file_of(experiment, folder))
                origin = _origin(done, seed, time.perf_counter() - started) | {"sizes": sizes_of(rows)}
                text = json.dumps(origins(folder) | {experiment: origin}, indent=1, sort_keys=True)
                write_atomically(folder / ORIGIN, f"{text}\n".encode())
        say(f"{experiment}: {len(rows)} rows, {time.perf_counter() - started:.0f} s")


def run(experiment: str, names: Sequence[str], repeats: int, seed: int) -> tuple[Row, ...]:
    """Return the rows of one experiment as they are recorded."""
    entry = EXPERIMENTS[experiment]
    rows = entry.reproduce(names, repeats, seed, **entry.settings)
    return tuple(row for row in rows if row.measure not in entry.left_out)


def _origin(done: list[dict[str, Any]], seed: int, seconds: float) -> dict[str, Any]:
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
        "parts": done,
    }


def _commit() -> str:
    """Return the commit of the code, with a plus where files differ from it; empty outside a repository."""
    if not (ROOT / ".git").exists():
        return ""
    try:
        command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--abbrev=9", "--exclude=*"]
        result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return result.stdout.strip()
