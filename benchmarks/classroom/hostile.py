"""A visitor who sends files that once ended or stopped the server, through the real upload."""

from __future__ import annotations

import asyncio
import http.client
import itertools
import struct
import uuid
from collections import Counter
from contextlib import suppress
from urllib.parse import urlsplit

from streamlit.proto.Common_pb2 import FileURLs, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.classroom.controls import Move
from benchmarks.classroom.session import Session
from benchmarks.classroom.student import PATIENCE_SECONDS, until_over

OWN_FILE, LESSON = ("data", "data=Your+own+file", "A table"), ("lessons", "", "A lesson")
BOUNDARY = "nysviz"
XSRF = "_streamlit_xsrf"
FLOOD_BYTES = 49 * 2**20
# Between two files; who sends faster waits for the answers to his own.
SECONDS = 1.0


def _element(code: int, content: bytes) -> bytes:
    return struct.pack("<II", code, len(content)) + content + b"\0" * (-len(content) % 8)


def matlab(rows: int, starts: tuple[int, int, int]) -> bytes:
    """Return a sparse MATLAB variable, rows × 2 with one entry, whose columns begin where the file says."""
    body = _element(6, struct.pack("<II", 5, 1)) + _element(5, struct.pack("<2i", rows, 2))
    body += _element(1, b"fea") + _element(5, struct.pack("<i", 1))
    body += _element(5, struct.pack("<3i", *starts)) + _element(9, struct.pack("<d", 1.0))
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + struct.pack("<II", 14, len(body)) + body


def table(digits: int) -> bytes:
    """Return a CSV of 60 kB with one cell of many digits."""
    rows = "".join(f"{k}.25,{k % 7},{k % 2}\n" for k in range((60_000 - digits) // 12))
    return f"a,b,class\n{'9' * digits},1,0\n{rows}".encode()


FILES = {
    OWN_FILE: {
        "falling.mat": matlab(3, (0, 2_000_000, 0)),
        "negative.mat": matlab(3, (0, 2_000_000, -1)),
        "beyond.mat": matlab(900_000, (0, 10, 0)),
        "8000.csv": table(8_000),
        "20000.csv": table(20_000),
    },
    LESSON: {
        "newlines.toml": b"\n" * 95_000,
        "parts.toml": b"a." * 45_000 + b"a = 1",
        "digits.toml": b"a = " + b"9" * 5_000,
    },
}


def put(session: Session, name: str, content: bytes, file_id: str = "") -> tuple[int, str]:
    """Send a file to the session's upload address; return the status and words of the answer."""
    address, own = urlsplit(session.url).netloc, session.connection.session_id
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", "/_stcore/health")
        answer = connection.getresponse()
        token = (answer.getheader("Set-Cookie") or "").partition(f"{XSRF}=")[2].partition(";")[0]
        answer.read()
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Cookie": f"{XSRF}={token}",
            "X-Xsrftoken": token,
        }
        # Refused by its headers alone, the server does not wait for the rest.
        with suppress(ConnectionError):
            connection.request("PUT", f"/_stcore/upload_file/{own}/{file_id or uuid.uuid4()}", body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


async def send(session: Session, box: str, name: str, content: bytes) -> tuple[int, str]:
    """Send a file and put it into the upload box with this label, as a browser does; wait for the page."""
    file_id = str(uuid.uuid4())
    status, words = await asyncio.to_thread(put, session, name, content, file_id)
    found = (one for one in session.screen.contents("file_uploader") if one.message.label.startswith(box))
    control = next(found, None)
    if status == 204 and control is not None:
        state = WidgetState(id=control.message.id)
        state.file_uploader_state_value.uploaded_file_info.append(
            UploadedFileInfo(
                file_id=file_id, name=name, size=len(content), file_urls=FileURLs(file_id=file_id)
            )
        )
        request = await session.turn(Move(box, state, control.fragment))
        await until_over(session, request, PATIENCE_SECONDS)
    return status, words


async def send_on_and_on(session: Session, place: tuple[str, str, str]) -> None:
    """Send every file of a page's box, again and again; fail where one is not answered."""
    page, query, box = place
    sent: Counter[str] = Counter()
    try:
        await until_over(session, await session.open(page, query), PATIENCE_SECONDS)
        for name, content in itertools.cycle(FILES[place].items()):
            status, words = await send(session, box, name, content)
            if status != 204:
                raise RuntimeError(f"{name} was not taken: {status} {words}")
            if session.gone or session.failures:
                raise RuntimeError(f"{name} ended the session, or in an exception: {session.failures}")
            sent[name] += 1
            await asyncio.sleep(SECONDS)
    finally:
        print(f"sent {dict(sent)}, and read {dict(session.sentences)}")
        await session.close()


async def flood(session: Session) -> None:
    """Send files of 49 MB that no page asked for to the session's own address, again and again."""
    content = b"1,2,3\n" * (FLOOD_BYTES // 6)
    answers: list[int] = []
    try:
        await until_over(session, await session.open(*OWN_FILE[:2]), PATIENCE_SECONDS)
        while not session.gone:
            status, _ = await asyncio.to_thread(put, session, "large.csv", content)
            answers.append(status)
            await asyncio.sleep(SECONDS)
    finally:
        print(f"files of 49 MB: {answers.count(204)} taken, {answers.count(413)} refused, of {len(answers)}")
        await session.close()
