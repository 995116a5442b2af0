"""A page that is watched: what it asks of the network, what it sends, what it complains about."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, WebSocket


class Watched:
    """A page of a server, with its requests, the lengths of the frames that it sent, and its complaints."""

    def __init__(
        self,
        context: BrowserContext,
        url: str,
        *,
        width: int = 1400,
        height: int = 900,
        scheme: Literal["light", "dark"] = "light",
    ) -> None:
        self.host = urlsplit(url).netloc
        self.page = context.new_page()
        self.requests: list[str] = []
        self.sent: list[int] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", self._connected)
        self.page.on("pageerror", lambda problem: self.complaints.append(str(problem)))
        self.page.on("console", self._heard)
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme)
        self.page.goto(url)

    @property
    def foreign(self) -> list[str]:
        """Requests to anyone but the page's own server; data and blob URLs have no host."""
        return [url for url in self.requests if urlsplit(url).netloc not in (self.host, "")]

    def _connected(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)

        def sent(frame: Any) -> None:
            self.sent.append(len(frame))

        socket.on("framesent", sent)

    def _heard(self, message: ConsoleMessage) -> None:
        # On a page's own address Streamlit looks for its server below it first, and then at the root.
        probed = "/_stcore/" in str(message.location.get("url", ""))
        if message.type == "error" and not probed:
            self.complaints.append(message.text)
