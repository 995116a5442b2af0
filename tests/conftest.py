"""What tests of several folders share: their order, a warm reader of uploads, one Chromium a worker."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from nysviz.datasets import catalog
from tests.browser import find_chromium
from tests.browser.driving import WAIT_SECONDS
from tests.browser.serving import browsing
from tests.security.fuzzing import forked

# Folders whose files take longest come first: a long file at the end would leave the other workers idle.
LONGEST = ("browser", "security", "pages", "ui", "faults")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the folders in the order in which they are to be begun; within a folder nothing changes."""
    items.sort(key=lambda item: next((i for i, name in enumerate(LONGEST) if name in item.path.parts), 99))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Run one headless Chromium for the session: one thread drives no two."""
    if find_chromium.find() is None:
        pytest.fail(find_chromium.REMEDY, pytrace=False)
    expect.set_options(timeout=1000 * WAIT_SECONDS)
    with browsing() as browser:
        browser.on("context", lambda context: context.set_default_timeout(1000 * WAIT_SECONDS))
        yield browser


@pytest.fixture(scope="session", autouse=True)
def everybody_is_here() -> Iterator[None]:
    """Keep the threads of an earlier page from asking the stand-in that AppTest has for the server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nysviz.ui.watching.is_here", lambda session: True)
        yield


@pytest.fixture
def warm_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the process that reads a binary upload from this one, which has the libraries loaded."""
    for library in ("pyarrow.parquet", "python_calamine", "scipy.io"):
        importlib.import_module(library)
    monkeypatch.setattr("subprocess.run", forked)


@pytest.fixture
def needs() -> Callable[..., None]:
    """Skip the test when the data folder lacks the files of a set."""

    def check(*names: str) -> None:
        absent = [known.name for known in catalog() if known.name in names and not known.on_disk]
        if absent:
            pytest.skip(f"the data folder (NYSVIZ_DATA) has no files of {', '.join(absent)}")

    return check
