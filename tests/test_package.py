import doctest
import json
import re
import tomllib
from inspect import isfunction
from operator import attrgetter
from pathlib import Path
from unittest.mock import patch

import pytest

import nysviz as nv

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])
REFERENCE = (ROOT / "docs" / "reference.rst").read_text(encoding="utf-8")


def test_the_lists_of_requirements_agree():
    """requirements.txt has what the extra app needs, tests/requirements.txt what a cluster needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]

    def listed(file):
        lines = re.sub(r"#.*", "", (ROOT / file).read_text(encoding="utf-8")).splitlines()
        return {line.strip() for line in lines if line.strip()}

    needed = {*project["dependencies"], *extras["plot"], *extras["app"]} - {"nysviz[plot]"}
    assert listed("requirements.txt") == needed
    assert listed("tests/requirements.txt") >= set(extras["cluster"])


def test_the_citation_names_the_version():
    assert f"\nversion: {nv.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_reference_has_every_public_name():
    directive = r"^\.\. auto(?:function|class|module):: (?:nysviz\.(?:figures\.)?)?(\w+)(?:\(\))?$"
    listed = [*re.findall(directive, REFERENCE, re.M), *re.findall(r"^``(\w+)`` has", REFERENCE, re.M)]
    assert sorted(listed) == sorted(nv.__all__)


def test_a_name_that_is_none_is_no_attribute():
    with pytest.raises(AttributeError, match="no attribute 'gausian'"):
        nv.gausian  # noqa: B018


LINKS = [
    (page, target)
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/notebooks/*.ipynb")]
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page, target", LINKS)
def test_a_link_leads_to_a_file(page, target):
    assert (page.parent / target).exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_of_the_project_that_is_named_is_there(document):
    path = r"\b(?:nysviz|pages|datasets|tests|benchmarks)/[\w/]*\.\w+"
    named = re.findall(path, document.read_text("utf-8"))
    # The page of the example in CONTRIBUTING.md.
    assert [name for name in named if not (ROOT / name).exists() and name != "pages/energy.py"] == []


@pytest.mark.slow
@pytest.mark.parametrize("notebook", sorted(ROOT.glob("docs/notebooks/*.ipynb")), ids=attrgetter("stem"))
@patch.dict(nv.METHODS)  # one of them adds a method
def test_a_notebook_runs(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)
    exec("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"), {})


PLOTS = {name for name, one in vars(nv.plot).items() if getattr(one, "__module__", "") == nv.plot.__name__}
STUDIES = {name for name, function in vars(nv.studies).items() if isfunction(function)}
EXPLAINED = {*nv.__all__} - {"KERNELS", "METHODS", "plot", "studies"}
EXPLAINED |= {f"plot.{n}" for n in PLOTS if n[0] != "_"} | {f"studies.{name}" for name in STUDIES}


@pytest.mark.parametrize("name", sorted(EXPLAINED))
def test_every_public_name_has_an_example_that_runs(name):
    (example,) = doctest.DocTestFinder(recurse=False).find(attrgetter(name)(nv), name)
    assert example.examples and doctest.DocTestRunner().run(example).failed == 0
