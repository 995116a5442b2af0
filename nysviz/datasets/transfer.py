"""One file from its archive: received over HTTP and unpacked, bounded in size and time.

Pooch's own transfer follows every redirect, and has no limit of size or of the whole time.
"""

import bz2
import gzip
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

# Timeouts in seconds: for the connection, and without a single byte.
CONNECT, SILENCE = 10.0, 20.0
# Lowest rate in bytes a second, and the seconds after which it is checked.
SLOWEST, PATIENCE = 1000, 60.0
MOST_REDIRECTS = 5
CHUNK = 1 << 16
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SINGLE = (".gz", ".bz2")
_MANY = (".zip", ".jar")
# Errors that the standard library raises on damaged or encrypted packings, without errors of the disk.
_DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)
WEB_PAGE = (b"<!doctype html", b"<html", b"<?xml")


class ArchiveError(Exception):
    """The archive's fault, as the middle of a sentence: "it answered 404 (Not Found)"."""


class Transfer:
    """Streams one address into one file.

    It refuses a redirect to a host that the catalog does not name, or from a secure address to an insecure
    one, more bytes than ``limit``, fewer than announced, a web page in place of data, a silent or slow
    server. It holds one chunk of 64 KiB. A redirect may lead to ``hosts``, and the hosts below them,
    besides the address's own; ``progress`` is called with the bytes received and the bytes announced (None
    where they are not).
    """

    def __init__(self, limit: int, hosts: Sequence[str], progress: Callable[[int, int | None], None]) -> None:
        self.limit, self.hosts, self.progress = limit, tuple(hosts), progress

    def __call__(self, url: str, file: Path) -> None:
        """Receive the content of an address into a file, or raise ArchiveError."""
        try:
            with requests.Session() as session, self._answer(session, url) as answer:
                self._receive(answer, file)
        except (TimeoutError, requests.Timeout, urllib3.exceptions.TimeoutError) as problem:
            raise ArchiveError("it did not answer in time") from problem
        except (requests.RequestException, urllib3.exceptions.HTTPError) as problem:
            raise ArchiveError("no connection, or it broke (is there a network?)") from problem
        except ValueError as problem:
            # urlsplit and requests both look at the target of a redirect.
            raise ArchiveError("it redirects to what is no address") from problem

    def _answer(self, session: requests.Session, url: str) -> requests.Response:
        for _ in range(MOST_REDIRECTS + 1):
            # No compression on the way: the bytes on disk must be those of the archive's file.
            answer = session.get(
                url,
                stream=True,
                timeout=(CONNECT, SILENCE),
                allow_redirects=False,
                headers={"Accept-Encoding": "identity"},
            )
            if not answer.is_redirect:
                break
            answer.close()
            target = urljoin(url, answer.headers["location"])
            self.check_redirect(url, target)
            url = target
        else:
            raise ArchiveError(f"it redirects more than {MOST_REDIRECTS} times")
        if answer.status_code != HTTPStatus.OK:
            answer.close()
            is_standard = answer.status_code in HTTPStatus.__members__.values()
            # Python's phrase: a server's own reason could be anything.
            reason = f" ({HTTPStatus(answer.status_code).phrase})" if is_standard else ""
            raise ArchiveError(f"it answered {answer.status_code}{reason}")
        return answer

    def check_redirect(self, url: str, target: str) -> None:
        """Raise ArchiveError for a redirect to a host that the catalog does not name."""
        old, new = urlsplit(url), urlsplit(target)
        host = new.hostname or ""
        may_lead = host == old.hostname or any(
            host == name or host.endswith(f".{name}") for name in self.hosts
        )
        if not may_lead or new.scheme not in ("http", "https"):
            raise ArchiveError("it redirects to another host, which the catalog does not name")
        if is_secure(url) and not is_secure(target):
            raise ArchiveError("it redirects to an address that is not secure")

    def _receive(self, answer: requests.Response, path: Path) -> None:
        length = answer.headers.get("content-length", "")
        announced = int(length) if length.isdecimal() and len(length) < 20 else None
        if announced is not None and announced > self.limit:
            raise ArchiveError(f"it announces {announced} bytes, and this set needs {self.limit} at most")
        received, started = 0, time.monotonic()
        with path.open("wb") as file:
            # read1, not read: it returns the bytes that have come, so that a slow server is noticed.
            while chunk := answer.raw.read1(CHUNK, decode_content=False):
                if received == 0 and chunk.lstrip()[:14].lower().startswith(WEB_PAGE):
                    raise ArchiveError("it sent a web page in place of the file")
                received += len(chunk)
                if received > self.limit:
                    raise ArchiveError(f"it sends more than the {self.limit} bytes this set needs at most")
                file.write(chunk)
                seconds = time.monotonic() - started
                if seconds > PATIENCE and received < SLOWEST * seconds:
                    raise ArchiveError(f"it sent {received} bytes in {seconds:.0f} seconds")
                self.progress(received, announced)
        # urllib3 raises for fewer bytes than announced, but not for an announced 0.
        if received == 0:
            raise ArchiveError("it sent nothing")


def is_secure(url: str) -> bool:
    """Whether the content cannot be changed on its way: https, or this machine itself."""
    split = urlsplit(url)
    return split.scheme == "https" or split.hostname in LOOPBACK


def is_packed(address: str, file: str) -> bool:
    """Whether the content of the address must be unpacked to become the file.

    Not so where the file keeps its ending: IDX files stay packed with gzip on disk.
    """
    ending = PurePosixPath(address).suffix.lower()
    return ending in (*_SINGLE, *_MANY) and PurePosixPath(file).suffix.lower() != ending


def unpack(packed: Path, members: Mapping[str, Path], limit: int) -> None:
    """Write members of a .gz, .bz2, .zip or .jar file to their paths, in chunks of 64 KiB.

    ``members`` has the path of each member by its name without folders; of the first two kinds the one member
    has no name. Only these paths are ever written, so that names inside the packing lead nowhere.
    ArchiveError when the packing is damaged, lacks a member, has two of its name, or one of more than
    ``limit`` bytes.
    """
    ending = packed.suffix.lower()
    try:
        if ending in _SINGLE:
            (target,) = members.values()
            with gzip.open(packed) if ending == ".gz" else bz2.open(packed) as single:
                _copy(single, target, limit)
            return
        with zipfile.ZipFile(packed) as archive:
            for name, target in members.items():
                infos = [info for info in archive.infolist() if PurePosixPath(info.filename).name == name]
                if len(infos) != 1:
                    raise ArchiveError(f"its packing holds {len(infos)} files called {name}")
                with archive.open(infos[0]) as source:
                    _copy(source, target, limit)
    except _DAMAGE as problem:
        raise ArchiveError("it sent a damaged packing") from problem
    except OSError as problem:
        # bz2 raises an OSError without a number for damaged data; errors of the disk have numbers.
        if problem.errno is None:
            raise ArchiveError("it sent a damaged packing") from problem
        raise


def _copy(source: IO[bytes] | gzip.GzipFile | bz2.BZ2File, target: Path, limit: int) -> None:
    written = 0
    with target.open("wb") as file:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            if written > limit:
                raise ArchiveError(f"its packing holds more than the {limit} bytes this set needs at most")
            file.write(chunk)
