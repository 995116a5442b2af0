"""What tests of several folders share: one Chromium a worker, since two cannot be driven in one thread."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser import find_chromium
from tests.browser.serving import browsing


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Run one headless Chromium for the session."""
    if find_chromium.find() is None:
        pytest.fail(find_chromium.REMEDY, pytrace=False)
    with browsing() as browser:
        yield browser
