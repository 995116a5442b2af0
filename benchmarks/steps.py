"""The page Step by step in a browser, until it can be played and a step: ``python -m benchmarks.steps``.

Needs the tests' packages and a browser, as ``make test`` brings them.
"""

from __future__ import annotations

import statistics
import time

from playwright.sync_api import Page

from tests.browser.serving import ROOT, browsing, serving

STEPS = 40
LOADS = 3
# The step that the player shows, once every chart shows it too.
SHOWN = """() => { const player = window.nysvizSteps; if (!player) return null;
  const charts = [...document.querySelectorAll('.js-plotly-plot')];
  return charts.length > 2 && charts.every(c => c.layout) ? player.step : null; }"""


def ready(page: Page) -> None:
    """Wait until the page can be played."""
    page.wait_for_function(f"() => ({SHOWN})() !== null", timeout=60_000)


def step_milliseconds(page: Page) -> tuple[float, float]:
    """Return wall time from the key to the next idle moment, and processor time of the page, a step."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = cdp.send("Performance.getMetrics")["metrics"]
        return float(next(1000 * m["value"] for m in metrics if m["name"] == "TaskDuration"))

    walls, before = [], busy()
    for _ in range(STEPS):
        started = time.perf_counter()
        page.keyboard.press("ArrowRight")
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")
        walls.append(1000 * (time.perf_counter() - started))
    return statistics.median(walls), (busy() - before) / STEPS


def main() -> None:
    """Print seconds until the page can be played, and milliseconds a step, with one method and with two."""
    with serving(ROOT / "app.py") as server, browsing() as browser:
        for second in ("none", "randomly pivoted Cholesky"):
            loads = []
            for _ in range(LOADS + 1):
                page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
                started = time.perf_counter()
                page.goto(f"{server.url}/steps?steps_count=60&steps_second={second}")
                ready(page)
                loads.append(time.perf_counter() - started)
            wall, processor = step_milliseconds(page)
            # The first load is that of a fresh server, with everything still to be computed.
            print(
                f"beside it {second}: ready after {statistics.median(loads[1:]):.2f} s (the first time "
                f"{loads[0]:.2f} s); a step {wall:.0f} ms, {processor:.0f} ms of it the page's own work"
            )


if __name__ == "__main__":
    main()
