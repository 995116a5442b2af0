"""The recipes of CONTRIBUTING.md work as they stand: each is followed in a copy of the tree."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from nysviz.root import ROOT

pytestmark = pytest.mark.slow

HEADING = re.compile(r"^# ([\w/]+\.py)(?:[,;] (.*))?\n", re.MULTILINE)
ENTRY = re.compile(
    r'(?:then )?(?P<entry>"\w+": \w+)? ?in (?:a group of )?(?P<table>[A-Z]+)(?: of (?P<file>[\w/.]+))?'
)
SHOW_PAGE = """
from tests.pages.driving import opened
at = opened("energy")
assert any("eigenvalues hold 90" in text.value for text in at.markdown)
assert len(at.get("plotly_chart")) == 1
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the tree in which all recipes were followed."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("nysviz", "pages", "tests", "benchmarks", "datasets"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "requirements.txt", "README.md"):
        shutil.copy(ROOT / name, tree / name)
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for recipe in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        _, *sections = HEADING.split(recipe)
        for file, note, code in zip(sections[::3], sections[1::3], sections[2::3], strict=True):
            follow(tree, file, note or "", code)
    return tree


def follow(tree, file, note, code):
    """Put the code of a recipe where its heading says."""
    entry = ENTRY.search(note)
    if entry is None or entry["entry"]:
        path = tree / file
        before = path.read_text("utf-8") + "\n\n" if path.exists() else ""
        path.write_text(before + code, "utf-8")
    if entry is not None:
        path = tree / (entry["file"] or file)
        text, line = path.read_text("utf-8"), entry["entry"] or code.strip().rstrip(",")
        # Before the first entry of the table, or of the second group of the menu's.
        begin = re.search(rf"^{entry['table']}\b.*{{\n(?:.*\n.*: \(\n)?", text, re.MULTILINE)
        assert begin is not None, path
        text = f"{text[: begin.end()]}    {line},\n{text[begin.end() :]}"
        if entry["entry"]:
            module = file.removesuffix(".py").replace("/", ".")
            text = f"from {module} import {line.split()[-1]}\n{text}"
        path.write_text(text, "utf-8")


def run(tree, *command):
    """Run Python in the copy."""
    settings = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *command]
    done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def run_tests(tree, folder, word):
    """Run the quick tests of a folder whose names have a word."""
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", folder, "-k", word)


def test_the_method_is_tested_with_all_others(tree):
    run_tests(tree, "tests/landmarks", "first_rows")


def test_the_kernel_is_tested_with_all_others(tree):
    run_tests(tree, "tests/kernels", "rational")


def test_the_page_answers_its_question(tree):
    run(tree, "-c", SHOW_PAGE)
