"""Messages to a browser that is behind: kept in their order, and past a limit the page is connected anew.

Streamlit silently drops a browser that is more than 500 messages behind: its page never changes again and
says that it is running. A slow machine gets there after many keystrokes in a row.
"""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

# Bytes that one browser may be behind. Past that the connection is closed; the browser then comes back by
# itself, to the same session, and is sent the page as it is now.
MOST_BYTES = 16_000_000
TRY_AGAIN_LATER = 1013


class Backlog:
    """ASGI middleware that queues messages to a browser and sends them as fast as it takes them."""

    def __init__(self, app: ASGIApp, most_bytes: int = MOST_BYTES) -> None:
        """Take the server's app, and the bytes that a browser may be behind."""
        self._app, self._most_bytes = app, most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on to the app, with a queue if it is a websocket."""
        if scope["type"] != "websocket":
            return await self._app(scope, receive, send)
        waiting: asyncio.Queue[Message | None] = asyncio.Queue()
        behind = 0

        async def forward() -> None:
            nonlocal behind
            while (message := await waiting.get()) is not None:
                await send(message)
                behind -= len(message.get("bytes") or b"")

        async def put(message: Message) -> None:
            nonlocal behind
            if forwarding.done():
                # The browser has left: raise the error of sending to it.
                forwarding.result()
            behind += len(message.get("bytes") or b"")
            if behind <= self._most_bytes:
                return waiting.put_nowait(message)
            forwarding.cancel()
            await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
            raise WebSocketDisconnect(TRY_AGAIN_LATER)

        forwarding = asyncio.create_task(forward(), name="nysviz-backlog")
        try:
            await self._app(scope, receive, put)
        finally:
            waiting.put_nowait(None)
            await asyncio.wait([forwarding])
            if not forwarding.cancelled():
                # The browser has left, and its error is of no use.
                forwarding.exception()
