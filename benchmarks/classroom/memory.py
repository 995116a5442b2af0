"""Memory and processor time of the server, as Linux counts them in /proc."""

from __future__ import annotations

import asyncio
import math
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

PROC = Path("/proc")
SAMPLE_SECONDS = 2.0
# Growth is counted from the end of the first minute to that of the lesson; each end is a mean over
# ``MEAN_SECONDS``, since work that comes and goes takes some hundred megabytes.
WARM_SECONDS = 60.0
MEAN_SECONDS = 60.0


@dataclass
class Memory:
    """Samples of (seconds since the start, bytes resident) of a process and its children.

    The lesson ends after ``seconds``; what is still under way then is followed to its end.
    """

    process: int | None
    seconds: float = math.inf
    started: float = field(default_factory=time.monotonic)
    samples: list[tuple[float, int]] = field(default_factory=list)
    processor: float = 0.0

    async def watch(self) -> None:
        """Take samples until cancelled."""
        if self.process is None:
            return
        self.processor = -processor_seconds(self.process)
        while True:
            self.samples.append((time.monotonic() - self.started, resident(self.process)))
            await asyncio.sleep(SAMPLE_SECONDS)

    def stop(self) -> None:
        """Take the last sample."""
        if self.process is not None:
            self.samples.append((time.monotonic() - self.started, resident(self.process)))
            self.processor += processor_seconds(self.process)

    @property
    def peak(self) -> int | None:
        """Largest sample; the system's own high-water mark would count earlier runs too."""
        return max((size for _, size in self.samples), default=None)

    @property
    def growth(self) -> float | None:
        """Growth after the first minute as a part of what there was then; None for a short run."""
        if not self.samples:
            return None
        end = min(self.seconds, self.samples[-1][0])
        if end < WARM_SECONDS + 2 * MEAN_SECONDS:
            return None
        first, last = self._mean(WARM_SECONDS), self._mean(end - MEAN_SECONDS)
        return last / first - 1.0

    def _mean(self, start: float) -> float:
        sizes = [size for when, size in self.samples if start <= when <= start + MEAN_SECONDS]
        return sum(sizes) / len(sizes)

    def minutes(self) -> list[int]:
        """Largest sample of each minute."""
        largest: dict[int, int] = {}
        for when, size in self.samples:
            largest[int(when // 60)] = max(size, largest.get(int(when // 60), 0))
        return [largest[minute] for minute in sorted(largest)]


def family(process: int) -> list[int]:
    """Return a process and all that descend from it."""
    found = [process]
    for one in found:
        for task in (PROC / str(one) / "task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:
                continue  # ended meanwhile
    return found


def resident(process: int) -> int:
    """Bytes of memory that a process and its children hold."""
    pages = 0
    for one in family(process):
        try:
            pages += int((PROC / str(one) / "statm").read_text().split()[1])
        except OSError:
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")


def most_resident(process: int) -> int:
    """Bytes of memory that a process has held at most."""
    words = (PROC / str(process) / "status").read_text().split()
    return 1024 * int(words[words.index("VmHWM:") + 1])


def processor_seconds(process: int) -> float:
    """Processor time that a process has used so far."""
    try:
        fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def served_by(port: int) -> int | None:
    """Return the child of this process that serves this port, None without /proc."""
    if not PROC.is_dir():
        return None
    for one in family(os.getpid())[1:]:
        words = (PROC / str(one) / "cmdline").read_bytes().split(b"\0")
        if b"--server.port" in words and str(port).encode() in words:
            return one
    return None
