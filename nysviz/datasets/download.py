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

from nysviz.datasets.cards import FOLDER_VARIABLE, Card, default_data_folder, find_card
from nysviz.datasets.loading import read_checked
from nysviz.datasets.transfer import ArchiveError, Transfer, is_packed, is_secure, unpack
from nysviz.refusal import Refusal

Progress = Callable[[str, int, int | None], None]

# Text of one value in the longest format (LIBSVM: index, colon, sign, digits, exponent, blank).
BYTES_A_VALUE = 40
# An archive that holds other sets too may be larger than the set; no file is ever larger than the second.
ARCHIVE_AT_LEAST, LARGEST = 64 << 20, 2 << 30
# Age in seconds at which folders of a killed fetch are deleted.
ABANDONED = 24 * 3600
_STAGING = ".fetch-"


class Fetched(NamedTuple):
    """The result of ``fetch``: the files, whether they are new, and a sentence on how they were checked."""

    name: str
    files: tuple[Path, ...]
    new: bool
    sentence: str


def fetch(
    name: str, data_folder: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> Fetched:
    """Bring the files of a data set of the catalog into the data folder.

    Only addresses of the catalog are used. Redirects are followed to the same host or the hosts that the
    card names, never from a secure address to an insecure one. Everything is received, unpacked and checked
    in a folder of its own beside the files, each of which then takes its name in one step; an interrupted
    fetch starts again from nothing. A sound set on disk is left alone; a damaged one is replaced.

    A file is accepted by its checksum where the catalog has one. Otherwise, or where the archive's copy
    differs from the one that was summed (line ends do), it is parsed and its n, d, labels and values are
    compared with the card. What comes from an insecure address must have the known checksum.

    ``progress(file, received, announced)`` is called many times a file, in bytes; announced may be None.
    ValueError, one sentence: unknown name, no address, no network, an archive that stalls, cuts off,
    redirects or sends something else, a folder that cannot be written or is full, a set that this machine
    cannot hold.
    """
    card = find_card(name, data_folder)
    if card.kind != "file":
        return Fetched(card.name, (), False, f"{card.name} needs no file; load it at once.")
    if not card.sha256 and (problem := card.too_large):
        # Without a checksum the files have to be read to be checked.
        raise Refusal(problem)
    folder = default_data_folder() if data_folder is None else Path(data_folder)
    files = tuple(folder / file for file in card.files)
    if card.on_disk:
        try:
            return Fetched(card.name, files, False, f"{card.name} is there: {_checked(card, folder)}.")
        except ValueError:
            # Damaged, so fetched again below; the old files stay until a sound copy can take their place.
            pass
    if not card.addresses:
        raise Refusal(
            f"{card.name} cannot be downloaded, since the catalog knows no safe address of its files; put "
            f"{' and '.join(card.files)} into {folder} by hand ({card.source}), or begin with the embedded "
            f"set {card.alternative}."
        )
    try:
        how = _bring(card, folder, progress or (lambda *_: None))
    except OSError as problem:
        raise Refusal(
            f"{card.name} could not be stored in {folder} ({problem.strerror or type(problem).__name__}); "
            f"make room or set {FOLDER_VARIABLE} to a folder that can be written."
        ) from problem
    return Fetched(card.name, files, True, f"{card.name} is in {folder}: {how}.")


def _bring(card: Card, folder: Path, progress: Progress) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    # Only old ones: another process may be fetching into a fresh one at this moment.
    for abandoned in folder.glob(f"{_STAGING}*"):
        if (
            abandoned.is_dir()
            and not abandoned.is_symlink()
            and time.time() - abandoned.stat().st_mtime > ABANDONED
        ):
            shutil.rmtree(abandoned, ignore_errors=True)
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=folder))
    try:
        _receive(card, staging, progress)
        how = _checked(card, staging, insist=not all(map(is_secure, card.addresses)))
        for file in card.files:
            (staging / file).replace(folder / file)
    except (ArchiveError, ValueError) as problem:
        host = urlsplit(card.addresses[0]).hostname
        raise Refusal(
            f"{card.name} could not be fetched from {host}: {problem}; try again later, get it by hand "
            f"({card.source}), or begin with the embedded set {card.alternative}."
        ) from problem
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return how


def _receive(card: Card, staging: Path, progress: Progress) -> None:
    limit = min(LARGEST, (1 << 20) + BYTES_A_VALUE * card.n * (card.d + 1))
    # One archive with all files, or one address a file.
    shared = len(card.addresses) < len(card.files)
    for address, file in zip(card.addresses, card.files, strict=False):
        members = {name: staging / name for name in (card.files if shared else (file,))}
        packed = is_packed(address, file)
        arriving = f"packed{PurePosixPath(address).suffix.lower()}" if packed else file
        size_limit = max(limit, ARCHIVE_AT_LEAST) if packed else limit
        Transfer(size_limit, card.redirects, partial(progress, file))(address, staging / arriving)
        if packed:
            unpack(staging / arriving, members, limit)
            (staging / arriving).unlink()


def _checked(card: Card, folder: Path, *, insist: bool = False) -> str:
    """Describe how the files were verified, as the end of a sentence; ValueError if they are wrong."""
    sums = [pooch.file_hash(str(folder / file), alg="sha256") for file in card.files]
    if card.sha256 and tuple(sums) == card.sha256:
        return "checksum as expected"
    if insist:
        raise Refusal("the checksum is not the known one, and the address is not secure")
    read_checked(card, folder)
    size = f"{card.n} x {card.d} values" + (", labels" if card.task == "classification" else "")
    return f"{size} as the catalog says" + (", bytes differ from the copy tested" if card.sha256 else "")
