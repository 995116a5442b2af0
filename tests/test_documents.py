"""The documents name files that are there."""

import re

import pytest

from nysviz.root import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_of_the_project_that_is_named_is_there(document):
    named = re.findall(
        r"\b(?:nysviz|pages|datasets|tests|benchmarks)/[\w/]*\.\w+", document.read_text("utf-8")
    )
    # The page of the example in CONTRIBUTING.md.
    assert [name for name in named if not (ROOT / name).exists() and name != "pages/energy.py"] == []
