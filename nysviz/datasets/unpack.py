"""Files out of the archives' packings, streamed to disk, bounded: a small one can unpack to a huge one."""

from __future__ import annotations

import bz2
import gzip
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import IO

from nysviz.datasets.transfer import CHUNK, ArchiveError

_SINGLE = (".gz", ".bz2")
_MANY = (".zip", ".jar")
# Everything that the standard library raises on damaged or encrypted packings, but no trouble with the disk.
_DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)


def is_packed(address: str, file: str) -> bool:
    """Whether what stands at the address must be unpacked to become the file.

    Not so where the file keeps its ending: IDX files stay packed with gzip on disk.
    """
    ending = PurePosixPath(address).suffix.lower()
    return ending in (*_SINGLE, *_MANY) and PurePosixPath(file).suffix.lower() != ending


def unpack(packed: Path, wanted: Mapping[str, Path], limit: int) -> None:
    """Write the wanted members of a packing to their paths, in chunks of 64 KiB.

    Parameters
    ----------
    packed : path
        A .gz, .bz2, .zip or .jar file; the first two hold one member, which has no name.
    wanted : mapping
        Name of a member, without folders, to the path where it goes. Only these paths are ever written, so
        that names inside the packing lead nowhere.
    limit : int
        Bytes of one member.

    Raises
    ------
    ArchiveError
        When the packing is damaged, lacks a member, has two of its name, or a member passes the limit.
    """
    ending = packed.suffix.lower()
    try:
        if ending in _SINGLE:
            (target,) = wanted.values()
            with gzip.open(packed) if ending == ".gz" else bz2.open(packed) as single:
                _copy(single, target, limit)
            return
        with zipfile.ZipFile(packed) as archive:
            for name, target in wanted.items():
                with archive.open(_member(archive, name)) as source:
                    _copy(source, target, limit)
    except _DAMAGE as problem:
        raise ArchiveError("it sent a damaged packing") from problem
    except OSError as problem:
        # bz2 says with a plain OSError, without a number, what is no bz2; the disk's troubles have numbers.
        if problem.errno is None:
            raise ArchiveError("it sent a damaged packing") from problem
        raise


def _member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    found = [info for info in archive.infolist() if PurePosixPath(info.filename).name == name]
    if len(found) != 1:
        raise ArchiveError(f"its packing holds {len(found)} files called {name}")
    return found[0]


def _copy(source: IO[bytes] | gzip.GzipFile | bz2.BZ2File, target: Path, limit: int) -> None:
    written = 0
    with target.open("wb") as file:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            if written > limit:
                raise ArchiveError(f"its packing holds more than the {limit} bytes this set needs at most")
            file.write(chunk)
