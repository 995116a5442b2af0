"""Key press to new chart, in a real browser: the app's pages beside a bare one-chart page, in one run.

``python -m benchmarks.roundtrip``. The clock is the page's own: it starts at the key or pointer event and
stops when the value read from the chart's live figure has changed, after plotly has drawn it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from playwright.sync_api import Browser, Page

from nysviz.landmarks import METHODS
from tests.browser.driving import READERS, chart_expression, no_exception, slider
from tests.browser.serving import ROOT, browsing, serving

BARE_PAGE = Path(__file__).with_name("bare_page.py")
APP = ROOT / "app.py"
WAIT_SECONDS = 60.0
WARM_UP = 2
SETTLE_MILLISECONDS = 4_000

# Leaves its answer in window.milliseconds. The expression is looked at whenever the document changes and once
# a frame, so a new value is seen as soon as the drawing that brings it is done.
STOPWATCH = """() => {
  const value = () => JSON.stringify(EXPRESSION), old = value();
  let start = null;
  const begin = event => { start ??= event.timeStamp; };
  for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, begin, {capture: true, once: true});
  const look = () => {
    if (window.milliseconds !== null || start === null) return;
    const now = value();
    if (now !== undefined && now !== 'null' && now !== old) {
      window.milliseconds = performance.now() - start;
      watcher.disconnect(); } };
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  const frame = () => { look(); if (window.milliseconds === null) requestAnimationFrame(frame); };
  window.milliseconds = null;
  requestAnimationFrame(frame); }"""


@dataclass(frozen=True)
class Case:
    """One control of one page.

    `act` gets the page and the number of the repeat, and makes one key press or click, after `before`; the
    value of `expression` (JavaScript over the live figure, cheap to read) must change as its consequence.
    A page is left after `per_visit` actions, and opened anew with another seed in place of `{visit}`: no
    value is met twice, so no answer comes from a cache.
    """

    name: str
    script: Path
    act: Callable[[Page, int], None]
    expression: str
    path: str = "/"
    before: Callable[[Page, int], None] | None = None
    per_visit: int = 1_000


def press_right(label: str) -> Callable[[Page, int], None]:
    """Return an action that moves the slider with this label one step up, to a value not seen before."""
    return lambda page, repeat: slider(page, label).press("ArrowRight")


def open_methods(page: Page, repeat: int) -> None:
    """Open the list of methods, which is not part of the time."""
    page.locator('[data-testid="stSelectbox"]').filter(has_text="Method").locator("input").click()
    page.get_by_role("option").first.wait_for()


def take_method(page: Page, repeat: int) -> None:
    """Take the next method of the list."""
    page.get_by_role("option", name=METHODS[CHEAP[repeat % len(CHEAP)]].label, exact=True).click()


CHEAP = ("uniform", "kmeanspp", "icd", "rpcholesky", "column_norm", "kmeans")
MAP = chart_expression("map", "layout.title.subtitle.text")
LAST = chart_expression("spectrum", "layout.shapes[0].x0")
# The first case is the floor of the ratios. The map answers first; the spectrum is the last to be drawn.
CASES = (
    Case("bare page", BARE_PAGE, press_right("Frequency"), chart_expression("line", "data[0].name")),
    Case(
        "m/n to map",
        APP,
        press_right("Landmarks"),
        MAP,
        "/approximate?ratio=1+%25&seed={visit}",
        per_visit=10,
    ),
    Case(
        "m/n to last chart",
        APP,
        press_right("Landmarks"),
        LAST,
        "/approximate?ratio=1+%25&seed=1{visit}",
        per_visit=10,
    ),
    Case("method to map", APP, take_method, MAP, "/approximate?seed=2{visit}", open_methods, per_visit=6),
    Case(
        "bandwidth to map",
        APP,
        press_right("Bandwidth"),
        MAP,
        "/approximate?bandwidth=0.125&seed=3{visit}",
        per_visit=9,
    ),
)


def time_once(page: Page, case: Case, repeat: int) -> float:
    """Return the milliseconds from the event of one action to the changed value."""
    if case.before is not None:
        case.before(page, repeat)
    page.evaluate(STOPWATCH.replace("EXPRESSION", case.expression))
    case.act(page, repeat)
    page.wait_for_function("window.milliseconds !== null", timeout=WAIT_SECONDS * 1000)
    return float(page.evaluate("window.milliseconds"))


@contextmanager
def opened(browser: Browser, url: str, case: Case, visit: int) -> Iterator[Page]:
    """Open the case's page and wait for its chart."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    try:
        page.goto(url + case.path.format(visit=visit))
        page.evaluate(READERS)
        page.wait_for_function(f"({case.expression}) != null", timeout=WAIT_SECONDS * 1000)
        # What the first drawing left to the background is not the control's doing.
        page.wait_for_timeout(SETTLE_MILLISECONDS)
        yield page
    finally:
        context.close()


def measure(browser: Browser, url: str, case: Case, repeats: int) -> list[float]:
    """Return the milliseconds of each repeat, the first few actions left out."""
    times: list[float] = []
    visit = 0
    while len(times) < repeats:
        count = min(case.per_visit - WARM_UP, repeats - len(times))
        with opened(browser, url, case, visit) as page:
            times += [time_once(page, case, repeat) for repeat in range(WARM_UP + count)][WARM_UP:]
            no_exception(page)
        visit += 1
    return times


@click.command()
@click.option("--repeats", default=20, show_default=True, help="Timed actions a case.")
@click.option("--only", default="", help="Measure the bare page and the cases whose name begins so.")
def main(repeats: int, only: str) -> None:
    """Print the median time of each case and its ratio to the bare page."""
    click.echo(f"milliseconds, {repeats} repeats")
    click.echo(f"{'case':40s} {'median':>8s} {'quartiles':>15s} {'most':>8s} {'ratio':>6s}")
    floor: float | None = None
    cases = [case for case in CASES if case.script == BARE_PAGE or case.name.startswith(only)]
    scripts = dict.fromkeys(case.script for case in cases)
    with browsing() as browser:
        for script in scripts:
            with serving(script) as server:
                for case in (case for case in cases if case.script == script):
                    times = measure(browser, server.url, case, repeats)
                    low, median, high = statistics.quantiles(times, n=4)
                    floor = floor or median
                    spread = f"{low:.0f} to {high:.0f}"
                    line = f"{median:8.0f} {spread:>15s} {max(times):8.0f} {median / floor:6.2f}"
                    click.echo(f"{case.name:40s} {line}")


if __name__ == "__main__":
    main()
