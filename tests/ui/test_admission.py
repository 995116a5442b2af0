"""Uploads are admitted, refused, timed and counted as a web server passes them on."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.requests import ClientDisconnect

from nysviz.ui import admission
from nysviz.ui.sidebar.uploads import Uploads

SCOPE = {"type": "http", "method": "PUT", "path": f"{admission.UPLOADS}anna/file"}


@pytest.fixture
def account(monkeypatch):
    """An account of 100 bytes, on a server where Anna alone is here."""
    monkeypatch.setattr(admission, "is_here", lambda session: session == "anna")
    monkeypatch.setattr(admission, "show_refusal", lambda session: None)
    return Uploads(100, largest_file=100)


def upload(account, length, app, receive=None, path=SCOPE["path"]):
    """Return the status of the answer to one upload."""
    statuses = []

    async def send(message):
        statuses.extend([message["status"]] if "status" in message else [])

    async def main():
        scope = SCOPE | {"path": path, "headers": [(b"content-length", str(length).encode())]}
        gate = admission.Admission(app, account, 20.0)
        await gate(scope, receive, send)
        if gate.watch_task is not None:
            gate.watch_task.cancel()

    # In a thread of its own: where a browser is driven, this one has an event loop already.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, main()).result()
    return statuses


def answering(status):
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": status, "headers": []})

    return app


async def reading(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await answering(204)(scope, receive, send)


@pytest.mark.parametrize("status,held", [(204, 70), (403, 0), (400, 0), (413, 0)])
def test_only_a_file_that_is_kept_counts(account, status, held):
    assert upload(account, 70, answering(status)) == [status]
    assert account.held_bytes() == held
    assert upload(account, 31, answering(204)) == ([413] if held else [204])


def test_nothing_counts_for_a_session_that_is_not_here(account):
    async def app(scope, receive, send):
        assert account.held_bytes() == 0
        await answering(400)(scope, receive, send)

    assert upload(account, 10**9, app, path=f"{admission.UPLOADS}nobody/file") == [400]


@pytest.mark.parametrize("first", [b"", b"a" * 10])
def test_a_body_that_drips_is_ended_and_counts_no_more(account, monkeypatch, first):
    monkeypatch.setattr(admission, "PAUSE_SECONDS", 0.05)
    pieces = [first] if first else []

    async def receive():
        if not pieces:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": pieces.pop(), "more_body": True}

    assert upload(account, 70, reading, receive) == [408]
    assert account.held_bytes() == 0


def test_a_body_whose_sender_leaves_ends_without_a_fault(account):
    async def app(scope, receive, send):
        raise ClientDisconnect

    assert upload(account, 70, app) == [408]
    assert account.held_bytes() == 0


def test_a_body_is_ended_once_its_page_is_left(account, monkeypatch):
    async def receive():
        monkeypatch.setattr(admission, "is_here", lambda session: False)
        return {"type": "http.request", "body": b"a", "more_body": True}

    assert upload(account, 70, reading, receive) == [408]
    assert account.held_bytes() == 0
