"""Uploads: admitted before their body is read, timed while it comes in, and let go after their session.

Streamlit's web server takes a file that a session sends to its own upload address whether a page asked for it
or not, counts none, and waits for a body for as long as it takes. It forgets a session whose browser is away
when it next has to do with another one, and then what the session held stays until Python happens to search
for cyclic garbage.
"""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nysviz.numerics import memory
from nysviz.refusal import Refusal
from nysviz.ui.streamlit_private import close, is_here, show_refusal

UPLOADS = "/_stcore/upload_file/"
# Counts of sessions and bytes of uploads, which Streamlit tells to anybody.
METRICS = "/_stcore/metrics"
NO_LENGTH = "The upload does not state its length; send it with a Content-Length header."
TOO_SLOW = "The upload came too slowly, or its page was left; try again on a better connection."
# A length of more digits is above any limit.
MOST_DIGITS = 15
# A body may pause for this long, and longer by what came before at the slowest rate that is waited for.
PAUSE_SECONDS, SLOWEST_RATE = 20.0, 32_000
# How often sessions that sent files are looked at, and how long before Streamlit forgets one it is closed.
LOOK_SECONDS, MARGIN_SECONDS = 5.0, 10.0


class UploadMemoryError(Refusal):
    """A file that there is no memory for, in a sentence."""


class Account(Protocol):
    """Counts the bytes of uploads by session."""

    def admit(self, session: str, size: int) -> None:
        """Count a body that comes in; ``UploadMemoryError`` where there is no room for it."""

    def arrived(self, session: str, size: int, *, kept: bool) -> None:
        """Tell that an admitted body is over, and whether its file was kept."""

    def forget(self, session: str) -> None:
        """Count nothing more for a session that cannot come back."""


class Admission:
    """Stands before the part of the web server that takes uploads (ASGI)."""

    def __init__(self, app: ASGIApp, account: Account, kept_seconds: float) -> None:
        """Take the server's own app, the account, and for how long Streamlit keeps a session that is away."""
        self._app, self._account, self._away_seconds = app, account, kept_seconds - MARGIN_SECONDS
        # When each session that sent a file was last seen to be connected, and the task that looks.
        self._senders: dict[str, float] = {}
        self._watch: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, an upload only where there is room for it."""
        path = scope.get("path", "")
        if path.endswith(METRICS):
            return await PlainTextResponse("Not found", 404)(scope, receive, send)
        session = path.partition(UPLOADS)[2].partition("/")[0]
        # What comes for a session that is not there is refused by the app, unread.
        if scope.get("method") != "PUT" or not session or not is_here(session):
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        # The server reads no more of a body than the length that it states.
        if "transfer-encoding" in headers or not (length.isdecimal() and len(length) <= MOST_DIGITS):
            return await PlainTextResponse(NO_LENGTH, 411)(scope, receive, send)
        self._senders[session] = time.monotonic()
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._free_after_departure())
        try:
            self._account.admit(session, int(length))
        except UploadMemoryError as refusal:
            # The page shows why the file was refused: the upload box shows a number.
            show_refusal(session)
            return await PlainTextResponse(str(refusal), 413)(scope, receive, send)
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, _timed(receive, session), noted)
        except (ClientDisconnect, TimeoutError):
            await PlainTextResponse(TOO_SLOW, 408)(scope, receive, send)
        finally:
            self._account.arrived(session, int(length), kept=status == 204)

    async def _free_after_departure(self) -> None:
        """Close sessions that sent files and have been away for too long, and free what they held."""
        while self._senders:
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
            self._senders |= {one: now for one in self._senders if is_here(one)}
            gone = [one for one, seen in self._senders.items() if now - seen > self._away_seconds]
            for session in gone:
                del self._senders[session]
                close(session)
                self._account.forget(session)
            if gone:
                await asyncio.to_thread(_give_back)


def _give_back() -> None:
    """Return the memory of closed sessions to the system."""
    # A session is a cycle of objects, which Python would find in its own time.
    gc.collect()
    memory.give_back()


def _timed(receive: Receive, session: str) -> Callable[[], Awaitable[Message]]:
    """Return what receives a session's body; it ends where the body drips or the session's page was left.

    The file of a session that is gone would stay in memory for good.
    """
    began, received = time.monotonic(), 0

    async def timely() -> Message:
        nonlocal received
        left = began + PAUSE_SECONDS + received / SLOWEST_RATE - time.monotonic()
        async with asyncio.timeout(left):
            message = await receive()
        if not is_here(session):
            raise ClientDisconnect
        received += len(message.get("body", b""))
        return message

    return timely
