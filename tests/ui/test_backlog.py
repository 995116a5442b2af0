"""Messages to a browser that takes them slowly, or not at all."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.websockets import WebSocketDisconnect

from nysviz.ui.backlog import TRY_AGAIN_LATER, Backlog

SOCKET = {"type": "websocket"}


async def nothing():
    raise AssertionError


def passed(backlog, scope, send):
    # In a thread of its own: where a browser is driven, this one has an event loop already.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, backlog(scope, nothing, send)).result()


def message(number, size=9_000):
    return {"type": "websocket.send", "bytes": number.to_bytes(4, "big") + bytes(size - 4)}


def test_the_app_goes_on_while_the_browser_is_behind_and_all_arrives_in_order():
    arrived, is_over = [], []

    async def app(scope, receive, send):
        for number in range(1_500):
            await send(message(number))
        is_over.append(len(arrived))

    async def slow(sent):
        await asyncio.sleep(0.0)
        arrived.append(int.from_bytes(sent["bytes"][:4], "big"))

    passed(Backlog(app), SOCKET, slow)
    assert is_over == [0] and arrived == list(range(1_500))


def test_a_browser_that_takes_nothing_is_told_to_come_back():
    arrived, ends = [], []

    async def flood(send):
        for number in range(100):
            ends.append(number)
            await send(message(number))
            await asyncio.sleep(0.0)

    async def app(scope, receive, send):
        with pytest.raises(WebSocketDisconnect) as end:
            await flood(send)
        assert end.value.code == TRY_AGAIN_LATER

    async def stuck(sent):
        if sent["type"] == "websocket.close":
            arrived.append(sent["code"])
        else:
            await asyncio.sleep(3_600.0)

    passed(Backlog(app, most_bytes=90_000), SOCKET, stuck)
    assert arrived == [TRY_AGAIN_LATER] and ends[-1] == 10


def test_an_app_learns_that_its_browser_is_gone():
    async def app(scope, receive, send):
        await send(message(0))
        await asyncio.sleep(0.0)
        with pytest.raises(OSError, match="gone"):
            await send(message(1))

    async def gone(sent):
        raise OSError("gone")

    passed(Backlog(app), SOCKET, gone)


def test_a_refused_connection_is_told_so():
    arrived = []

    async def app(scope, receive, send):
        await send({"type": "websocket.close", "code": 1008})

    async def take(sent):
        arrived.append(sent["code"])

    passed(Backlog(app), SOCKET, take)
    assert arrived == [1008]


def test_what_is_no_websocket_passes_as_it_is():
    seen = []

    async def app(scope, receive, send):
        seen.append((scope["type"], receive, send))

    passed(Backlog(app), {"type": "http"}, nothing)
    assert seen == [("http", nothing, nothing)]
