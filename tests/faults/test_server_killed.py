"""The server is killed in the middle of a sweep and started again on its port: what the open page does."""

from __future__ import annotations

import os
import signal

import pytest
from playwright.sync_api import expect

import nysviz as nv
from tests.browser.driving import READERS, chart_data, no_exception
from tests.browser.serving import ROOT, free_port, serving

pytestmark = [pytest.mark.browser, pytest.mark.slow]
REPEATS = 20
TITLE = next(card.title for card in nv.catalog() if card.name == "swiss_roll")


def ended(page):
    """Wait until all runs are in the chart."""
    subtitle = "nysviz.chartOf('compare')?.layout.title.subtitle.text ?? ''"
    page.evaluate(READERS)
    page.wait_for_function(
        "() => !document.querySelector('[data-testid=stMain] [data-testid=stProgress]')"
        f" && ({subtitle}).includes('of {REPEATS} runs')",
        timeout=240_000,
    )


def test_the_page_reconnects_and_ends_with_the_right_result(chromium):
    port = free_port()
    link = f"/compare?data={TITLE}&compare_norm=spectral&compare_repeats={REPEATS}"
    with chromium.new_context() as context:
        page = context.new_page()
        with serving(ROOT / "app.py", port=port) as server:
            page.goto(server.url + link)
            chart_data(page, "compare", timeout=120)
            progress = page.get_by_test_id("stMain").get_by_test_id("stProgress")
            expect(progress.first).to_be_visible(timeout=60_000)
            os.kill(server.pid, signal.SIGKILL)
        # What was drawn stays on the screen, and Streamlit says that it is connecting.
        chart_data(page, "compare")
        loads: list[str] = []
        page.on("load", lambda _: loads.append("load"))
        with serving(ROOT / "app.py", port=port) as server:
            # The page connects by itself, its address and controls say what it shows, and the sweep ends.
            ended(page)
            no_exception(page)
            assert not loads
            drawn = chart_data(page, "compare")
            assert f"compare_repeats={REPEATS}" in page.url and "swiss" in page.url.lower()
            fresh = chromium.new_page()
            fresh.goto(server.url + link)
            chart_data(fresh, "compare", timeout=120)
            ended(fresh)
            expected = chart_data(fresh, "compare")
            lines = {trace["name"]: trace["y"] for trace in expected["data"] if trace.get("name")}
            assert len(lines) >= 5
            for trace in drawn["data"]:
                if trace.get("name"):
                    assert trace["y"] == pytest.approx(lines[trace["name"]], rel=1e-6)
