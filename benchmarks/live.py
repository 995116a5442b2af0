"""From a moved control to the changed page, in a real browser: ``python -m benchmarks.live``.

On each page one control moves by a step, to values not met before. The page's own clock says when the first
chart has changed, when the last one has, and when nothing is left to compute. The floor is a bare Streamlit
page that shows the very same charts ready made, the old ones and the new ones in turn, in the same run.
``--beside`` measures another checkout's pages in the same run, one after the other.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from playwright.sync_api import Browser, Page

from tests.browser.driving import no_exception
from tests.browser.serving import ROOT, browsing, serving

READY_PAGE = Path(__file__).with_name("ready_page.py")
BANDWIDTH = "Bandwidth σ"
# The control that moves on each page: of the sidebar where the page has it.
PAGES = {
    "approximate": BANDWIDTH,
    "approximate?": "Drag m",
    "steps": BANDWIDTH,
    "spectrum": BANDWIDTH,
    "data": BANDWIDTH,
    "recommend": BANDWIDTH,
    "compare": BANDWIDTH,
    "quantization": BANDWIDTH,
    "lift": "Seed",
    "two_balls": "Seed",
    "kernel_pca": BANDWIDTH,
    "learning": BANDWIDTH,
    "bounds": BANDWIDTH,
    "solve": BANDWIDTH,
}
WAIT_SECONDS = 600.0

# A chart counts as changed when what it shows is another text than before; that is compared only where plotly
# has been given new data. Busy is a page with a progress bar, or with a mark that its script runs.
STOPWATCH = """() => {
  // What is dragged is drawn over a chart.
  const over = chart => chart.querySelector('canvas.nysviz-hand')?.nysvizSign;
  const text = chart => over(chart)
    ?? JSON.stringify([chart.data, chart.layout?.title, chart.layout?.shapes]);
  const charts = () => [...document.querySelectorAll('.js-plotly-plot')].filter(chart => chart.data);
  const shown = new Map(charts().map((chart, i) => [i, [chart.data, text(chart), over(chart)]]));
  const live = window.live = {start: null, changes: {}, rest: null};
  const now = () => performance.now() - live.start;
  const begin = event => { live.start ??= event.timeStamp; };
  for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, begin, {capture: true, once: true});
  const busy = () => document.querySelector('[data-testid="stProgress"], [data-testid="stStatusWidget"]');
  const look = () => {
    if (live.start === null) return requestAnimationFrame(look);
    charts().forEach((chart, i) => {
      const old = shown.get(i);
      if (old && old[0] === chart.data && old[2] === over(chart)) return;
      const fresh = text(chart);
      if (!old || old[1] !== fresh) live.changes[i] = [...(live.changes[i] ?? []), now()];
      shown.set(i, [chart.data, fresh, over(chart)]); });
    if (busy()) live.rest = null; else live.rest ??= now();
    requestAnimationFrame(look); };
  requestAnimationFrame(look); }"""
AT_REST = "live.rest !== null && performance.now() - live.start - live.rest > 1500"
FIGURES = """() => [...document.querySelectorAll('.js-plotly-plot')].map(chart => {
  const plain = (name, value) => name[0] === '_' ? undefined
    : ArrayBuffer.isView(value) ? Array.from(value) : value;
  return JSON.parse(JSON.stringify({data: chart.data, layout: chart.layout}, plain)); })"""


@dataclass(frozen=True)
class Times:
    """Milliseconds from one action to the first changed chart, to the last one, and until nothing runs."""

    first: float
    last: float
    rest: float


def move(page: Page, label: str) -> None:
    """Move a slider, or a box for a number, one step up."""
    found = page.get_by_role("slider", name=label).or_(page.get_by_role("spinbutton", name=label)).first
    found.focus()
    found.press("ArrowUp")


def time_once(page: Page, label: str) -> Times:
    """Move the control, and return when the page changed."""
    page.evaluate(STOPWATCH)
    move(page, label)
    # In one go: in the next moment the page may be busy again.
    found = page.wait_for_function(f"{AT_REST} && window.live", timeout=WAIT_SECONDS * 1000).json_value()
    no_exception(page)
    changes = list(found["changes"].values())
    if not changes:
        raise RuntimeError(f"{page.url}: no chart has changed")
    first = min(times[0] for times in changes)
    last = max(times[0] for times in changes)
    return Times(first, last, max(found["rest"], *(times[-1] for times in changes)))


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    """Open a page and wait until nothing runs."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    try:
        page.goto(url)
        page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=WAIT_SECONDS * 1000)
        page.evaluate(STOPWATCH)
        page.evaluate("window.live.start = performance.now()")
        page.wait_for_function(AT_REST, timeout=WAIT_SECONDS * 1000)
        yield page
    finally:
        context.close()


def visit(browser: Browser, url: str, name: str, repeats: int) -> tuple[list[Times], list[Any]]:
    """Return the times of the moves on one page, the first left out, and its charts before and after one."""
    with opened(browser, f"{url}/{name.rstrip('?')}") as page:
        before = page.evaluate(FIGURES)
        times = [time_once(page, PAGES[name]) for _ in range(repeats + 1)]
        return times[1:], [before, page.evaluate(FIGURES)]


def floor(browser: Browser, figures: list[Any], repeats: int) -> list[Times]:
    """Return the times of a bare page that shows these charts."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        file.write_text(json.dumps(figures))
        ready = {"NYSVIZ_FIGURES": os.fspath(file)}
        with serving(READY_PAGE, ready) as server, opened(browser, server.url) as page:
            return [time_once(page, "Which") for _ in range(repeats + 1)][1:]


def seconds(times: list[Times], what: str) -> float:
    """Return the median of one of the times, in seconds."""
    return statistics.median(getattr(one, what) for one in times) / 1000


@click.command()
@click.option("--page", "pages", multiple=True, type=click.Choice(list(PAGES)), default=tuple(PAGES))
@click.option("--repeats", default=3, show_default=True, help="Timed moves on each page.")
@click.option(
    "--beside", type=click.Path(path_type=Path), help="Another checkout, whose pages are timed too."
)
def main(pages: tuple[str, ...], repeats: int, beside: Path | None) -> None:
    """Print the median seconds of each page beside those of its charts ready made."""
    checkouts = [ROOT, *([beside] if beside else [])]
    whats = ("first", "last", "rest")
    click.echo(f"seconds: the charts ready made, then {' and '.join(root.name for root in checkouts)}")
    click.echo(
        f"{'page':14}{'first':>8}{'last':>8}" + "".join(f"{what:>8}" for _ in checkouts for what in whats)
    )
    with browsing() as browser:
        for name in pages:
            found = []
            for root in checkouts:
                with serving(root / "app.py", folder=root) as server:
                    found.append(visit(browser, server.url, name, repeats))
            bare = floor(browser, found[0][1], repeats)
            line = f"{name:14}{seconds(bare, 'first'):8.2f}{seconds(bare, 'last'):8.2f}"
            line += "".join(f"{seconds(times, what):8.2f}" for times, _ in found for what in whats)
            click.echo(line)


if __name__ == "__main__":
    main()
