"""``fetch``: the files of a set from their archive, checked, and never half a file under its name."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

import pooch

from nysviz.datasets.cards import FOLDER_VARIABLE, Card, card, default_data_folder
from nysviz.datasets.loading import read_checked
from nysviz.datasets.transfer import ArchiveError, Transfer, is_packed, secure, unpack
from nysviz.refusal import Refusal

Progress = Callable[[str, int, int | None], None]

# Text of one value in the most long-winded format (LIBSVM: index, colon, sign, digits, exponent, blank).
BYTES_A_VALUE = 40
# An archive that holds other sets too may be larger than the set; no file is ever larger than the second.
ARCHIVE_AT_LEAST, LARGEST = 64 << 20, 2 << 30
# Folders that a killed fetch left behind are cleared away when they are older than this, in seconds.
ABANDONED = 24 * 3600
_STAGING = ".fetch-"


class Fetched(NamedTuple):
    """What ``fetch`` leaves: the files, whether they are new, and how they were checked, in one sentence."""

    name: str
    files: tuple[Path, ...]
    new: bool
    sentence: str


def fetch(
    name: str, data_folder: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> Fetched:
    """Bring the files of a data set of the catalog into the data folder.

    Only addresses of the catalog are asked. Redirects are followed to the same host or the hosts that the
    card names, never from a secure address to an insecure one. Everything is received, unpacked and checked
    in a folder of its own beside the files, each of which then takes its name in one step; an interrupted
    fetch starts again from nothing. A set that is there and sound is left alone; a damaged one is replaced.

    A file is accepted by its checksum where the catalog has one. Otherwise, or where the archive's copy
    differs from the one that was summed (line ends do), it is parsed and its n, d, labels and values are
    compared with the card. What comes from an insecure address must have the known checksum.

    ``progress(file, received, announced)`` is called many times a file, in bytes; announced may be None.
    ValueError, one sentence: unknown name, no address, no network, an archive that stalls, cuts off,
    redirects or sends something else, a folder that cannot be written or is full, a set that this machine
    cannot hold.
    """
    found = card(name, data_folder)
    if found.kind != "file":
        return Fetched(found.name, (), False, f"{found.name} needs no file; load it at once.")
    if not found.sha256 and (problem := found.too_large):
        # Without a checksum it has to be read to be believed.
        raise Refusal(problem)
    folder = default_data_folder() if data_folder is None else Path(data_folder)
    files = tuple(folder / file for file in found.files)
    if found.on_disk:
        try:
            return Fetched(found.name, files, False, f"{found.name} is there: {_checked(found, folder)}.")
        except ValueError:
            # Damaged, so fetched again below; the old files stay until a sound copy can take their place.
            pass
    if not found.addresses:
        raise Refusal(
            f"{found.name} cannot be downloaded, since the catalog knows no safe address of its files; put "
            f"{' and '.join(found.files)} into {folder} by hand ({found.source}), or begin with the embedded "
            f"set {found.alternative}."
        )
    try:
        how = _bring(found, folder, progress or (lambda *_: None))
    except OSError as problem:
        raise Refusal(
            f"{found.name} could not be stored in {folder} ({problem.strerror or type(problem).__name__}); "
            f"make room or set {FOLDER_VARIABLE} to a folder that can be written."
        ) from problem
    return Fetched(found.name, files, True, f"{found.name} is in {folder}: {how}.")


def _bring(found: Card, folder: Path, progress: Progress) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    # Only old ones: another process may be fetching into a fresh one at this moment.
    for left in folder.glob(f"{_STAGING}*"):
        if left.is_dir() and not left.is_symlink() and time.time() - left.stat().st_mtime > ABANDONED:
            shutil.rmtree(left, ignore_errors=True)
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=folder))
    try:
        _receive(found, staging, progress)
        how = _checked(found, staging, insist=not all(map(secure, found.addresses)))
        for file in found.files:
            (staging / file).replace(folder / file)
    except (ArchiveError, ValueError) as problem:
        host = urlsplit(found.addresses[0]).hostname
        raise Refusal(
            f"{found.name} could not be fetched from {host}: {problem}; try again later, get it by hand "
            f"({found.source}), or begin with the embedded set {found.alternative}."
        ) from problem
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return how


def _receive(found: Card, staging: Path, progress: Progress) -> None:
    limit = min(LARGEST, (1 << 20) + BYTES_A_VALUE * found.n * (found.d + 1))
    # One archive with all files, or one address a file.
    shared = len(found.addresses) < len(found.files)
    for address, file in zip(found.addresses, found.files, strict=False):
        members = {name: staging / name for name in (found.files if shared else (file,))}
        packed = is_packed(address, file)
        arriving = f"packed{PurePosixPath(address).suffix.lower()}" if packed else file
        most = max(limit, ARCHIVE_AT_LEAST) if packed else limit
        Transfer(most, found.redirects, partial(progress, file))(address, staging / arriving)
        if packed:
            unpack(staging / arriving, members, limit)
            (staging / arriving).unlink()


def _checked(found: Card, folder: Path, *, insist: bool = False) -> str:
    """How the files were found to be right, as the end of a sentence; ValueError when they are not."""
    sums = [pooch.file_hash(str(folder / file), alg="sha256") for file in found.files]
    if found.sha256 and tuple(sums) == found.sha256:
        return "checksum as expected"
    if insist:
        raise Refusal("the checksum is not the known one, and the address is not secure")
    read_checked(found, folder)
    size = f"{found.n} x {found.d} values" + (", labels" if found.task == "classification" else "")
    return f"{size} as the catalog says" + (", bytes differ from the copy tested" if found.sha256 else "")
