"""Percentiles of what the students waited, and everything that went wrong, as text and for a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.classroom.memory import Memory
from benchmarks.classroom.session import Request, Session
from tests.browser.serving import ROOT

MOST_LINES = 12
# What opens a page, as requests call it; all others are changes.
ARRIVALS = ("open", "go", "Next")
HEADINGS = (("changes", 8), ("chart", 7), ("median", 8), ("95 %", 8), ("over", 7), ("median", 8), ("95 %", 8))
COLUMNS = f"{'':24s}" + "".join(f"{name:>{width}s}" for name, width in HEADINGS)
NOTE = (
    "chart: seconds from a change to the first new chart with values in it, or to the end of an answer\n"
    "that leaves all charts as they were; over: to the moment when nothing runs and no progress is shown.\n"
    "left: the student went on first. unanswered: neither a chart nor an end came. without end: a minute\n"
    "after the lesson the page still waits."
)


@dataclass
class Result:
    """One run of the driver."""

    students: int
    seconds: float
    requests: list[Request]
    sessions: list[Session]
    memory: Memory
    driver_share: float
    beside: str = ""

    def errors(self) -> dict[str, int]:
        """Count what went wrong."""
        return {
            "exceptions": sum(sum(session.failures.values()) for session in self.sessions),
            "error sentences": sum(sum(session.sentences.values()) for session in self.sessions),
            "dropped connections": sum(session.connection.drops for session in self.sessions),
            "lost sessions": sum(session.lost + session.gone for session in self.sessions),
            "missed elements": sum(session.screen.missed for session in self.sessions),
            "misplaced elements": sum(session.screen.misplaced for session in self.sessions),
            "unanswered": sum(unanswered(request) for request in self.requests),
            "without end": sum(request.endless for request in self.requests),
        }


def unanswered(request: Request) -> bool:
    """Whether a request got neither a chart nor an end before the student gave up."""
    return request.left and request.chart is None


def waits(requests: Iterable[Request], which: str) -> list[float]:
    """Seconds from the change to its first chart, or to its end, of those that have it."""
    ends = ((request.sent, getattr(request, which)) for request in requests)
    return [end - sent for sent, end in ends if end is not None]


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile, NaN of nothing."""
    if not seconds:
        return float("nan"), float("nan")
    median, high = np.percentile(seconds, [50, 95])
    return float(median), float(high)


def line(name: str, requests: Sequence[Request]) -> str:
    """One line of the table."""
    cells: list[str] = [str(len(requests))]
    for which in ("chart", "over"):
        seconds = waits(requests, which)
        shown = (f"{value:.2f}" if value == value else "–" for value in percentiles(seconds))
        cells += [str(len(seconds)), *shown]
    return f"{name:24s}" + "".join(
        f"{cell:>{width}s}" for cell, (_, width) in zip(cells, HEADINGS, strict=True)
    )


def table(result: Result) -> list[str]:
    """Return the lines that describe a run."""
    changes = [request for request in result.requests if not _arrives(request)]
    arrivals = [request for request in result.requests if _arrives(request)]
    whom = f"{result.students} students" + (f" beside {result.beside}" if result.beside else "")
    lines = [f"{whom}, {result.seconds:.0f} s", COLUMNS]
    for name, requests in (("changes", changes), ("pages opened", arrivals)):
        lines.append(line(f"all {name}", requests))
        for page in sorted({request.page for request in requests}):
            lines.append(line(f"  {page or 'first page'}", [one for one in requests if one.page == page]))
    left = sum(
        request.left and request.chart is not None and request.over is None for request in result.requests
    )
    lines.append(f"left {left}; " + ", ".join(f"{name} {count}" for name, count in result.errors().items()))
    lines += _words("exception", (session.failures for session in result.sessions))
    lines += _words("sentence", (session.sentences for session in result.sessions))
    for name, found in (("unanswered", unanswered), ("without end", lambda request: request.endless)):
        asked = [f"{name}: {one.what} on {one.page or 'first page'}" for one in result.requests if found(one)]
        lines += asked[:MOST_LINES]
    return [*lines, *_machine(result)]


def _arrives(request: Request) -> bool:
    return request.what in ARRIVALS


def _words(name: str, counters: Iterable[Counter[tuple[str, str]]]) -> list[str]:
    total: Counter[tuple[str, str]] = Counter()
    for counter in counters:
        total.update(counter)
    return [
        f"{name} × {count} on {page or 'first page'}: {words[:120]}"
        for (page, words), count in total.most_common(MOST_LINES)
    ]


def _machine(result: Result) -> list[str]:
    memory = result.memory
    lines = [f"driver: {100 * result.driver_share:.0f} % of a core"]
    if memory.peak is not None:
        growth = "too short to say" if memory.growth is None else f"{100 * memory.growth:+.1f} %"
        lines[0] += f"; server: {100 * memory.processor / result.seconds:.0f} % of a core"
        lines.append(f"server's memory: peak {memory.peak / 2**20:.0f} MiB, after the first minute {growth}")
        of_minutes = " ".join(f"{size / 2**20:.0f}" for size in memory.minutes())
        lines.append(f"largest of each minute, MiB: {of_minutes}")
    return lines


def tracebacks(log: str) -> list[str]:
    """Return what the server has logged of exceptions: the project's last line of code, and the message."""
    found: Counter[str] = Counter()
    for part in log.split("Traceback (most recent call last):")[1:]:
        frames = re.findall(r'File "([^"]*)", line (\d+), in (\S+)', part)
        # The project's own last line says more than the library's that raised.
        told = [frame for frame in frames if _is_own(frame[0])] or frames or [("?", "?", "?")]
        file, number, name = told[-1]
        # The message is the first line that is not set in, below the frames.
        message = re.search(r"^\S.*$", part, re.MULTILINE)
        found[f"{Path(file).name}:{number} in {name}: {message.group()[:200] if message else ''}"] += 1
    return [f"logged × {count}: {words}" for words, count in found.most_common(MOST_LINES)]


def _is_own(file: str) -> bool:
    return file.startswith(str(ROOT)) and ".venv" not in file


def as_dict(result: Result) -> dict[str, Any]:
    """Return a run for a JSON file: every request, in seconds, and the samples of memory."""
    return {
        "students": result.students,
        "beside": result.beside,
        "seconds": result.seconds,
        "driver_share": result.driver_share,
        "server_processor_seconds": result.memory.processor,
        "errors": result.errors(),
        "memory": result.memory.samples,
        "requests": [
            {
                "page": one.page,
                "what": one.what,
                "chart": None if one.chart is None else one.chart - one.sent,
                "over": None if one.over is None else one.over - one.sent,
                "left": one.left,
            }
            for one in result.requests
        ],
    }
