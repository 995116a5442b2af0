"""Six tasks of a new visitor, timed: ``python -m benchmarks.tasks [--pictures FOLDER]``."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
from playwright.sync_api import Page

from tests.browser.serving import ROOT, browsing, serving

WAIT_SECONDS = 180.0
Stage = Callable[[str], None]


def lecturer(page: Page, stage: Stage) -> None:
    """From Home to why k-means beats uniform sampling."""
    page.get_by_role("link", name="Compare", exact=True).first.click()
    page.get_by_text("Smallest mean Frobenius error").wait_for()
    page.locator(".st-key-curves .js-plotly-plot .legend", has_text="k-means").wait_for()
    stage("k-means and uniform sampling in one chart")


def student(page: Page, stage: Stage) -> None:
    """From a CSV file to method, m and script."""
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{'yes' if a > 0 else 'no'}" for a, b in rng.standard_normal((300, 2))]
    page.get_by_role("link", name="Send a file").first.click()
    upload = {"name": "mine.csv", "mimeType": "text/csv", "buffer": "\n".join(["a,b,c", *rows]).encode()}
    page.locator("[data-testid=stSidebar] input[type=file]").set_input_files(upload)  # type: ignore[arg-type]
    page.get_by_role("button", name="Use these data").click()
    stage("file in use")
    page.get_by_text("In scikit-learn").wait_for()
    stage("method, m and script")


def expert(page: Page, stage: Stage) -> None:
    """From a claim to its evidence and a live page, and back."""
    _open(page, "The papers", "Claims")
    claim = page.locator("[data-value=z5]")
    claim.locator("summary").click()
    claim.get_by_text("The runs say").wait_for()
    # No one reads it faster than the address keeps it for the way back.
    page.wait_for_url("**claims_open=z5**")
    stage("evidence")
    page.get_by_role("link", name="in the state of z5").click()
    page.get_by_text("Smallest mean Frobenius error").wait_for()
    stage("live page")
    page.go_back()
    page.locator("[data-value=z5][open]").wait_for()
    stage("back at the claim")


def reader(page: Page, stage: Stage) -> None:
    """From Home to a sentence that says what the page shows."""
    _open(page, "Understand", "Spectrum")
    page.get_by_text("Each line has").first.wait_for()
    stage("what a mark is")
    page.get_by_role("heading", name="What you see").wait_for()
    page.get_by_text("eigenvalue").last.wait_for()
    stage("what the page computes and why")


def reader_of_symbols(page: Page, stage: Stage) -> None:
    """From Home to what κ means."""
    _open(page, "Use", "Solve")
    term = page.locator(".nysviz-term[data-tip*=condition]").first
    term.focus()
    stage("what κ is, beside its number")


def reader_of_directions(page: Page, stage: Stage) -> None:
    """From Home to which way is good."""
    _open(page, "The papers", "Compare")
    page.get_by_text("lower is better").first.wait_for()
    stage("lower is better")


def _open(page: Page, group: str, title: str) -> None:
    page.get_by_role("button", name=group).click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).click()


@click.command()
@click.option("--pictures", type=click.Path(path_type=Path), help="Folder for a screenshot of each stage.")
def main(pictures: Path | None) -> None:
    """Print the seconds from Home to each stage."""
    with serving(ROOT / "app.py") as server, browsing() as browser:
        for task in (lecturer, student, expert, reader, reader_of_symbols, reader_of_directions):
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.set_default_timeout(1000 * WAIT_SECONDS)
            page.goto(server.url)
            page.get_by_role("heading", level=2).wait_for()
            begun = time.monotonic()

            def stage(name: str, task: str = task.__name__, page: Page = page, begun: float = begun) -> None:
                click.echo(f"{task}: {name} after {time.monotonic() - begun:.1f} s")
                if pictures is not None:
                    page.screenshot(path=pictures / f"{task}-{name.replace(' ', '-')}.png")

            task(page, stage)
            page.close()


if __name__ == "__main__":
    main()
