"""Files that a visitor sends to the web server: counted before they are read, and never on disk."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.formparsers import MultiPartParser
from streamlit.web.server.starlette.starlette_path_security_middleware import PathSecurityMiddleware

from benchmarks.classroom.hostile import OWN_FILE, put, send
from benchmarks.classroom.memory import served_by
from benchmarks.classroom.session import Session
from benchmarks.classroom.student import until_over
from nysviz.ui.streamlit_private import NO_LENGTH, UPLOADS, admit_uploads
from tests.browser.serving import ROOT, serving

PATIENCE_SECONDS = 60.0
# Few rows, so that what is made of it is small.
LARGE = b"a,b\n" + b"1,2\n" * 10 + b"\n" * 25_000_000


@pytest.fixture(scope="module")
def server():
    """A server that takes 168 MB of files from all sessions, 84 MB from one."""
    with serving(ROOT / "app.py", {"NYSVIZ_CACHE_MB": "640"}) as running:
        yield running


def visit(url, work):
    """Return what a visitor's work gives, in a session with the page that takes a file."""

    async def visiting():
        session = Session(url)
        await until_over(session, await session.open(*OWN_FILE[:2]), PATIENCE_SECONDS)
        try:
            return await work(session)
        finally:
            await session.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, visiting()).result()


def test_files_that_no_page_asked_for_have_a_sum(server):
    async def work(session):
        answers = [await asyncio.to_thread(put, session, "a.csv", LARGE) for _ in range(5)]
        while not session.sentences:
            await session.news(PATIENCE_SECONDS)
        return answers, list(session.sentences)

    answers, sentences = visit(server.url, work)
    assert [status for status, _ in answers] == [204, 204, 204, 413, 413]
    said = r"The file has 25 MB, and this server has room for 8\.8. MB more of yours; .*"
    assert re.fullmatch(said, answers[3][1])
    # The page says it too, since the box shows a number.
    assert all(re.fullmatch(said, re.sub(r"\\(?=\W)", "", words)) for _, words in sentences)


@pytest.mark.parametrize(
    "headers",
    [{}, {"transfer-encoding": "chunked"}, {"transfer-encoding": "chunked", "content-length": "1"},
     {"content-length": "-1"}, {"content-length": "9" * 5_000}, {"content-length": "\xb2"}],
)  # fmt: skip
def test_a_body_of_unknown_length_is_refused_unread(monkeypatch, headers):
    monkeypatch.setattr(PathSecurityMiddleware, "__call__", PathSecurityMiddleware.__call__)
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    admit_uploads(lambda session, size: pytest.fail("it was admitted"))
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    scope = {"type": "http", "method": "PUT", "path": f"/base{UPLOADS}s/f", "headers": raw}
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        pytest.fail("it was read")

    with ThreadPoolExecutor(1) as pool:
        guard = PathSecurityMiddleware(None)
        pool.submit(asyncio.run, guard(scope, receive, send)).result()
    assert sent[0]["status"] == 411 and sent[1]["body"].decode() == NO_LENGTH


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
