"""One visitor walks over all pages, then opens Bounds on 20 000 rows: how much memory the server takes.

``python -m benchmarks.classroom.walk 512 768 1024``, in megabytes that the server is told that it has. A host
with less than the printed peak would have ended it.
"""

from __future__ import annotations

import asyncio
import re
from urllib.parse import urlencode

import click

from benchmarks.classroom.__main__ import server
from benchmarks.classroom.memory import PROC
from benchmarks.classroom.session import Session
from benchmarks.classroom.student import until_over

PATIENCE_SECONDS = 60.0
ROWS = {"data": "Gaussian clusters", "clusters_n": "20000", "clusters_d": "10"}
VIEWS = (None, "Oglic, Li: against the best rank k", "k-DPP: does the chain mix?")


def peak(process: int) -> int:
    """Return the megabytes (of 2^20 bytes) that a process has held at most."""
    status = (PROC / str(process) / "status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) // 1024


async def walk(url: str, process: int) -> None:
    """Open the pages one after the other, and print the peak after each."""
    session = Session(url)
    await until_over(session, await session.open(""), PATIENCE_SECONDS)
    for page in session.pages:
        await until_over(session, await session.go(page), PATIENCE_SECONDS)
        print(f"  {page.url_pathname or 'home':16s} {peak(process)} MiB", flush=True)
    await session.close()
    for view in VIEWS:
        session = Session(url)
        query = urlencode(ROWS | ({} if view is None else {"bounds_view": view}))
        await until_over(session, await session.open("bounds", query), 5 * PATIENCE_SECONDS)
        said = [*session.sentences, *session.failures]
        print(f"  20 000 rows, {view or 'bounds'}: {peak(process)} MiB {said or ''}", flush=True)
        await session.close()


@click.command()
@click.argument("megabytes", nargs=-1, type=click.IntRange(256), metavar="MB [MB ...]")
def main(megabytes: tuple[int, ...]) -> None:
    """Print the server's peak memory, told that it has so much."""
    for told in megabytes or (512, 1024):
        print(f"told {told} MiB", flush=True)
        with server(None, told) as (url, process):
            if process is None:
                raise click.ClickException("This needs /proc, which Linux has.")
            asyncio.run(walk(url, process))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.classroom.walk")
