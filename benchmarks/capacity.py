"""How many processes a lecture needs: ``python -m benchmarks.capacity TEN.json``.

TEN.json is what ten students measured: ``python -m benchmarks.classroom --students 10 --lesson 2-encoding
--out TEN.json``. So few hardly wait for each other: what they waited is the work of a request. Here the
requests of larger classes share a process; what 30, 100 and 200 really waited stands beside it in
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
from nysviz.numerics.blocks import FloatArray

CLASSES = (30, 100, 200)
STEPS = 5
DRAWS = 20
AIM_SECONDS = 2.0
# What one process makes of two cores, whose pages share one interpreter: fitted to the class of a hundred.
CORES = 1.25
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


def waited(asked: Sequence[tuple[float, float]], cores: float = CORES) -> FloatArray:
    """Return the seconds that requests wait that share ``cores``, each on one of them at most.

    ``asked`` are the moments, ascending, and the seconds of work.
    """
    # A request is over once its share of the work done has reached its own work: one clock for all of them.
    now = done = 0.0
    under_way: list[tuple[float, float]] = []
    found = []
    for moment, work in [*asked, (math.inf, 0.0)]:
        while under_way:
            slowness = max(1.0, len(under_way) / cores)
            if (end := now + (under_way[0][0] - done) * slowness) > moment:
                done += (moment - now) / slowness
                break
            (done, began), now = heapq.heappop(under_way), end
            found.append(now - began)
        now = moment
        heapq.heappush(under_way, (done + work, moment))
    return np.array(found)


def simulate(students: int, work: Mapping[bool, Sequence[float]], step: float) -> tuple[float, float]:
    """Return the median and the 95 % of what the requests of a class wait for, means of some draws.

    ``work`` are the core-seconds of pages opened (True) and of changes (False), from which each draws one.
    """
    found = []
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        asked = [(moment, float(rng.choice(work[opens]))) for moment, opens in lesson(students, step, rng)]
        found.append(np.percentile(waited(asked), [50, 95]))
    median, high = np.mean(found, axis=0)
    return float(median), float(high)


def most_students(work: Mapping[bool, Sequence[float]], step: float) -> int:
    """Return how many students a process carries with 95 % of their requests within the aim."""
    low, high = 1, 1_000
    while high - low > 1:
        middle = (low + high) // 2
        meets = simulate(middle, work, step)[1] <= AIM_SECONDS
        low, high = (middle, high) if meets else (low, middle)
    return low


@click.command()
@click.argument("measured", type=click.Path(exists=True, path_type=Path))
@click.option("--step", default=60.0, show_default=True, help="Seconds of a step of the lesson.")
def main(measured: Path, step: float) -> None:
    """Print median and 95 % of classes in one process, and how many students it carries."""
    (few,) = json.loads(measured.read_text())
    answered = [one for one in few["requests"] if one["chart"] is not None]
    work = {
        opens: [one["chart"] for one in answered if (one["what"] in ARRIVALS) is opens]
        for opens in (True, False)
    }
    for students in CLASSES:
        click.echo("{:4} students: {:.2f}, {:.2f} s".format(students, *simulate(students, work, step)))
    click.echo(f"{most_students(work, step)} students a process: 95 % within {AIM_SECONDS:g} s")


if __name__ == "__main__":
    main()
