"""Names carry a noun, and no two classes of the package have one name."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nysviz.root import ROOT

FILES = sorted((ROOT / "nysviz").rglob("*.py"))
# Words that say how something came about or stands to the reader, and not what it is.
RIDDLES = frozenset(
    [
        "asked",
        "drawn",
        "found",
        "given",
        "gone",
        "got",
        "held",
        "here",
        "kept",
        "known",
        "least",
        "lost",
        "made",
        "most",
        "needed",
        "of",
        "one",
        "other",
        "others",
        "own",
        "rest",
        "said",
        "seen",
        "shown",
        "taken",
        "there",
        "these",
        "those",
        "told",
        "wanted",
        "what",
    ]
)
# Such as the other operand of a sum, and the parameter ``found`` of a public function.
ALLOWED = 25


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Go through the names of variables, parameters and functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name


def trees() -> Iterator[tuple[Path, ast.AST]]:
    for file in FILES:
        yield file, ast.parse(file.read_text("utf-8"))


def test_names_have_a_noun():
    riddles = [
        f"{file.relative_to(ROOT)}: {name}"
        for file, tree in trees()
        for name in bound_names(tree)
        if name.strip("_") in RIDDLES
    ]
    assert len(riddles) <= ALLOWED, riddles


def test_no_two_classes_have_one_name():
    classes = Counter(
        node.name
        for _, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in classes.items() if count > 1] == []
