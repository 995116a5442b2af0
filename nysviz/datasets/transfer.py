"""One file from its archive over HTTP: bounded in size and time, redirected only where the catalog says."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

# Seconds: to be connected, and without a single byte.
CONNECT, SILENCE = 10.0, 20.0
# Seconds for all headers and redirects, and for each piece of the body; bytes a second, asked for after them.
PATIENCE, SLOWEST = 60.0, 1000
MOST_REDIRECTS = 5
CHUNK = 1 << 16
LOOPBACK = ("127.0.0.1", "localhost", "::1")
WEB_PAGE = (b"<!doctype html", b"<html", b"<?xml")


class ArchiveError(Exception):
    """What the archive did wrong, as the middle of a sentence: "it answered 404 (Not Found)"."""


class Transfer:
    """A downloader for pooch: streams one address into one file.

    Differs from pooch's own in what it refuses: a redirect to a host that the catalog does not name or from
    a secure address to an insecure one, more bytes than ``limit``, fewer than announced, a web page in place
    of data, a silent or dripping server. Held in memory: one chunk of 64 KiB.

    Parameters
    ----------
    limit : int
        Bytes; a longer answer is refused, before it is received where its length is announced.
    hosts : sequence of str
        Hosts, and the hosts below them, to which a redirect may lead besides the address's own.
    told : callable, optional
        Called with the bytes received and the bytes announced (None where they are not).
    """

    def __init__(
        self, limit: int, hosts: Sequence[str] = (), told: Callable[[int, int | None], None] | None = None
    ) -> None:
        self.limit, self.hosts, self.told = limit, tuple(hosts), told

    def __call__(self, url: str, output_file: str, pooch: object, check_only: bool = False) -> None:
        """Receive ``url`` into ``output_file``; the signature is the one that pooch asks for.

        Raises
        ------
        ArchiveError
        """
        try:
            with requests.Session() as session, _in_time(lambda: self._answer(session, url)) as answer:
                self._receive(answer, Path(output_file))
        except (TimeoutError, requests.Timeout, urllib3.exceptions.TimeoutError) as problem:
            raise ArchiveError("it did not answer in time") from problem
        except (requests.RequestException, urllib3.exceptions.HTTPError) as problem:
            raise ArchiveError("no connection, or it broke (is there a network?)") from problem
        except ValueError as problem:
            # urlsplit and requests both look at the target of a redirect.
            raise ArchiveError("it redirects to what is no address") from problem

    def _answer(self, session: requests.Session, url: str) -> requests.Response:
        for _ in range(MOST_REDIRECTS + 1):
            # Compression on the way is declined: the bytes on disk are to be those of the archive's file.
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
            there = urljoin(url, answer.headers["location"])
            self._may_follow(url, there)
            url = there
        else:
            raise ArchiveError(f"it redirects more than {MOST_REDIRECTS} times")
        if answer.status_code != HTTPStatus.OK:
            answer.close()
            raise ArchiveError(f"it answered {_said(answer.status_code)}")
        return answer

    def _may_follow(self, here: str, there: str) -> None:
        old, new = urlsplit(here), urlsplit(there)
        host = new.hostname or ""
        known = host == old.hostname or any(host == name or host.endswith(f".{name}") for name in self.hosts)
        if not known or new.scheme not in ("http", "https"):
            raise ArchiveError("it redirects to another host, which the catalog does not name")
        if secure(here) and not secure(there):
            raise ArchiveError("it redirects to an address that is not secure")

    def _receive(self, answer: requests.Response, path: Path) -> None:
        length = answer.headers.get("content-length", "")
        announced = int(length) if length.isdecimal() and len(length) < 20 else None
        if announced is not None and announced > self.limit:
            raise ArchiveError(f"it announces {announced} bytes, and this set needs {self.limit} at most")
        received, started = 0, time.monotonic()
        with path.open("wb") as file:
            # read1 and not read: it returns what has come, so that a slow drip is seen as one.
            while chunk := _in_time(lambda: answer.raw.read1(CHUNK, decode_content=False)):
                if received == 0 and chunk.lstrip()[:14].lower().startswith(WEB_PAGE):
                    raise ArchiveError("it sent a web page in place of the file")
                received += len(chunk)
                if received > self.limit:
                    raise ArchiveError(f"it sends more than the {self.limit} bytes this set needs at most")
                file.write(chunk)
                seconds = time.monotonic() - started
                if seconds > PATIENCE and received < SLOWEST * seconds:
                    raise ArchiveError(f"it sent {received} bytes in {seconds:.0f} seconds")
                if self.told is not None:
                    self.told(received, announced)
        # Fewer bytes than announced are an error of urllib3 already; none at all, announced so, are not.
        if received == 0:
            raise ArchiveError("it sent nothing")


def _in_time(work: Callable[[], Any]) -> Any:
    """Return what ``work`` returns; TimeoutError after PATIENCE seconds, when its thread is left to itself.

    The timeouts of a socket start again at every byte; headers and the sizes of chunks are many reads.
    """
    done: Future[Any] = Future()

    def run() -> None:
        found, problem = None, None
        try:
            found = work()
        except BaseException as raised:
            problem = raised
        if not done.set_running_or_notify_cancel():
            # Nobody waits for it any more.
            if isinstance(found, requests.Response):
                found.close()
        elif problem is None:
            done.set_result(found)
        else:
            done.set_exception(problem)

    Thread(target=run, daemon=True).start()
    try:
        return done.result(PATIENCE)
    finally:
        done.cancel()


def secure(url: str) -> bool:
    """Whether nobody on the way can change what is sent: https, or this machine itself."""
    parts = urlsplit(url)
    return parts.scheme == "https" or parts.hostname in LOOPBACK


def _said(status: int) -> str:
    # The words are ours: a server's own reason could be anything.
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)
