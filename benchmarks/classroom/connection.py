"""A WebSocket to a Streamlit server, as a browser opens it: taken up again where it drops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin, Subprotocol

STREAM = "/_stcore/stream"
OPEN_SECONDS = 60.0
# Streamlit's browser side sends this where nobody is logged in.
NO_TOKEN = "PLACEHOLDER_AUTH_TOKEN"


class Connection:
    """Sends messages, and hands each one that comes to `take`.

    Where the server closes it or vanishes, it is opened once more with the id of the session, and
    `taken_up` is called; `gone` where that fails.
    """

    def __init__(
        self,
        url: str,
        take: Callable[[ForwardMsg], None],
        taken_up: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        self.url = url
        self.session_id = ""
        self.received = 0
        self.drops = 0
        self.gone = False
        self._take = take
        self._taken_up = taken_up
        self._news = asyncio.Event()
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect; OSError, TimeoutError or InvalidHandshake where that is not possible."""
        parts = urlsplit(self.url)
        words = ("streamlit", NO_TOKEN, self.session_id)
        self._socket = await connect(
            f"ws://{parts.netloc}{parts.path}{STREAM}",
            origin=Origin(f"{parts.scheme}://{parts.netloc}"),
            subprotocols=[Subprotocol(word) for word in words if word],
            max_size=None,
            max_queue=None,
            ping_interval=None,
            open_timeout=OPEN_SECONDS,
            proxy=None,
        )
        self._reader = asyncio.create_task(self._read(self._socket))

    async def send(self, message: BackMsg) -> None:
        """Send a message; one into a socket that has just been closed is lost, as from a browser."""
        with suppress(ConnectionClosed):
            if self._socket is not None:
                await self._socket.send(message.SerializeToString())

    async def news(self, seconds: float) -> None:
        """Wait for the next message, with a time limit."""
        self._news.clear()
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._news.wait(), max(seconds, 0.0))

    def drop(self) -> None:
        """Lose the connection without a word, as when a laptop is shut."""
        if self._socket is not None:
            self._socket.transport.abort()

    async def close(self) -> None:
        """Leave, as one who closes the window."""
        if self._reader is not None:
            self._reader.cancel()
            with suppress(asyncio.CancelledError):
                await self._reader
        if self._socket is not None:
            await self._socket.close()

    async def _read(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for data in socket:
                self.received += len(data)
                message = ForwardMsg()
                message.ParseFromString(data if isinstance(data, bytes) else data.encode())
                self._take(message)
                self._news.set()
        self.drops += 1
        try:
            await self.open()
            await self._taken_up()
        except (OSError, TimeoutError, InvalidHandshake):
            self.gone = True
        self._news.set()
