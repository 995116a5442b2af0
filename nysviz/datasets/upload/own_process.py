"""Run a reader of files in a process of its own, with the memory that is free for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nysviz.datasets.upload.limits import UploadError, room_for_reading

# Bytes that the process may take beside its start, and the seconds that it may run.
LEAST_MEMORY, MOST_MEMORY, SECONDS = 64_000_000, 600_000_000, 60
_CHILD = Path(__file__).with_name("child.py")
# One thread, and an allocator that reserves no memory in advance.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}


def read_apart(
    content: bytes, kind: str, check: Callable[[dict[str, Any]], None], **options: object
) -> tuple[dict[str, Any], bytes]:
    """Return what the process says of a file, and its table as bytes.

    Parameters
    ----------
    content : bytes
    kind : str
        "Parquet file" or "workbook", as it is called in sentences.
    check : callable
        Refuses what is said of the file; called first, for a file that is too large has no table.
    **options
        Handed to the reader.

    Raises
    ------
    UploadError
    """
    memory = int(min(max(room_for_reading(), LEAST_MEMORY), MOST_MEMORY))
    request = json.dumps({"kind": kind, "memory": memory, **options})
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(_CHILD)],
            input=request.encode() + b"\n" + content,
            env={**os.environ, **_ENVIRONMENT},
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise UploadError(
            f"Reading the {kind} takes more than {SECONDS} s; send the table as CSV."
        ) from problem
    line, ended, table = done.stdout.partition(b"\n")
    described: dict[str, Any] = json.loads(line) if ended else {}
    if described:
        check(described)
    if done.returncode:
        raise UploadError(
            f"The {kind} is damaged, cut off or locked by a password, or unpacks to more than the "
            f"{memory / 1e6:.0f} MB of memory that are free now; save it again, or send the table as CSV."
        )
    return described, table
