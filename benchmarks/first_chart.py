"""Seconds from the start of the server to the first chart, with a cold and a warm cache of jitted code.

``python -m benchmarks.first_chart``. The cold start has an empty NUMBA_CACHE_DIR; the warm ones use what it
left there.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import click
from playwright.sync_api import Browser

from tests.browser.serving import ROOT, browsing, serving

WAIT_SECONDS = 180.0
FIRST_CHART = "document.querySelector('.js-plotly-plot:has(.main-svg)')?.data?.length"


def start(browser: Browser, script: Path, cache: str) -> tuple[float, float]:
    """Return the seconds until the server answers, and until the first chart is drawn."""
    with serving(script, {"NUMBA_CACHE_DIR": cache}) as server:
        answered = time.perf_counter() - server.started
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        page = context.new_page()
        page.goto(server.url)
        page.wait_for_function(FIRST_CHART, timeout=WAIT_SECONDS * 1000)
        drawn = time.perf_counter() - server.started
        context.close()
    return answered, drawn


def report(name: str, answered: float, drawn: float) -> None:
    """Print one line."""
    click.echo(f"{name:20s} server answers after {answered:.1f} s, first chart after {drawn:.1f} s")


@click.command()
@click.option("--script", type=click.Path(path_type=Path), default=ROOT / "app.py", help="Page to start.")
@click.option("--repeats", default=3, show_default=True, help="Warm starts.")
def main(script: Path, repeats: int) -> None:
    """Print the time to the first chart, cold and warm."""
    with tempfile.TemporaryDirectory(prefix="nysviz-jit-") as cache, browsing() as browser:
        answered, drawn = start(browser, script, cache)
        report("cold", answered, drawn)
        warm = [start(browser, script, cache) for _ in range(repeats)]
        answered, drawn = (statistics.median(column) for column in zip(*warm, strict=True))
        report(f"warm, median of {repeats}", answered, drawn)


if __name__ == "__main__":
    main()
