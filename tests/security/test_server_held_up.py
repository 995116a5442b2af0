"""What a visitor with ill will sends to the server: it neither loses count nor keeps others out."""

import asyncio
import socket
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks.classroom.connection import STREAM
from benchmarks.classroom.hostile import OWN_FILE, put, send
from benchmarks.classroom.memory import served_by
from nysviz.ui.admission import LOOK_SECONDS, UPLOADS
from tests import visiting
from tests.browser.serving import ROOT, serving

# Room for 80 MB: a session may have two of these files.
ROOM = {"NYSVIZ_CACHE_MB": "320", "NYSVIZ_MEMORY_MB": "1024"}
ROOM["STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"] = "13"
FILE = b"a,b\n1,2\n" + b"\n" * 25_000_000
MARKER = b"0.7319431"


@pytest.fixture
def server():
    with serving(ROOT / "app.py", ROOM) as running:
        yield running


def visit(url, work):
    return visiting.visit(url, *OWN_FILE[:2], work)[1]


def stated(url, session, size=10**7, body=b""):
    """Say that a body of this size comes for a session, send the body alone, and leave."""
    with socket.create_connection(("127.0.0.1", urlsplit(url).port), 60) as connection:
        head = f"PUT {UPLOADS}{session}/file HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n"
        connection.sendall(head.encode() + body)


def test_the_message_that_clears_streamlits_caches_takes_no_count_away(server):
    async def work(session):
        answers = [(await asyncio.to_thread(put, session, "a.csv", FILE))[0] for _ in range(2)]
        await session.connection.send(BackMsg(clear_cache=True))
        # The next visitor's page makes anew what was cleared.
        await asyncio.to_thread(visit, server.url, None)
        return [*answers, (await asyncio.to_thread(put, session, "a.csv", FILE))[0]]

    assert visit(server.url, work) == [204, 204, 413]


@pytest.mark.slow
def test_a_browser_that_takes_nothing_for_a_while_is_served_on(server):
    """Thirty drawings while the browser stands still, some three thousand messages."""

    async def finished_of(socket):
        """Read until nothing comes for a while; return how many runs have ended."""
        finished = 0
        with suppress(TimeoutError):
            while True:
                message = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), 5.0))
                finished += message.WhichOneof("type") == "script_finished"
        return finished

    async def visit_slowly():
        origin, address = Origin(server.url), urlsplit(server.url).netloc + STREAM
        asked = iter(range(100))
        async with connect(
            f"ws://{address}",
            origin=origin,
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
            max_queue=4,
        ) as socket:

            async def ask():
                message = BackMsg()
                message.rerun_script.page_name = "approximate"
                message.rerun_script.query_string = f"data=Iris+flowers&seed={next(asked)}"
                await socket.send(message.SerializeToString())

            await ask()
            assert await finished_of(socket) >= 1
            for _ in range(30):
                await ask()
                await asyncio.sleep(0.9)
            await finished_of(socket)
            await ask()
            return await finished_of(socket)

    # In a thread of its own: where a browser is driven, this one has an event loop already.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, visit_slowly()).result() >= 1


def test_nobody_is_told_how_many_are_here(server):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{server.url}/_stcore/metrics")


def test_bodies_that_never_come_take_no_room(server):
    async def work(session):
        for stranger in ("nobody", "somebody", session.connection.session_id):
            for _ in range(2):
                await asyncio.to_thread(stated, server.url, stranger, body=b"a,b")
        await asyncio.sleep(1.0)
        return [(await asyncio.to_thread(put, session, "a.csv", FILE))[0] for _ in range(2)]

    assert visit(server.url, work) == [204, 204]
    assert "Traceback" not in server.log


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs Linux's /proc")
def test_nothing_of_a_file_is_left_once_its_session_is_gone(server):
    process = served_by(urlsplit(server.url).port)
    # 21 MB: of small pieces of memory that were freed the C library keeps some as they are, up to a tenth.
    file = b"a,b\n" + b"".join(MARKER + b"%09d,%d\n" % (k, k % 7) for k in range(1_000_000))

    def copies():
        found = 0
        for area in Path(f"/proc/{process}/maps").read_text().splitlines():
            edges, rights = area.split()[:2]
            if rights.startswith("rw"):
                start, end = (int(edge, 16) for edge in edges.split("-"))
                # An area may be gone meanwhile.
                with suppress(OSError), Path(f"/proc/{process}/mem").open("rb", 0) as memory:
                    memory.seek(start)
                    found += memory.read(end - start).count(MARKER)
        return found / 1_000_000

    async def work(session):
        status, _ = await send(session, OWN_FILE[2], "a.csv", file)
        return status, copies()

    status, held = visit(server.url, work)
    assert status == 204 and held >= 1
    # The session ends after 13 s and is closed within one look more; a busy machine takes longer.
    deadline = time.monotonic() + 13 + 8 * LOOK_SECONDS
    while (left := copies()) > 0.25 and time.monotonic() < deadline:
        time.sleep(1.0)
    assert left < 0.25, f"{left:.2f} copies are left of {held:.2f}"
