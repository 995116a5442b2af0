"""Damage something many times and try the results in processes forked from one that is warm."""

from __future__ import annotations

import faulthandler
import os
import resource
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

SECONDS = 2.0
# What may be taken beside the 400 MB that a server holds: together 1 GiB.
BYTES = 650_000_000
# A process that only waits is ended as well.
PATIENCE_SECONDS = 60
EXTREMES = (0, -1, 1, 2**15 - 1, 2**16, 2**31 - 1, -(2**31), 2_000_000, 10**9)
WIDTHS = ("<i2", "<i4", "<i8", ">i4")
LENGTHS = (400, 5_000, 20_000, 100_000)


def mutated(content: bytes, rng: np.random.Generator, pieces: list[bytes], others: list[bytes]) -> bytes:
    """Return the content with one to three changes; a piece may be put in up to 100 kB long, or a tail."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at, length = int(rng.integers(0, len(changed) + 1)), int(rng.integers(1, 9))
        piece = pieces[rng.integers(len(pieces))]
        kind = rng.integers(20)
        if kind < 3 and at < len(changed):
            changed[at] ^= 1 << int(rng.integers(8))
        elif kind < 5:
            changed[at : at + length] = rng.bytes(length)
        elif kind < 7:
            del changed[at : at + length]
        elif kind < 9:
            changed[at:at] = changed[at : at + 8 * length] * 3
        elif kind < 13:
            changed[at : at + length * int(rng.integers(2))] = piece
        elif kind < 15:
            width = np.dtype(WIDTHS[rng.integers(len(WIDTHS))])
            value = np.int64(EXTREMES[rng.integers(len(EXTREMES))]).astype(width)
            changed[at : at + width.itemsize] = value.tobytes()
        elif kind < 17:
            changed[at:at] = piece * (LENGTHS[rng.integers(len(LENGTHS))] // len(piece))
        elif kind < 18:
            other = others[rng.integers(len(others))]
            changed[at:] = other[rng.integers(len(other)) :]
        elif kind < 19:
            del changed[at:]
    return bytes(changed)


def fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of any thread
        return os.fork()


def tried(check: Callable[..., Any], cases: Iterable[tuple[Any, ...]], seconds: float = SECONDS) -> str:
    """Call ``check`` with each case in one process of its own, limited in memory and, for each case, in time.

    Returns the first problem and the number of its case; an empty text where there is none.
    """
    pages, held = map(int, Path("/proc/self/statm").read_text().split()[:2])
    page = resource.getpagesize()
    reading, writing = os.pipe()
    child = fork()
    if not child:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            faulthandler.register(signal.SIGXCPU, writing, all_threads=False, chain=True)
            resource.setrlimit(resource.RLIMIT_AS, (pages * page + 2**30, pages * page + 2**30))
            for case in cases:
                before = spent()
                signal.alarm(PATIENCE_SECONDS)
                resource.setrlimit(resource.RLIMIT_CPU, (int(before + seconds) + 2, resource.RLIM_INFINITY))
                check(*case)
                assert spent() - before <= seconds, f"took {spent() - before:.1f} s"
                os.write(writing, b".")
        except BaseException:
            os.write(writing, traceback.format_exc()[-3000:].encode(errors="replace"))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        answer = told.read().decode(errors="replace")
    _, status, usage = os.wait4(child, 0)
    peak, problem = 1024 * usage.ru_maxrss - held * page, answer.lstrip(".")
    if os.WIFSIGNALED(status):
        problem += f"ended by {signal.Signals(os.WTERMSIG(status)).name}; "
    if peak > BYTES:
        problem += f"took {peak / 1e6:.0f} MB"
    return problem and f"case {len(answer) - len(answer.lstrip('.'))}: {problem}"


def spent() -> float:
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def forked(command: list[str], *, input: bytes, **_: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a Python program in a fork of this process, whose libraries are loaded, as subprocess.run would."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as told:
        given.write(input)
        given.seek(0)
        child = fork()
        if not child:
            code = 1
            faulthandler.disable()  # a parser that crashes is no news here
            try:
                os.dup2(given.fileno(), 0)
                os.dup2(told.fileno(), 1)
                sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
                runpy.run_path(command[-1], run_name="__main__")
                sys.stdout.flush()
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        told.seek(0)
        return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), told.read(), b"")
