"""Words of the pages are compared as they are written."""

import pytest

from nysviz.ui import page


@pytest.fixture(autouse=True)
def words_with_ordinary_spaces(monkeypatch):
    """Leave out the spaces that keep numbers and units on one line."""
    monkeypatch.setattr(page, "unbroken", lambda text: text)
