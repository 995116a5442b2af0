"""The clock of the machine is set back or forth in the middle of a run: nothing here goes by it."""

import ast
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nysviz.sweep import run_jobs
from nysviz.sweep.jobs import Job

ROOT = Path(__file__).resolve().parents[2]
HOUR = 3600.0
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


@pytest.mark.parametrize("jump", [-HOUR, HOUR])
def test_a_jump_during_a_run_leaves_estimates_and_results_as_they_are(jump, monkeypatch):
    begun, jumped = time.monotonic(), threading.Event()
    true_time = time.time
    monkeypatch.setattr(time, "time", lambda: true_time() + (jump if jumped.is_set() else 0.0))

    def work(k):
        if k == 3:
            jumped.set()
        time.sleep(0.01)
        return (k,)

    jobs = [Job(k, "kind", 1.0, lambda k=k: work(k)) for k in range(12)]
    with ThreadPoolExecutor(2) as pool:
        found = list(run_jobs(jobs, pool))
    assert jumped.is_set() and sorted(one.records[0] for one in found) == list(range(12))
    most = time.monotonic() - begun
    for one in found:
        progress = one.progress
        assert math.isfinite(progress.seconds) and 0 <= progress.seconds <= most
        assert math.isfinite(progress.seconds_left) and 0 <= progress.seconds_left < 100 * most
        assert 0 <= progress.fraction <= 1
