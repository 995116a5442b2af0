"""Each mutation changes the code as it is: what it replaces stands in its file, once."""

import pytest

from nysviz.root import ROOT
from tests.mutations import MUTATIONS


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.breaks)
def test_a_mutation_can_be_made(mutation):
    assert (ROOT / "nysviz" / mutation.file).read_text(encoding="utf-8").count(mutation.old) == 1
    assert all((ROOT / "tests" / name).exists() for name in mutation.tests.split())
