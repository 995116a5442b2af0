"""Fixtures of the browser tests: one server and one Chromium a worker, a fresh page a test.

Pages share a browser context, and with it the cache of Streamlit's and plotly's scripts; a Streamlit session
belongs to a page, so nothing else is shared.
"""

from pathlib import Path

import pytest

from tests.browser.serving import ROOT, serving

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Mark everything in this folder, so that ``-m "not browser"`` leaves it out."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server():
    """Serve the app until the session ends."""
    with serving(ROOT / "app.py") as running:
        yield running


@pytest.fixture(scope="session")
def context(chromium):
    """Keep one cache for all pages."""
    opened = chromium.new_context()
    yield opened
    opened.close()


@pytest.fixture
def open_page(server, context):
    """Open pages of the app, each with a session of its own, that close with the test."""
    pages = []

    def open_one(path="/", *, width=1400, height=900):
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.goto(server.url + path)
        page.wait_for_selector("[data-testid=stAppViewContainer]")
        return page

    yield open_one
    for page in pages:
        page.close()
