"""Fixtures of the browser tests: one server and one Chromium a worker, a fresh page a test.

Pages share a browser context, and with it the cache of Streamlit's and plotly's scripts; a Streamlit session
belongs to a page, so nothing else is shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.serving import ROOT, Server, serving

HERE = Path(__file__).parent
Scheme: TypeAlias = Literal["light", "dark"]


class PageFactory(Protocol):
    """Opens `path` of the app in a new window."""

    def __call__(
        self, path: str = "/", *, width: int = 1400, height: int = 900, scheme: Scheme = "light"
    ) -> Page: ...


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that ``-m "not browser"`` leaves it out."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def app_file() -> Path:
    """Return the script that the server runs; a test module may override it."""
    return ROOT / "app.py"


@pytest.fixture(scope="session")
def server(app_file: Path) -> Iterator[Server]:
    """Serve the app until the session ends."""
    with serving(app_file) as running:
        yield running


@pytest.fixture(scope="session")
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """Keep one cache for all pages."""
    opened = chromium.new_context()
    yield opened
    opened.close()


@pytest.fixture
def open_page(server: Server, context: BrowserContext) -> Iterator[PageFactory]:
    """Open pages of the app, each with a session of its own, that close with the test."""
    pages = []

    def open_one(path: str = "/", *, width: int = 1400, height: int = 900, scheme: Scheme = "light") -> Page:
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.goto(server.url + path)
        page.wait_for_selector("[data-testid=stAppViewContainer]")
        return page

    yield open_one
    for page in pages:
        page.close()


@pytest.fixture
def page(open_page: PageFactory) -> Page:
    """Open the app's first page, 1400 by 900, on light ground."""
    return open_page()
