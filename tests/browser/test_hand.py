"""The slider below the pictures of Spectrum, Kernel PCA and Two balls: what is dragged is what is let go."""

import io
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image

import nysviz as nv
from tests.browser.driving import (
    Watched,
    calm,
    chart_expression,
    come_near,
    evaluate,
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
    ("/two_balls?balls_n=500&balls_redundant=5&balls_drag=m", "m", 13, "eigenvectors", "balls_m"),
]
FRAMES = "[...window.nysvizHand.frames.values()].at(-1)?.size"
ANSWER = "document.querySelector('.st-key-nysviz_answer')"
# The rows of the tables that follow; the others are pale while something is dragged.
CELLS = """Object.fromEntries([...document.querySelectorAll('table.nysviz-numbers tbody tr')]
  .filter(row => !row.style.opacity).map(row => [...row.cells].map(cell => cell.textContent))
  .map(([head, ...cells]) => [head, cells]))"""
TO = """(slider, to) => new Promise(done => {
  slider.value = to;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
  requestAnimationFrame(() => requestAnimationFrame(done)); })"""


def picture(page, chart):
    """Return the pixels of a chart as one sees them."""
    page.mouse.move(5, 5)  # away from what would say something under the pointer
    shot = page.locator(f".st-key-{chart} .js-plotly-plot").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=float)


@pytest.mark.slow
@pytest.mark.parametrize("path, what, count, chart, setting", PAGES, ids=lambda value: str(value)[:12])
def test_answer_and_table_while_dragging_are_those_after_release(
    server, context, path, what, count, chart, setting
):
    watched = Watched(context, server.url + path)
    page = calm(watched.page)
    # Frames come for whoever comes near, and for nobody else.
    page.wait_for_timeout(1_000)
    assert not evaluate(page, FRAMES)
    slider = come_near(page, what)
    wait_for_value(page, FRAMES, count)
    sent, drawn = len(watched.sent), evaluate(page, f"{ANSWER}.innerText")
    # Over the whole range, and to a stop near its left end.
    for stop in (*range(0, count, 3), 2):
        slider.evaluate(TO, stop)
    dragged, cells = evaluate(page, f"{ANSWER}.dataset.dragged"), evaluate(page, CELLS)
    assert dragged != drawn and len(watched.sent) == sent
    assert evaluate(page, f"document.querySelectorAll('.st-key-{chart} canvas.nysviz-hand').length") == 1
    painted = picture(page, chart)
    slider.evaluate("slider => slider.dispatchEvent(new Event('change', {bubbles: true}))")
    page.wait_for_url(f"**{setting}=**")
    calm(page)
    # Units stay with their number on the page.
    assert evaluate(page, f"{ANSWER}.innerText").replace("\N{NO-BREAK SPACE}", " ") == dragged
    # Seconds are measured anew.
    if chart != "embedding":
        after = evaluate(page, CELLS)
        assert len(cells) >= 5 and {name: after[name] for name in cells} == cells
    assert page.locator("canvas.nysviz-hand").count() == 0
    # The canvas showed what Plotly draws there, up to the smoothing of edges; axes of the others move.
    if chart == "embedding":
        assert (np.abs(picture(page, chart) - painted) > 90).mean() < 0.002
    assert evaluate(page, chart_expression(chart, "layout.meta.stop"))
    no_exception(page)
    page.close()
