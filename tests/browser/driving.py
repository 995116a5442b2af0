"""Drive a Streamlit page as a person does, and read its charts from the live figure in the browser.

Waiting is always for a value that must appear: Streamlit's "running" mark goes out before the chart is drawn.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from playwright.sync_api import Locator, Page, expect

from nysviz.engine.runs import FAILED

# Nothing here takes long; a busy machine may.
WAIT_SECONDS = 240.0

# `chartOf` takes the key of a st.plotly_chart, or its position on the page; `plain` decodes the base64 arrays
# that plotly sends ({dtype, bdata, shape}) and turns typed arrays into lists. Defined once a document.
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
  const chartOf = which => (typeof which === 'number')
    ? document.querySelectorAll('.js-plotly-plot')[which]
    : document.querySelector(`.st-key-${which.trim().replace(/[^a-zA-Z0-9_-]/g, '-')} .js-plotly-plot`);
  window.nysviz = {plain, chartOf}; }"""


def evaluate(page: Page, expression: str) -> Any:
    """Return the value of a JavaScript expression, which may use ``nysviz.chartOf`` and ``nysviz.plain``."""
    page.evaluate(READERS)
    return page.evaluate(f"() => ({expression})")


def chart_expression(which: str | int, path: str) -> str:
    """Return JavaScript for a part of a chart, e.g. ``chart_expression("errors", "data[0].name")``.

    Do not wait on ``layout.title.text``: Streamlit's theme wraps it in ``<b>``, once more at each drawing.
    """
    return f"nysviz.plain(nysviz.chartOf({json.dumps(which)})?.{path})"


def chart_data(page: Page, which: str | int = 0, timeout: float = WAIT_SECONDS) -> dict[str, Any]:
    """Return ``data`` and ``layout`` of the chart with this key (or at this position), arrays decoded."""
    parts = ", ".join(f"{part}: {chart_expression(which, part)}" for part in ("data", "layout"))
    page.evaluate(READERS)
    figure = page.wait_for_function(
        f"() => {{ const figure = {{{parts}}}; return figure.data && figure; }}", timeout=timeout * 1000
    )
    decoded: dict[str, Any] = figure.json_value()
    return decoded


def wait_for_change(page: Page, expression: str, old: Any, timeout: float = WAIT_SECONDS) -> Any:
    """Wait until a JavaScript expression is neither null nor `old`, and return its value.

    The value is the one seen when the wait ended: a chart that is drawn anew is absent for a moment.
    """
    page.evaluate(READERS)
    changed = page.wait_for_function(
        f"""old => {{ const now = ({expression});
            return now != null && JSON.stringify(now) !== JSON.stringify(old) && [now]; }}""",
        arg=old,
        timeout=timeout * 1000,
    )
    return changed.json_value()[0]


def wait_for_value(page: Page, expression: str, value: Any, timeout: float = WAIT_SECONDS) -> None:
    """Wait until a JavaScript expression has this value."""
    page.evaluate(READERS)
    page.wait_for_function(
        f"value => JSON.stringify({expression}) === JSON.stringify(value)", arg=value, timeout=timeout * 1000
    )


def slider(page: Page, label: str, thumb: int = 0) -> Locator:
    """Return the input of a slider or select slider, which takes the keyboard."""
    return page.get_by_test_id("stSlider").get_by_role("slider", name=label).nth(thumb)


def set_slider(page: Page, label: str, key_presses: int, thumb: int = 0) -> str:
    """Press the right arrow `key_presses` times (the left one when negative); return the value that is shown.

    Streamlit sends the value when the key is released, so every press is a rerun.
    """
    handle = slider(page, label, thumb)
    handle.focus()
    for _ in range(abs(key_presses)):
        handle.press("ArrowRight" if key_presses > 0 else "ArrowLeft")
    return handle.get_attribute("aria-valuetext") or ""


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a selectbox by its label."""
    box = page.get_by_test_id("stSelectbox").get_by_role("combobox", name=label)
    box.click()
    box.fill(option)  # a long list is drawn in parts: typing brings the option into it
    page.get_by_role("option", name=option, exact=True).click()
    expect(box).to_have_value(option)


def theme(page: Page) -> Literal["light", "dark"]:
    """Tell the ground of the page from its background colour."""
    colour = page.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    red, green, blue = [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    return "light" if red + green + blue > 384 else "dark"


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
