"""The clock of the machine may be set back or forth in the middle of a run: nothing here goes by it."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Compares with the time that a file of the disk was made, which is told by that clock alone.
BY_THE_CALENDAR = {("nysviz/datasets/download.py", "time.time")}


def test_durations_go_by_a_clock_that_nobody_sets():
    seen = set()
    for path in [*(ROOT / "nysviz").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in ("time.time", "time.time_ns"):
                seen.add((path.relative_to(ROOT).as_posix(), ast.unparse(node)))
            if isinstance(node, ast.ImportFrom) and node.module == "time":
                seen |= {(path.relative_to(ROOT).as_posix(), a.name) for a in node.names if a.name == "time"}
    assert seen == BY_THE_CALENDAR
