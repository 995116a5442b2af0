"""Compile loops and keep them between processes, so that only the first one on a machine compiles them.

It rests on parts of Numba 0.68 that are not public; the requirements hold Numba to 0.68.
"""

import io
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

if sys.platform != "win32":
    import fcntl

F = TypeVar("F", bound=Callable[..., Any])

log = logging.getLogger(__name__)

VARIABLE = "NUMBA_CACHE_DIR"
LOCK = "nysviz.lock"


def choose_folder() -> Path | None:
    """Choose the folder of Numba's compiled code before Numba is imported; None, and logged, for none."""
    beside = Path(__file__).parent / "__pycache__"
    # For a user without a home this is not a folder, but not an error either.
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    named = [Path(setting)] if (setting := os.environ.get(VARIABLE)) else []
    for folder in (*named, beside, Path(home) / "nysviz" / "compiled"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        # Numba looks beside the source by itself; it must be told of another folder.
        if folder == beside:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = str(folder)
        return folder
    log.warning(
        "No folder can be written to, so the loops are compiled anew in each process; %s names one.", VARIABLE
    )
    return None


# Numba reads this setting when it is imported.
FOLDER = choose_folder()

import numba  # noqa: E402
from numba.core.caching import FunctionCache, IndexDataCacheFile  # noqa: E402


def jit(function: F) -> F:
    """Compile a loop: cached on disk, without the interpreter lock, IEEE arithmetic, no parallel layer."""
    # fastmath stays off: ties between pivots and checks for NaN depend on exact comparisons.
    loop = numba.njit(nogil=True, fastmath=False, error_model="numpy")(function)
    if FOLDER is not None and not numba.config.DISABLE_JIT:
        loop._cache = KeptLoop(function)
    return cast("F", loop)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let one process at a time write to the folder."""
    if sys.platform == "win32":
        yield
        return
    with (folder / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Closing the file ends the lock.
        yield


class KeptLoop(FunctionCache):  # type: ignore[misc]
    """The compiled code of a loop on disk: Numba's own cache, made safe against damage and disk failures.

    Numba reads its index, adds an entry and writes it again: two processes that do so at once for different
    types of arguments may both take the next free file name, and one of them would load the other's code.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CheckedFiles(self.cache_path, self._impl.filename_base, stamp)

    def load_overload(self, *arguments: Any) -> Any:
        """Return compiled code; None if none is kept or readable."""
        try:
            return super().load_overload(*arguments)
        except OSError as problem:
            log.warning("A compiled loop was not loaded: %s", type(problem).__name__)
            return None

    def save_overload(self, *arguments: Any) -> None:
        """Keep compiled code, unless it cannot be written."""
        try:
            folder = Path(self.cache_path)
            folder.mkdir(parents=True, exist_ok=True)
            with alone_in(folder):
                super().save_overload(*arguments)
        except OSError as problem:
            # A full disk, or a folder that was taken away: the loop is compiled for this process alone.
            log.warning("A compiled loop was not kept: %s", type(problem).__name__)


class CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files of a loop, each with a digest at its end: damaged machine code would end the process."""

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[BinaryIO]:
        with super()._open_for_write(path) as file, io.BytesIO() as content:
            yield content
            file.write(content.getvalue() + sha256(content.getvalue()).digest())

    def _load_index(self) -> Any:
        _discard_damaged(Path(self._index_path))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _discard_damaged(Path(self._data_path(name)))
        return super()._load_data(name)


def _discard_damaged(path: Path) -> None:
    """Delete a file that is not as it was written; the loop is then compiled and kept again."""
    content = path.read_bytes() if path.exists() else None
    size = sha256().digest_size
    if content is not None and sha256(content[:-size]).digest() != content[-size:]:
        log.warning("A file of a compiled loop was damaged and is renewed: %s", path.name)
        path.unlink(missing_ok=True)
