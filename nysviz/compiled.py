"""Where compiled loops are kept between processes, so that only the first one on a machine compiles them."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import fcntl

VARIABLE = "NUMBA_CACHE_DIR"
LOCK = "nysviz.lock"


def candidates() -> Iterator[Path]:
    """Folders that the compiled loops may be kept in, the best one first."""
    if asked := os.environ.get(VARIABLE):
        yield Path(asked)
    yield Path(__file__).parent / "__pycache__"
    # Of a user without a home this is no folder, and no error.
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    yield Path(home) / "nysviz" / "compiled"
    user = os.getuid() if hasattr(os, "getuid") else "user"
    if shared := shared_folder():
        yield shared / f"nysviz-compiled-{user}"


def shared_folder() -> Path | None:
    """Return the folder for temporary files, which all users share; None where none can be written to."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return None


def is_ours(folder: Path) -> bool:
    """Whether the folder is there, or can be made, and can be written to by this user.

    What is loaded from it is run: one in a place that all users share must be this user's and nobody else's.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        if not hasattr(os, "getuid"):
            return True
        about = folder.lstat()
    except OSError:
        return False
    if folder.parent != shared_folder():
        return True
    return about.st_uid == os.getuid() and not about.st_mode & 0o022 and not folder.is_symlink()


def choose_folder() -> Path | None:
    """Settle where Numba keeps compiled code; to be called before Numba is imported.

    Returns
    -------
    Path or None
        None where no folder can be written to; one line in the log says so.
    """
    for folder in candidates():
        if not is_ours(folder):
            continue
        # Beside the source is where Numba looks by itself; another folder it must be told.
        if folder != Path(__file__).parent / "__pycache__":
            os.environ[VARIABLE] = str(folder)
        else:
            os.environ.pop(VARIABLE, None)
        return folder
    logging.getLogger(__name__).warning(
        "No folder can be written to, so the loops are compiled anew in each process; %s names one.", VARIABLE
    )
    return None


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


def guard(compiled: Any) -> None:
    """Keep what two processes compile at once apart, and go on where it cannot be kept.

    Numba reads its index, adds an entry and writes it again: two processes that do so at once for different
    types of arguments may both take the next free file name, and one of them would load the other's code.
    """
    cache: Any = getattr(compiled, "_cache", None)
    if getattr(cache, "cache_path", None) is None:
        # Nothing is kept, or nothing compiled.
        return
    save: Callable[..., None] = cache.save_overload
    load: Callable[..., Any] = cache.load_overload

    def save_or_renew(*what: Any) -> None:
        try:
            save(*what)
        except OSError:
            raise
        except Exception as problem:
            # A damaged index, which Numba reads before it writes: it would fail at every start.
            logging.getLogger(__name__).warning(
                "The index of a compiled loop was damaged (%s) and is renewed.", type(problem).__name__
            )
            cache.flush()
            save(*what)

    def save_alone(*what: Any) -> None:
        try:
            folder = Path(cache.cache_path)
            folder.mkdir(parents=True, exist_ok=True)
            with alone_in(folder):
                save_or_renew(*what)
        except OSError as problem:
            # A full disk, or a folder that was taken away: the loop is compiled for this process alone.
            logging.getLogger(__name__).warning("A compiled loop was not kept: %s", type(problem).__name__)

    def load_or_compile(*what: Any) -> Any:
        try:
            return load(*what)
        except Exception as problem:
            # A damaged file: nothing is loaded, so the loop is compiled, and kept in its place.
            logging.getLogger(__name__).warning("A compiled loop was not loaded: %s", type(problem).__name__)
            return None

    cache.save_overload, cache.load_overload = save_alone, load_or_compile
