"""Pages hold controls and places: what they say and compute is a study's."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "nysviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")])
COMPUTING = {"numpy", "scipy", "pandas", "numba"}
# Numbers of a result; those of settings and files stand beside their controls.
FORMATS = {"three_digits", "in_seconds", "percent", "signed", "ranged", "of_all"}
CODE = re.compile(r"import nysviz|\bnv\.|print\(|^from \S+ import|\w+ = \w+\(", re.MULTILINE)


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
            yield from (alias.name for alias in node.names)


def texts(tree):
    """Yield the strings of a file that are no docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_page_computes_formats_and_programs_nothing(file):
    tree = ast.parse(file.read_text("utf-8"))
    names = set(imported(tree))
    assert not names & COMPUTING
    if "sidebar" not in file.parts:
        assert not names & FORMATS
    assert [text for text in texts(tree) if CODE.search(text)] == []
