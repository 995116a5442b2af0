"""How many processes a lecture needs: ``python -m benchmarks.capacity TEN.json``.

TEN.json is what ten students of a lesson measured: ``python -m benchmarks.classroom 10 --lesson 2-encoding
--out TEN.json``. So few hardly wait for each other: what they waited is the work of a request. Here more of
them share the interpreter of their process evenly; what 30 and 100 really waited stands beside it in
``benchmarks/classroom/measured.md``.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np

from benchmarks.classroom.report import ARRIVALS
from benchmarks.classroom.student import ARRIVAL_SECONDS, MOVES, PAUSES, TURN_SECONDS
from nysviz.blocks import FloatArray

CLASSES = (30, 100, 200, 1_000, 10_000)
STEPS = 5
AIM_SECONDS = 2.0
Request = tuple[float, bool]


def lesson(students: int, step: float, rng: np.random.Generator) -> list[Request]:
    """Return when requests come, and whether each opens a page, of a class that goes through a lesson."""
    asked = []
    for number in np.repeat(np.arange(STEPS), students):
        moment = number * step + rng.uniform(0.0, TURN_SECONDS if number else ARRIVAL_SECONDS)
        asked.append((moment, True))
        for _ in range(rng.choice(MOVES)):
            moment += rng.uniform(*PAUSES) * step
            asked.append((moment, False))
    return sorted(asked)


def waited(asked: Sequence[tuple[float, float]]) -> FloatArray:
    """Return the seconds that each of the requests waits that share one interpreter.

    ``asked`` are the moments, ascending, and the seconds of work.
    """
    # A request is over once so much has been done for each that is under way: one clock for all of them.
    now = done = 0.0
    under_way: list[tuple[float, float]] = []
    found = []
    for moment, work in [*asked, (math.inf, 0.0)]:
        while under_way and (end := now + (under_way[0][0] - done) * len(under_way)) <= moment:
            (done, began), now = heapq.heappop(under_way), end
            found.append(now - began)
        done += (moment - now) / len(under_way) if under_way else 0.0
        now = moment
        heapq.heappush(under_way, (done + work, moment))
    return np.array(found)


def simulate(
    students: int, processes: int, work: Mapping[bool, Sequence[float]], step: float, seed: int = 0
) -> FloatArray:
    """Return what all requests of a class wait for that is spread over so many processes.

    ``work`` are the core-seconds of pages opened (True) and of changes (False), from which each draws one.
    """
    rng = np.random.default_rng(seed)
    each = math.ceil(students / processes)
    asked = [(moment, float(rng.choice(work[opens]))) for moment, opens in lesson(each, step, rng)]
    return waited(asked)


def processes_for(students: int, work: Mapping[bool, Sequence[float]], step: float) -> int:
    """Return the fewest processes with which 95 % of the requests meet the aim."""
    low, high = 0, students
    while high - low > 1:
        middle = (low + high) // 2
        meets = np.percentile(simulate(students, middle, work, step), 95) <= AIM_SECONDS
        low, high = (low, middle) if meets else (middle, high)
    return high


@click.command()
@click.argument("measured", type=click.Path(exists=True, path_type=Path))
@click.option("--step", default=60.0, show_default=True, help="Seconds of a step of the lesson.")
def main(measured: Path, step: float) -> None:
    """Print median and 95 % of classes in one process, and how many make the 95 % two seconds."""
    (few,) = json.loads(measured.read_text())
    answered = [one for one in few["requests"] if one["chart"] is not None]
    work = {
        opens: [one["chart"] for one in answered if (one["what"] in ARRIVALS) is opens]
        for opens in (True, False)
    }
    share = few["server_processor_seconds"] / sum(map(sum, work.values()))
    click.echo(f"processor seconds for each second waited: {share:.2f}")
    for students in CLASSES:
        median, high = np.percentile(simulate(students, 1, work, step), [50, 95])
        needed = processes_for(students, work, step)
        click.echo(f"{students:6} students: {median:.2f}, {high:.2f} s in one process; {needed} are enough")


if __name__ == "__main__":
    main()
