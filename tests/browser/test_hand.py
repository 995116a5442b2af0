"""The slider below the pictures of Spectrum, Kernel PCA and Two balls: what is dragged is what is let go."""

from urllib.parse import quote

import pytest

import nysviz as nv
from tests.browser.driving import (
    Watched,
    calm,
    chart_expression,
    evaluate,
    hand,
    no_exception,
    wait_for_value,
)

TITLES = {card.name: card.title for card in nv.catalog()}
IRIS = f"data={quote(TITLES['iris'])}"
# The page, what is dragged there, the number of frames, the chart that follows, and the setting that moves.
PAGES = [
    (f"/spectrum?{IRIS}", "σ", 16, "spectrum", "bandwidth"),
    (f"/kernel_pca?{IRIS}", "m", 24, "embedding", "ratio"),
    ("/two_balls?balls_n=500&balls_redundant=5", "distance", 16, "eigenvectors", "balls_distance"),
]
FRAMES = "[...window.nysvizHand.frames.values()].at(-1)?.size"
ANSWER = "document.querySelector('.st-key-nysviz_answer')"
CELLS = "[...document.querySelectorAll('table.nysviz-numbers td')].map(cell => cell.textContent)"
TO = """(slider, to) => new Promise(done => {
  slider.value = to;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
  requestAnimationFrame(() => requestAnimationFrame(done)); })"""


@pytest.mark.slow
@pytest.mark.parametrize("path, what, count, chart, setting", PAGES, ids=lambda value: str(value)[:12])
def test_answer_and_table_while_dragging_are_those_after_release(
    server, context, path, what, count, chart, setting
):
    watched = Watched(context, server.url + path)
    page = calm(watched.page)
    slider = hand(page, what)
    wait_for_value(page, FRAMES, count)
    sent, drawn = len(watched.sent), evaluate(page, f"{ANSWER}.innerText")
    # Over the whole range, and to a stop near its left end.
    for stop in (*range(0, count, 3), 2):
        slider.evaluate(TO, stop)
    dragged, cells = evaluate(page, f"{ANSWER}.dataset.dragged"), evaluate(page, CELLS)
    assert dragged != drawn and len(watched.sent) == sent
    assert evaluate(page, f"document.querySelectorAll('.st-key-{chart} canvas.nysviz-hand').length") == 1
    slider.evaluate("slider => slider.dispatchEvent(new Event('change', {bubbles: true}))")
    page.wait_for_url(f"**{setting}=**")
    calm(page)
    # Units stay with their number on the page.
    assert evaluate(page, f"{ANSWER}.innerText").replace("\N{NO-BREAK SPACE}", " ") == dragged
    # Seconds are measured anew.
    if chart != "embedding":
        assert evaluate(page, CELLS) == cells
    assert page.locator("canvas.nysviz-hand").count() == 0
    assert evaluate(page, chart_expression(chart, "layout.meta.stop"))
    no_exception(page)
    page.close()
