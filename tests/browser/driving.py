"""Drive a Streamlit page as a person does, and read its charts from the live figure in the browser.

Waiting is always for a value that must appear: Streamlit's "running" mark goes out before the chart is drawn.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, WebSocket, expect

from nysviz.ui.streamlit_private import FAILED

# Nothing here takes long; a busy machine may. Seconds that each page and each expectation waits at most.
WAIT_SECONDS = 240.0

# `chartOf` takes the key of a st.plotly_chart; `plain` decodes the base64 arrays that plotly sends ({dtype,
# bdata, shape}) and turns typed arrays into lists. Defined once a document.
READERS = """() => { if (window.nysviz) return;
  const kinds = {f8: Float64Array, f4: Float32Array, i4: Int32Array, u4: Uint32Array, i2: Int16Array,
                 u2: Uint16Array, i1: Int8Array, u1: Uint8Array, u1c: Uint8ClampedArray};
  const folded = (flat, shape) => {
    if (shape.length < 2) return flat;
    const step = flat.length / shape[0], rows = Array.from({length: shape[0]}, (_, i) => i * step);
    return rows.map(from => folded(flat.slice(from, from + step), shape.slice(1))); };
  const plain = v => {
    if (v == null || typeof v !== 'object') return v;
    if (ArrayBuffer.isView(v)) return Array.from(v);
    if (Array.isArray(v)) return v.map(plain);
    if ('bdata' in v && 'dtype' in v) {
      const bytes = Uint8Array.from(atob(v.bdata), c => c.charCodeAt(0));
      const shape = String(v.shape ?? '').split(',').filter(s => s.trim()).map(Number);
      return folded(Array.from(new kinds[v.dtype](bytes.buffer)), shape); }
    const shown = Object.entries(v).filter(([name]) => name[0] !== '_');
    return Object.fromEntries(shown.map(([name, value]) => [name, plain(value)])); };
  const chartOf = key => document.querySelector(`.st-key-${key} .js-plotly-plot`);
  window.nysviz = {plain, chartOf}; }"""

# Every chart that is drawn, as text: many numbers take long on their way out of the browser.
CHARTS = """Object.fromEntries([...document.querySelectorAll('.js-plotly-plot')].map(chart =>
  [[...chart.closest('[class*=st-key-]').classList].find(name => name.startsWith('st-key-')).slice(7),
   JSON.stringify(nysviz.plain(
     {data: chart.data, title: chart.layout.title?.text, x: chart.layout.xaxis?.range}))]))"""
# Nothing runs, nothing is in progress, every chart is drawn, and all that for a while.
CALM = """() => {
  const drawn = [...document.querySelectorAll('.js-plotly-plot')].filter(chart => chart.data).length;
  const busy = !document.querySelector('[data-test-script-state=notRunning]')
    || document.querySelector('[data-testid=stProgress], [data-stale=true], [data-testid=stSkeleton]')
    || drawn !== document.querySelectorAll('[data-testid=stPlotlyChart]').length;
  if (busy) window.nysvizCalm = performance.now();
  return performance.now() - (window.nysvizCalm ??= performance.now()) > 1200; }"""


def evaluate(page: Page, expression: str) -> Any:
    """Return the value of a JavaScript expression, which may use ``nysviz.chartOf`` and ``nysviz.plain``."""
    page.evaluate(READERS)
    return page.evaluate(f"() => ({expression})")


def chart_expression(key: str, path: str) -> str:
    """Return JavaScript for a part of a chart, e.g. ``chart_expression("errors", "data[0].name")``.

    Do not wait on ``layout.title.text``: Streamlit's theme wraps it in ``<b>``, once more at each drawing.
    """
    return f"nysviz.plain(nysviz.chartOf({json.dumps(key)})?.{path})"


def chart_data(page: Page, key: str) -> dict[str, Any]:
    """Return ``data`` and ``layout`` of the chart with this key, arrays decoded."""
    parts = ", ".join(f"{part}: {chart_expression(key, part)}" for part in ("data", "layout"))
    page.evaluate(READERS)
    figure = page.wait_for_function(f"() => {{ const figure = {{{parts}}}; return figure.data && figure; }}")
    decoded: dict[str, Any] = figure.json_value()
    return decoded


def wait_for_change(page: Page, expression: str, old: Any) -> Any:
    """Wait until a JavaScript expression is neither null nor `old`, and return its value.

    The value is the one seen when the wait ended: a chart that is drawn anew is absent for a moment.
    """
    page.evaluate(READERS)
    changed = page.wait_for_function(
        f"""old => {{ const now = ({expression});
            return now != null && JSON.stringify(now) !== JSON.stringify(old) && [now]; }}""",
        arg=old,
    )
    return changed.json_value()[0]


def wait_for_value(page: Page, expression: str, value: Any) -> None:
    """Wait until a JavaScript expression has this value."""
    page.evaluate(READERS)
    page.wait_for_function(f"value => JSON.stringify({expression}) === JSON.stringify(value)", arg=value)


def slider(page: Page, label: str) -> Locator:
    """Return the input of a slider or select slider, which takes the keyboard."""
    return page.get_by_test_id("stSlider").get_by_role("slider", name=label).first


def set_slider(page: Page, label: str, key_presses: int) -> None:
    """Press the right arrow `key_presses` times (the left one when negative).

    Streamlit sends the value when the key is released, so every press is a rerun.
    """
    for _ in range(abs(key_presses)):
        slider(page, label).press("ArrowRight" if key_presses > 0 else "ArrowLeft")


def hand(page: Page, what: str = "m") -> Locator:
    """Return the slider below the map of Approximate, which is dragged without the server."""
    return page.get_by_role("slider", name=f"Drag {what}")


def come_near(page: Page, what: str = "m") -> Locator:
    """Move the pointer over that slider, which then asks for its frames; return the slider."""
    slider = hand(page, what)
    slider.hover()
    return slider


def move_hand(page: Page, key_presses: int, what: str = "m") -> None:
    """Press the right arrow on that slider (the left one when negative); the last stop alone is sent."""
    for _ in range(abs(key_presses)):
        hand(page, what).press("ArrowRight" if key_presses > 0 else "ArrowLeft")


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a selectbox by its label."""
    box = page.get_by_test_id("stSelectbox").get_by_role("combobox", name=label)
    box.click()
    box.fill(option)  # a long list is drawn in parts: typing brings the option into it
    page.get_by_role("option", name=option, exact=True).click()
    expect(box).to_have_value(option)


