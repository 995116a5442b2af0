import pytest

from nysviz.datasets import catalog


@pytest.fixture
def needs():
    """Skip the test when the data folder lacks the files of a set."""

    def check(*names):
        absent = [known.name for known in catalog() if known.name in names and not known.on_disk]
        if absent:
            pytest.skip(f"the data folder (NYSVIZ_DATA) has no files of {', '.join(absent)}")

    return check
