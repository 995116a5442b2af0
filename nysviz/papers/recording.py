"""Which runs are recorded, with how many repeats, and the recording itself.

The plan fits into half an hour of two cores: where the paper's repeats or data would take longer, there are
fewer, and the origin of the runs says so. Outcomes count repeats in the rows, not here.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nysviz.papers.experiments import COLUMNS, EXPERIMENTS, OGLIC, REGRESSION, SMALL, YANG, ZHANG, at_hand
from nysviz.papers.farahat2011 import measurements as farahat
from nysviz.papers.oglic2017 import measurements as oglic
from nysviz.papers.output import checked_output, replace
from nysviz.papers.records import ORIGIN, file_of, origins, sizes_of, write
from nysviz.papers.row import Row
from nysviz.papers.tournament.jobs import DATA as TOURNAMENT
from nysviz.papers.yang2012 import measurements as yang
from nysviz.papers.zhang2008 import measurements as zhang
from nysviz.refusal import Refusal
from nysviz.root import ROOT

Reproduce = Callable[[Sequence[str], int, int], Iterator[Row]]
Say = Callable[[str], None]


# What decides claims for which the papers have no figure or table of their own.
MEASUREMENTS: dict[str, Reproduce] = {
    "zhang-prop1": zhang.entries_between_landmarks,
    "zhang-property8": zhang.changes_of_entries,
    "zhang-prop4": zhang.orthogonality,
    "yang-fig1-seeds": yang.eigenvalues_over_seeds,
    "yang-eigengap": yang.excess_over_gaps,
    "yang-theorem5": yang.operator_rows,
    "farahat-recursion": farahat.recursions,
    "farahat-rank-d": farahat.ranks,
    "farahat-groups": farahat.groups,
    "farahat-seconds": farahat.seconds,
    "oglic-chain": oglic.chains,
    "oglic-fig1": oglic.lift_of_samples,
    "oglic-fig3": oglic.ranks_of_samples,
    "oglic-ranks": oglic.landmarks_of_samples,
    "oglic-rows": oglic.lift_at_sizes,
    "oglic-theorems": oglic.guarantees,
}

# A search for counterexamples, about no data set.
WITHOUT_DATA = ("line",)


@dataclass(frozen=True)
class Part:
    """Data sets of one experiment that are recorded with the same number of repeats."""

    experiment: str
    names: tuple[str, ...]
    repeats: int


# Measures that no claim reads and that follow from others, as every lift does, or that another experiment
# records as well.
LEFT_OUT = {
    "zhang-fig2": ("relative_frobenius",),
    "farahat-fig1": ("classical_accuracy", "seconds"),
}

PLAN = (
    Part("zhang-prop1", ("german", "splice", "segment", *SMALL), 3),
    Part("zhang-property8", WITHOUT_DATA, 1),
    Part("zhang-prop4", (*ZHANG[:5], *SMALL), 5),
    Part("zhang-table3", (*ZHANG, *SMALL), 20),
    Part("zhang-fig2", ("german",), 100),
    Part("zhang-fig2", (*ZHANG[1:], *SMALL), 30),
    Part("zhang-fig1", (*ZHANG, *SMALL), 20),
    Part("zhang-table4", ("usps", "digits"), 20),
    Part("zhang-table4", ("mnist",), 10),
    Part("zhang-prop3", (*ZHANG, *SMALL), 3),
    Part("yang-fig1-seeds", ("two_balls",), 10),
    Part("yang-eigengap", ("eigengap_mixture",), 10),
    Part("yang-theorem5", ("cpu", "adult", "digits"), 100),
    Part("yang-fig3", ("cpu", "adult", *SMALL), 1),
    Part("yang-fig1", ("two_balls",), 5),
    Part("yang-fig2", (*YANG, "diabetes"), 10),
    Part("yang-fig2", ("digits",), 5),
    Part("farahat-recursion", (*SMALL, "german", "segment", "yaleb"), 1),
    Part("farahat-rank-d", (*SMALL, "german", "segment", "yaleb"), 3),
    Part("farahat-groups", (*SMALL, "segment", "yaleb", "mnist", "la1"), 10),
    Part("farahat-fig1", ("digits", "yaleb", "la1"), 10),
    Part("farahat-seconds", ("digits", "yaleb", "la1"), 3),
    Part("oglic-theorems", (*SMALL, "german", "segment"), 30),
    Part("oglic-fig1", ("breast_cancer", *OGLIC, "digits"), 10),
    Part("oglic-chain", ("breast_cancer", *OGLIC, "digits"), 10),
    Part("oglic-fig3", ("breast_cancer", *OGLIC, "digits"), 10),
    Part("oglic-ranks", ("breast_cancer", *OGLIC, "digits"), 5),
    Part("oglic-rows", ("elevators", "cal_housing"), 10),
    Part("newer-columns", COLUMNS, 20),
    Part("newer-preconditioner", COLUMNS[1:], 10),
    Part("newer-evidence", (*REGRESSION, "diabetes"), 10),
    Part("newer-centres", REGRESSION, 10),
    Part("tournament", TOURNAMENT, 5),
)


def planned() -> tuple[str, ...]:
    """Experiments of the plan, each once."""
    return tuple(dict.fromkeys(part.experiment for part in PLAN))


def record(experiments: Sequence[str], folder: Path, seed: int = 0, say: Say = lambda _: None) -> None:
    """Run experiments of the plan, or all of it, and write rows and how they were made into a folder.

    ``say`` is called with a line on each experiment.
    """
    if unknown := sorted(set(experiments) - set(planned())):
        raise Refusal(f"{unknown[0]} is not recorded; the plan has {', '.join(planned())}.")
    folder.mkdir(parents=True, exist_ok=True)
    # Before hours of runs, not after them.
    for path in (folder / ORIGIN, *(file_of(experiment, folder) for experiment in experiments or planned())):
        checked_output(path)
    for experiment in experiments or planned():
        rows: list[Row] = []
        parts, started = [], time.perf_counter()
        for part in (part for part in PLAN if part.experiment == experiment):
            there, sentences = at_hand(part.names) if part.names != WITHOUT_DATA else (list(part.names), [])
            for sentence in sentences:
                say(sentence)
            done: list[str] = []
            left_out = [name for name in part.names if name not in there]
            parts.append({"data": done, "absent": left_out, "repeats": part.repeats})
            for name in there:
                rows += run(experiment, [name], part.repeats, seed)
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
    """Yield the rows of one experiment, a published one or a measurement of this package."""
    made = MEASUREMENTS.get(experiment) or EXPERIMENTS[experiment].reproduce
    left_out = LEFT_OUT.get(experiment, ("lift",))
    return (row for row in made(names, repeats, seed) if row.measure not in left_out)


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
