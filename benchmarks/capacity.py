"""How many cores a class needs: ``python -m benchmarks.capacity ONE.json``.

ONE.json is what one student alone has measured (``python -m benchmarks.classroom 1 --out ONE.json``). Each of
many students asks again some seconds after the answer; what one alone waited is the work of a request, and
requests that meet share the cores evenly. That is a simulation, and the measured runs of 30 and 100 students
beside it in ``benchmarks/classroom/measured.md`` say how far it can be trusted.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

CLASSES = (30, 100, 1_000, 10_000)
MINUTES = 5.0
JITTER = 0.3
AIM_SECONDS = 2.0
MOST_CORES = 4_096


def simulate(
    students: int, cores: int, work: Sequence[float], every: float, minutes: float = MINUTES, seed: int = 0
) -> list[float]:
    """Return the seconds that each request waited.

    Parameters
    ----------
    students, cores : int
    work : sequence of float
        Core-seconds of requests, from which each draws its own.
    every : float
        Mean seconds between an answer and the student's next request.
    minutes : float
        Simulated.
    seed : int
    """
    rng = np.random.default_rng(seed)
    # A request is over once so much has been done for each that is under way: one clock for all of them.
    now = done = 0.0
    asking = [float(rng.uniform(0.0, every)) for _ in range(students)]
    heapq.heapify(asking)
    under_way: list[tuple[float, float]] = []
    waited: list[float] = []
    while now < 60.0 * minutes:
        rate = min(1.0, cores / len(under_way)) if under_way else 0.0
        ends = now + (under_way[0][0] - done) / rate if under_way else np.inf
        if asking and asking[0] <= ends:
            done, now = done + rate * (asking[0] - now), heapq.heappop(asking)
            heapq.heappush(under_way, (done + float(rng.choice(work)), now))
            continue
        (done, asked), now = heapq.heappop(under_way), ends
        waited.append(now - asked)
        heapq.heappush(asking, now + every * float(rng.uniform(1 - JITTER, 1 + JITTER)))
    return waited


def cores_for(students: int, work: Sequence[float], every: float) -> int:
    """Return the fewest cores, a power of two, with which 95 % of the requests meet the aim."""
    cores = 1
    while cores < MOST_CORES:
        waited = simulate(students, cores, work, every, minutes=1.0)
        if len(waited) > students and np.percentile(waited, 95) <= AIM_SECONDS:
            break
        cores *= 2
    return cores


@click.command()
@click.argument("measured", type=click.Path(exists=True, path_type=Path))
@click.option("--cores", default=2, show_default=True, help="Of the machine that is compared with.")
@click.option("--every", default=10.0, show_default=True, help="Seconds between a student's changes.")
def main(measured: Path, cores: int, every: float) -> None:
    """Print what classes wait on so many cores, and with how many 95 % wait no longer than two seconds."""
    (alone,) = json.loads(measured.read_text())
    work = [one["chart"] for one in alone["requests"] if one["chart"] is not None]
    click.echo(f"work of a request: mean {np.mean(work):.3f} s, of {len(work)}; one every {every:g} s")
    click.echo(
        f"{'students':>8}{'median':>9}{'95 %':>9}  on {cores} cores, cores for 95 % below {AIM_SECONDS:g} s"
    )
    for students in CLASSES:
        median, high = np.percentile(simulate(students, cores, work, every), [50, 95])
        click.echo(f"{students:8}{median:8.2f} s{high:7.2f} s  {cores_for(students, work, every)}")


if __name__ == "__main__":
    main()