def calm(page: Page) -> Page:
    """Wait until nothing runs and every chart is drawn, for a while; return the page."""
    page.wait_for_selector("[data-testid=stApp] h2")
    page.evaluate("delete window.nysvizCalm")
    # Recommend tries every method.
    page.wait_for_function(CALM, timeout=2_000 * WAIT_SECONDS, polling=100)
    return page


def charts(page: Page) -> dict[str, str]:
    """Return all charts as JSON, by their keys, once they are there."""
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')?.data")
    found: dict[str, str] = evaluate(calm(page), CHARTS)
    return found


def shows(page: Page, expected: dict[str, str]) -> None:
    """Wait until exactly these charts are drawn."""
    page.evaluate(READERS)
    page.wait_for_function(
        f"wanted => JSON.stringify({CHARTS}) === JSON.stringify(wanted)", arg=expected, polling=300
    )


def parameters(page: Page) -> dict[str, list[str]]:
    """Return the parameters of the address."""
    return parse_qs(urlsplit(page.url).query)


def menu(page: Page, name: str) -> Locator:
    """Open one of the two menus beside the question, if it is closed; return what is in it."""
    # The words of help of the button that was pressed last may lie over the next one.
    page.mouse.move(700, 890)
    button = page.get_by_test_id("stMain").get_by_role("button", name=name)
    if button.get_attribute("aria-expanded") != "true":
        button.click()
    return page.get_by_test_id("stPopoverBody")


def no_exception(page: Page) -> None:
    """Assert that the page says nowhere that something failed."""
    expect(page.get_by_test_id("stException").or_(page.get_by_text(FAILED))).to_have_count(0)


def open_from_menu(page: Page, name: str) -> None:
    """Open a page by the menu at the top, in whose sections the links are."""
    link = page.get_by_test_id("stTopNavDropdownLink").filter(has=page.get_by_text(name, exact=True))
    for section in page.get_by_test_id("stTopNavSection").all():
        section.click()
        page.get_by_test_id("stTopNavPopoverBody").wait_for()
        if link.count():
            link.click()
            return
        page.keyboard.press("Escape")
        page.get_by_test_id("stTopNavPopoverBody").wait_for(state="detached")
    raise AssertionError(f"no page {name} in the menu")


class Watched:
    """A page of a server, with its requests, the lengths of the frames that it sent, and its complaints."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.host = urlsplit(url).netloc
        self.page = context.new_page()
        self.requests: list[str] = []
        self.sent: list[int] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", self._connected)
        self.page.on("pageerror", lambda problem: self.complaints.append(str(problem)))
        self.page.on("console", self._heard)
        self.page.set_viewport_size({"width": 1400, "height": 900})
        self.page.goto(url)

    @property
    def foreign(self) -> list[str]:
        """Requests to anyone but the page's own server; data and blob URLs have no host."""
        return [url for url in self.requests if urlsplit(url).netloc not in (self.host, "")]

    def _connected(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)

        def sent(frame: Any) -> None:
            self.sent.append(len(frame))

        socket.on("framesent", sent)

    def _heard(self, message: ConsoleMessage) -> None:
        # On a page's own address Streamlit looks for its server below it first, and then at the root.
        probed = "/_stcore/" in str(message.location.get("url", ""))
        if message.type == "error" and not probed:
            self.complaints.append(message.text)
