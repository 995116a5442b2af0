"""What Streamlit keeps of a page and sends: no result, no run that is over, no element before its block."""

import gc
import weakref
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import AppTest

from benchmarks import streamlit_names
from benchmarks.classroom.screen import Screen
from nysviz.engine.task import Task, Waiters
from nysviz.root import ROOT
from nysviz.ui import asking, streamlit_private, watching
from tests.pages.driving import APP


def test_what_is_remembered_of_a_page_that_waits_keeps_no_result(monkeypatch):
    tasks, remembered = [Task(lambda: 1, Waiters())], []
    engine = SimpleNamespace(ask=lambda *_, **__: tasks.pop(), has=lambda key: False)
    kept = weakref.ref(tasks[0])
    monkeypatch.setattr(asking, "engine", lambda: engine)
    monkeypatch.setattr(asking, "ANSWER_SECONDS", 0.01)
    # What a part is called with stays in the session.
    monkeypatch.setattr(
        asking, "polled", lambda draw, seconds: lambda *arguments: remembered.extend(arguments)
    )
    assert asking.ask(sum, (1, 2), label="The sum") is None
    gc.collect()
    assert remembered and kept() is None


def drawn():
    from nysviz.ui import watching

    watching.drawing()


def test_runs_of_a_page_that_are_over_are_told_apart_and_not_kept(monkeypatch):
    monkeypatch.setattr(watching, "sessions", {})
    app = AppTest.from_function(drawn)
    for _ in range(3):
        app.run()
    gc.collect()
    (session,) = watching.sessions.values()
    assert len(session.runs) == 3
    # A run holds its script's context, with the state of all controls.
    assert all(run() is None for run in session.runs)


def delta(*place, fragment, text=None):
    """An element of this text at this place, or without a text a block."""
    message = ForwardMsg()
    message.metadata.delta_path.extend(place)
    message.delta.fragment_id = fragment
    if text is None:
        message.delta.add_block.flex_container.SetInParent()
    else:
        message.delta.new_element.markdown.body = text
    return message


def drawing(text):
    return [
        delta(0, 0, fragment="outer"),
        delta(0, 0, 0, fragment="outer", text=text),
        delta(0, 0, 1, fragment="inner"),
        delta(0, 0, 1, 0, fragment="inner", text=text),
        delta(0, 0, 2, fragment="outer", text=text),
    ]


@pytest.fixture
def _clear_as_it_was(monkeypatch):
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)


def sent(queue):
    """Return what is sent of a part that is drawn twice before anything is sent."""
    begin = ForwardMsg()
    begin.new_session.SetInParent()
    for text in ("old", "new"):
        if text == "new":
            queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["outer"])
            queue.enqueue(begin)
        for message in drawing(text):
            queue.enqueue(message)
    return queue.flush()


def shown(messages):
    """Return a browser's screen that has taken these messages."""
    screen = Screen()
    for message in messages:
        if message.WhichOneof("type") == "delta":
            screen.take(message, "run")
    return screen


@pytest.mark.usefixtures("_clear_as_it_was")
def test_every_element_comes_after_its_block():
    ForwardMsgQueue.clear = streamlit_private.clear
    messages = sent(ForwardMsgQueue())
    screen = shown(messages)
    assert screen.misplaced == 0
    assert len(screen.nodes) == 5
    # The second drawing stands behind the beginning of its run, whole.
    beginning = next(i for i, one in enumerate(messages) if one.WhichOneof("type") == "new_session")
    texts = [one.delta.new_element.markdown.body for one in messages[beginning + 1 :]]
    assert len(texts) == 5 and set(texts) == {"", "new"}


@pytest.mark.usefixtures("_clear_as_it_was")
def test_streamlit_still_sends_elements_before_their_blocks():
    # Once it does not, its own way of clearing the queue is good enough.
    ForwardMsgQueue.clear = streamlit_private.streamlit_clear
    assert shown(sent(ForwardMsgQueue())).misplaced > 0


@pytest.mark.usefixtures("_clear_as_it_was")
def test_every_page_sends_all():
    ForwardMsgQueue.clear = streamlit_private.streamlit_clear
    AppTest.from_file(str(APP), default_timeout=120).run()
    assert ForwardMsgQueue.clear is streamlit_private.clear


def test_names_that_are_not_published_are_few_and_in_one_module():
    assert streamlit_names.replaced(ROOT) == ["ForwardMsgQueue.clear"]
    names = streamlit_names.unpublished(ROOT)
    assert len(names) <= 8
    # Each of them is explained where it is used.
    assert all(
        f"{name}`" in streamlit_private.__doc__ or f"{name}." in streamlit_private.__doc__ for name in names
    )
    others = [file for file in streamlit_names.sources(ROOT) if file.name != "streamlit_private.py"]
    assert not [file.name for file in others if streamlit_names.unpublished_of(file)]


def test_what_is_not_published_is_still_there():
    assert {"close_session", "exists", "instance", "is_active_session"} <= set(dir(Runtime))
    assert {"request_rerun", "flush_browser_queue"} <= set(dir(AppSession))
    assert "get_session_info" in dir(WebsocketSessionManager)
    files = MemoryUploadedFileManager("/uploads")
    assert files.file_storage == {} and files.remove_file("session", "file") is None
    assert ForwardMsgQueue()._delta_index_map == {}
