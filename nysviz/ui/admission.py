"""Uploads: admitted before their body is read, timed while it comes in, and let go after their session.

Streamlit accepts any file that a session sends to its upload address, whether a page asked for it or not; it
counts none and sets no time limit. It forgets a session whose browser is gone only when another session
comes, and that session's memory stays until Python collects garbage.
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
# A body may pause for this long, plus the time that its bytes so far would take at the slowest rate.
PAUSE_SECONDS, SLOWEST_RATE = 20.0, 32_000
# Interval at which sessions that sent files are checked; a session is closed this long before Streamlit
# forgets it.
LOOK_SECONDS, MARGIN_SECONDS = 5.0, 10.0


class UploadMemoryError(Refusal):
    """Refusal of a file for which the server has no memory."""


class Account(Protocol):
    """Count of the bytes that the uploads of each session take."""

    def admit(self, session: str, size: int) -> None:
        """Count a body before it is read; ``UploadMemoryError`` if there is no room for it."""

    def record_arrival(self, session: str, size: int, *, is_kept: bool) -> None:
        """Record that an admitted body has ended, and whether its file was kept."""

    def forget(self, session: str) -> None:
        """Drop the counts of a session that cannot come back."""


class Admission:
    """ASGI middleware that admits uploads before their body is read."""

    def __init__(self, app: ASGIApp, account: Account, kept_seconds: float) -> None:
        """Take the server's app, the account, and the seconds that Streamlit keeps an absent session."""
        self._app, self._account, self._away_seconds = app, account, kept_seconds - MARGIN_SECONDS
        # When each session that sent a file was last connected, and the task that looks.
        self._senders: dict[str, float] = {}
        self.watch_task: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, an upload only if there is room for it."""
        path = scope.get("path", "")
        if path.endswith(METRICS):
            return await PlainTextResponse("Not found", 404)(scope, receive, send)
        session = path.partition(UPLOADS)[2].partition("/")[0]
        # The app refuses an upload for an absent session, unread.
        if scope.get("method") != "PUT" or not session or not is_here(session):
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        # The server reads no more of a body than the length that it states.
        if "transfer-encoding" in headers or not (length.isdecimal() and len(length) <= MOST_DIGITS):
            return await PlainTextResponse(NO_LENGTH, 411)(scope, receive, send)
        self._senders[session] = time.monotonic()
        if self.watch_task is None or self.watch_task.done():
            self.watch_task = asyncio.create_task(self._free_after_departure())
        try:
            self._account.admit(session, int(length))
        except UploadMemoryError as refusal:
            # The page shows why the file was refused: the upload box shows a number.
            show_refusal(session)
            return await PlainTextResponse(str(refusal), 413)(scope, receive, send)
        status = 0

        async def send_noting_status(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, _timed_receive(receive, session), send_noting_status)
        except (ClientDisconnect, TimeoutError):
            await PlainTextResponse(TOO_SLOW, 408)(scope, receive, send)
        finally:
            self._account.record_arrival(session, int(length), is_kept=status == 204)

    async def _free_after_departure(self) -> None:
        """Close sessions that sent files and have been away for too long, and free their memory."""
        while self._senders:
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
            self._senders |= {session: now for session in self._senders if is_here(session)}
            departed_sessions = [
                session for session, last in self._senders.items() if now - last > self._away_seconds
            ]
            for session in departed_sessions:
                del self._senders[session]
                close(session)
                self._account.forget(session)
            if departed_sessions:
                await asyncio.to_thread(_give_back)


def _give_back() -> None:
    """Return the memory of closed sessions to the system."""
    # A session is a cycle of objects, which Python would find in its own time.
    gc.collect()
    memory.give_back()


def _timed_receive(receive: Receive, session: str) -> Callable[[], Awaitable[Message]]:
    """Return a ``receive`` for a session's body that fails if the body is too slow or the page was left.

    The file of a closed session would stay in memory for good.
    """
    began, received = time.monotonic(), 0

    async def receive_in_time() -> Message:
        nonlocal received
        seconds_left = began + PAUSE_SECONDS + received / SLOWEST_RATE - time.monotonic()
        async with asyncio.timeout(seconds_left):
            message = await receive()
        if not is_here(session):
            raise ClientDisconnect
        received += len(message.get("body", b""))
        return message

    return receive_in_time
