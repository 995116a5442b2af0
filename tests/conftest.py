"""What tests of several folders share: their order, and one Chromium a worker; one thread drives no two."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import find_chromium
from tests.browser.driving import WAIT_SECONDS
from tests.browser.serving import browsing

# Folders whose files take longest come first: a long file at the end would leave the other workers idle.
LONGEST = ("browser", "security", "pages", "ui", "faults")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the folders in the order in which they are to be begun; within a folder nothing changes."""
    items.sort(key=lambda item: next((i for i, name in enumerate(LONGEST) if name in item.path.parts), 99))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Run one headless Chromium for the session."""
    if find_chromium.find() is None:
        pytest.fail(find_chromium.REMEDY, pytrace=False)
    expect.set_options(timeout=1000 * WAIT_SECONDS)
    with browsing() as browser:
        browser.on("context", lambda context: context.set_default_timeout(1000 * WAIT_SECONDS))
        yield browser
