"""The command line of the load driver."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import click

from benchmarks.classroom.lesson import lesson, soak, walk, warm_up
from benchmarks.classroom.memory import most_resident, served_by
from benchmarks.classroom.report import NOTE, Result, as_dict, table, tracebacks
from benchmarks.classroom.student import App, Course, look_around
from nysviz.numerics.machine import VARIABLE
from nysviz.papers.output import check_output, write_atomically
from nysviz.ui.lesson_bar import find
from tests.browser.serving import ROOT, serving


@contextmanager
def server(url: str | None, megabytes: int | None, checkout: Path) -> Iterator[tuple[str, int | None]]:
    """Give the address of a server and its process: a running one, or one of our own with a limit of memory.

    What the log of our own tells of exceptions is printed at the end.
    """
    if url is not None:
        yield url.rstrip("/"), None
        return
    granted = {} if megabytes is None else {VARIABLE: str(megabytes)}
    # An empty data folder: what comes along with the package is the same everywhere.
    with (
        tempfile.TemporaryDirectory(prefix="nysviz-classroom-") as empty,
        serving(checkout / "app.py", {"NYSVIZ_DATA": empty, **granted}, checkout) as own,
    ):
        yield own.url, served_by(urlsplit(own.url).port or 0)
        for line in tracebacks(own.log):
            click.echo(line)


async def run(
    url: str,
    process: int | None,
    students: Sequence[int],
    beside: Sequence[str],
    soaking: float,
    walking: bool,
    course: Course | None,
    **how: float,
) -> list[Result]:
    """Warm up, then run what was asked for, and print each result."""
    app = await look_around(url)
    await warm_up(url, app)
    if walking and process is not None:
        before, said = most_resident(process), await walk(url)
        sizes = f"{before / 2**20:.0f} MiB, then {most_resident(process) / 2**20:.0f} MiB"
        click.echo(f"all pages, then Bounds on 20 000 rows: {sizes} at most {said or ''}")
        return []
    click.echo(f"{len(app.pages)} pages, {len(app.data)} data sets\n{NOTE}")
    results: list[Result] = []
    for count in students:
        if soaking:
            results.append(await _soaked(url, app, process, count, soaking, how))
        else:
            for who in ("", *beside):
                found = await lesson(
                    url,
                    app,
                    process,
                    students=count,
                    minutes=how["minutes"],
                    every=how["every"],
                    seed=int(how["seed"]),
                    beside=who,
                    course=course,
                )
                results.append(found)
                click.echo("\n" + "\n".join(table(found)))
    return results


async def _soaked(
    url: str, app: App, process: int | None, places: int, minutes: float, how: dict[str, float]
) -> Result:
    found = await soak(
        url, app, process, places=places, minutes=minutes, every=how["every"], seed=int(how["seed"])
    )
    click.echo("\n" + "\n".join(table(found)))
    click.echo(f"sessions: {len(found.sessions)}")
    return found


@click.command()
@click.option(
    "--students", multiple=True, type=click.IntRange(1), help="How many; may be given again. 1, 10, 30."
)
@click.argument("more", nargs=-1, type=click.IntRange(1), metavar="[STUDENTS ...]")
@click.option("--minutes", default=5.0, show_default=True, help="Length of each run.")
@click.option("--every", default=10.0, show_default=True, help="Mean seconds between a student's changes.")
@click.option("--seed", default=0, show_default=True, help="Start of all that is random in the students.")
@click.option("--lesson", "name", help="All follow this lesson, such as 2-encoding, step by step together.")
@click.option("--step", default=60.0, show_default=True, help="Seconds on each step of the lesson.")
@click.option("--adversary", is_flag=True, help="Each run once more beside two who ask for too much.")
@click.option("--hostile", is_flag=True, help="Each run once more beside three who send hostile files.")
@click.option("--walk", "walking", is_flag=True, help="One visitor: all pages, then Bounds on 20 000 rows.")
@click.option("--soak", "soaking", default=0.0, metavar="MINUTES", help="Students come and go meanwhile.")
@click.option(
    "--memory",
    "megabytes",
    type=click.IntRange(256),
    metavar="MB",
    help="What our own server is told that it has; by default what the machine has.",
)
@click.option(
    "--checkout",
    default=ROOT,
    type=click.Path(exists=True, path_type=Path),
    help="Serve this checkout's app, to compare versions under the same students.",
)
@click.option("--url", help="A running server instead of one of our own; its memory is not measured.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Every request, as JSON.")
def main(
    students: tuple[int, ...],
    more: tuple[int, ...],
    minutes: float,
    every: float,
    seed: int,
    name: str | None,
    step: float,
    adversary: bool,
    hostile: bool,
    soaking: float,
    walking: bool,
    megabytes: int | None,
    checkout: Path,
    url: str | None,
    out: Path | None,
) -> None:
    """Let students work with the app, and print how long they wait, what fails, and what memory it takes.

    ``--students 1 10 30`` and ``--students 1 --students 10 --students 30`` mean the same.
    """
    if out is not None:
        try:
            check_output(out)
        except ValueError as problem:
            raise click.ClickException(str(problem)) from problem
    counts = (*students, *more) or (1, 10, 30)
    beside = ["two adversaries"] * adversary + ["hostile files"] * hostile
    with server(url, megabytes, checkout) as (address, process):
        results = asyncio.run(
            run(
                address,
                process,
                counts,
                beside,
                soaking,
                walking,
                Course(find(name), step) if name else None,
                minutes=minutes,
                every=every,
                seed=seed,
            )
        )
    if out is not None:
        write_atomically(out, json.dumps([as_dict(found) for found in results]).encode())
    if any(found.errors()["exceptions"] or found.errors()["lost sessions"] for found in results):
        sys.exit(1)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.classroom")
