"""The pages at half a million rows: ``python -m benchmarks.large_pages``.

Each page is opened on generated clusters, as by a visitor without a browser, in a process of its own: seconds
until its first chart, until nothing is left to compute, the longest that a drawing keeps the visitor waiting,
processor seconds, and the peak memory of the whole process. A page with many runs is left after a while.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from pathlib import Path

import click

from nysviz.text import in_bytes

PAGES = Path(__file__).resolve().parents[1] / "pages"
# The views of pages that have more than one stand behind their page.
VIEWS = {
    "approximate": {},
    "compare": {},
    "compare: rank": {"compare_what": "Relative accuracy at rank d"},
    "spectrum": {},
    "data": {},
    "steps": {},
    "quantization": {},
    "lift": {},
    "kernel_pca": {},
    "solve": {},
    "learning": {},
    "learning: features": {"learning_view": "Nyström against random features"},
    "bounds": {},
    "bounds: relative": {"bounds_view": "Oglic, Li: against the best rank K"},
}
DATA = "Gaussian clusters"
LOOK_SECONDS = 0.3


def peak() -> str:
    """Peak memory of this process so far."""
    return in_bytes(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def visit(view: str, rows: int, features: int, seconds: float) -> None:
    """Open one page, and draw it again until all is there, as a browser does, or the time is over."""
    # Here, since a process that only starts others needs none of it.
    from streamlit.testing.v1 import AppTest

    at = AppTest.from_file(str(PAGES / f"{view.split(':')[0]}.py"), default_timeout=3_600)
    knobs = {"clusters_n": str(rows), "clusters_d": str(features), "clusters_k": "20"}
    at.query_params |= {"data": DATA, **knobs, **VIEWS[view]}
    started, longest = time.perf_counter(), 0.0
    first: float | None = None
    while True:
        before = time.perf_counter()
        at.run()
        now = time.perf_counter()
        longest = max(longest, now - before)
        if first is None and at.get("plotly_chart"):
            first = now - started
        left = [bar.proto.text for bar in at.get("progress")]
        if at.exception or not left or now - started > seconds:
            break
        time.sleep(LOOK_SECONDS)
    charts = "no chart" if first is None else f"first chart {first:6.1f} s"
    ended = "unfinished at" if left else "all in"
    print(
        f"{view:20} {charts}   {ended} {now - started:6.1f} s   longest drawing {longest:5.1f} s   "
        f"processor {time.process_time():6.1f} s   peak {peak():>8}",
        flush=True,
    )
    problems = [f"{problem.value}" for problem in (*at.exception, *at.error)]
    for line in [*(f"  still there: {text}" for text in left), *(f"  {problem}" for problem in problems)]:
        print(line, flush=True)


@click.command()
@click.option("--rows", default=500_000, show_default=True)
@click.option("--features", default=54, show_default=True)
@click.option("--page", "views", multiple=True, type=click.Choice(list(VIEWS)), default=tuple(VIEWS))
@click.option("--seconds", default=900.0, show_default=True, help="A page is left after so long.")
def main(rows: int, features: int, views: tuple[str, ...], seconds: float) -> None:
    """Print seconds and peak memory of each page."""
    fresh = multiprocessing.get_context("spawn")
    for view in views:
        process = fresh.Process(target=visit, args=(view, rows, features, seconds))
        process.start()
        process.join()


if __name__ == "__main__":
    main()
