"""Files that a visitor sends to the web server: counted before they are read, and never on disk."""

import asyncio
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.classroom.hostile import OWN_FILE, put, send
from benchmarks.classroom.memory import served_by
from nysviz.ui.admission import UPLOADS
from tests import visiting
from tests.browser.serving import ROOT, serving

pytestmark = pytest.mark.slow

PATIENCE_SECONDS = 60.0


def visit(url, work):
    return visiting.visit(url, *OWN_FILE[:2], work)[1]


# Few rows, so that what is made of it is small.
LARGE = b"a,b\n" + b"1,2\n" * 10 + b"\n" * 25_000_000


@pytest.fixture(scope="module")
def server():
    with serving(ROOT / "app.py", {"NYSVIZ_CACHE_MB": "640"}) as running:
        yield running


def test_files_that_no_page_asked_for_have_a_sum(server):
    async def work(session):
        answers = [await asyncio.to_thread(put, session, "a.csv", LARGE) for _ in range(5)]
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not session.sentences:
                await session.news(PATIENCE_SECONDS)
        return answers, list(session.sentences)

    answers, sentences = visit(server.url, work)
    assert [status for status, _ in answers] == [204, 204, 204, 413, 413]
    said = r"The file has 25\.0\sMB, and this server has room for 8\.8.\sMB more of yours; .*"
    assert re.fullmatch(said, answers[3][1])
    # The page says it too, since the box shows a number.
    assert all(re.fullmatch(said, re.sub(r"\\(?=\W)", "", words)) for _, words in sentences)


@pytest.mark.parametrize("header", ["A: b", "Transfer-Encoding: chunked", f"Content-Length: {10**16}"])
def test_a_body_of_unknown_length_is_refused_unread(server, header):
    def ask(path):
        address = ("127.0.0.1", urlsplit(server.url).port)
        with socket.create_connection(address, PATIENCE_SECONDS) as connection:
            connection.sendall(f"PUT {path} HTTP/1.1\r\nHost: a\r\n{header}\r\n\r\n".encode())
            return connection.recv(4096)

    async def work(session):
        return await asyncio.to_thread(ask, f"{UPLOADS}{session.connection.session_id}/file")

    assert visit(server.url, work).startswith(b"HTTP/1.1 411 ")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs Linux's /proc")
def test_no_file_is_written_to_disk_while_it_is_read(server):
    process = served_by(urlsplit(server.url).port)

    def deleted():
        links = (link.readlink() for link in Path(f"/proc/{process}/fd").iterdir() if link.is_symlink())
        return [str(link) for link in links if str(link).endswith("(deleted)")]

    async def work(session):
        sending = asyncio.create_task(asyncio.to_thread(put, session, "a.csv", LARGE))
        found = []
        while not sending.done():
            found += deleted()
            await asyncio.sleep(0.001)
        return await sending, found

    before = set(deleted())
    (status, _), found = visit(server.url, work)
    assert status == 204 and set(found) <= before


def test_a_file_is_let_go_with_the_next_one(server):
    async def work(session):
        return [(await send(session, OWN_FILE[2], f"{k}.csv", LARGE))[0] for k in range(4)]

    assert visit(server.url, work) == [204] * 4
