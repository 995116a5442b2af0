"""A hostile file in a real browser: nothing runs, nothing asks another machine, no tag is drawn."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from nysviz.figures.standalone import standalone
from tests.browser.driving import chart_data, no_exception
from tests.security.hostile import FILE_NAME, MARK, SCRIPT, TEX, WORDS, csv_file

pytestmark = pytest.mark.slow
PAGES = ("data", "approximate", "learning")
LOOPBACK = ("127.0.0.1", "localhost", "")
# Elements that would do something, made of the file's words or leading where they say.
ACTING = f"""() => [...document.querySelectorAll('script, img, iframe, object, embed, a, svg a, .katex')].map(
    e => e.outerHTML).filter(text => /{MARK}/.test(text))"""


@pytest.fixture(scope="module")
def watched(chromium, server):
    """A page of the app, and what it did that it must not."""
    page = chromium.new_page()
    wrong: list[str] = []

    def dismissed(dialog):
        wrong.append("a dialog opened")
        dialog.dismiss()

    def asked(request):
        if (urlsplit(request.url).hostname or "") not in LOOPBACK:
            wrong.append(request.url)

    page.on("dialog", dismissed)
    page.on("request", asked)
    yield page, wrong, server.url
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_of_the_file_runs_or_leaves(watched, name, tmp_path):
    page, wrong, url = watched
    page.goto(f"{url}/{name}?data=Your+own+file")
    box = page.get_by_test_id("stSidebar").get_by_test_id("stFileUploaderDropzoneInput")
    expect(box).to_have_count(1)
    box.set_input_files({"name": FILE_NAME, "mimeType": "text/csv", "buffer": csv_file(labels=(SCRIPT, TEX))})
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert page.evaluate(ACTING) == []
    dialog.get_by_role("button", name="Use these data").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_test_id("stMain").locator(".js-plotly-plot").first).to_be_visible()
    expect(page.get_by_test_id("stSidebar").get_by_text("24 × ").first).to_be_visible()
    page.wait_for_timeout(1_000)  # a request or a dialog that comes late
    no_exception(page)
    assert MARK in page.content()
    assert page.evaluate(ACTING) == [] and wrong == []


def test_a_chart_saved_as_a_file_is_inert(watched, tmp_path):
    import plotly.graph_objects as go

    from nysviz.figures.look import inert

    page, wrong, _ = watched
    for words in (inert, str):
        traces = [
            go.Scatter(x=[1], y=[k], name=words(word), text=[words(word)]) for k, word in enumerate(WORDS)
        ]
        layout = {"title": {"text": words(WORDS[1])}, "xaxis": {"title": {"text": words(WORDS[0])}}}
        file = tmp_path / f"{words.__name__}.html"
        file.write_text(standalone(go.Figure(traces, layout), "chart"), encoding="utf-8")
        page.goto(file.as_uri())
        chart_data(page, 0)
        page.wait_for_timeout(500)
        # Even words that nobody has made inert ask nothing of the network and open nothing.
        assert wrong == []
        drawn = page.evaluate(
            "() => [...document.querySelectorAll('.js-plotly-plot img, .js-plotly-plot script')].length"
        )
        assert drawn == 0
