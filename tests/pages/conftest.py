"""Words of the pages are compared as they are written."""

from collections.abc import Iterator

import pytest

from nysviz.ui import page


@pytest.fixture(autouse=True, scope="module")
def words_with_ordinary_spaces() -> Iterator[None]:
    """Leave out the spaces that keep numbers and units on one line; tests/test_digits.py looks at these.

    For a module, so that pages which several tests share are opened with it too.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "unbroken", lambda text: text)
        yield
