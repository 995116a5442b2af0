"""What Streamlit is asked for and sends: no poll that would draw the same, no element before its block."""

import gc
import weakref
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest

from benchmarks.classroom.screen import Screen
from nysviz.engine.task import Task, Waiters
from nysviz.ui import asking, streamlit_private, watching
from tests.pages.driving import APP


@pytest.fixture
def session(monkeypatch):
    answered = []
    monkeypatch.setattr(streamlit_private, "_handle", lambda session, state: answered.append(state))
    return SimpleNamespace(_fragment_storage=SimpleNamespace(), answered=answered)


def ask(session, **asked):
    streamlit_private.handle(session, ClientState(**asked))
    return len(session.answered)


def test_only_polls_of_a_part_without_news_go_by(session):
    news = {"part": False, "other": True}
    told = {name: (lambda name=name: news[name]) for name in news}
    setattr(session._fragment_storage, streamlit_private.KEY, told)
    assert ask(session, fragment_id="part", is_auto_rerun=True) == 0
    assert ask(session, fragment_id="other", is_auto_rerun=True) == 1
    assert ask(session, fragment_id="unknown", is_auto_rerun=True) == 2
    # A control in the part, and the page as a whole.
    assert ask(session, fragment_id="part") == 3
    assert ask(session, is_auto_rerun=True) == 4
    streamlit_private.handle(session, None)
    assert len(session.answered) == 5
    news["part"] = True
    assert ask(session, fragment_id="part", is_auto_rerun=True) == 6


def test_requests_of_every_session_pass_here(monkeypatch):
    monkeypatch.setattr(AppSession, "request_rerun", AppSession.request_rerun)
    streamlit_private.install()
    assert AppSession.request_rerun is streamlit_private.handle
    # What Streamlit asks for: this is not public, and a newer version may name it otherwise.
    assert streamlit_private._handle.__code__.co_varnames[:2] == ("self", "client_state")


def test_what_is_remembered_of_a_page_that_waited_keeps_no_result(monkeypatch):
    told, task = [], Task(lambda: 1, Waiters())
    monkeypatch.setattr(asking, "tell", told.append)
    monkeypatch.setattr(asking, "PROGRESS_SECONDS", 60.0)  # a busy machine draws slowly
    asking._progress.__wrapped__(task, "key", "Waiting", 1.0, SimpleNamespace(touch=lambda: None), None)
    assert not told[0]()
    task.future.set_result(1)
    assert told[0]()
    kept = weakref.ref(task)
    del task
    gc.collect()
    assert kept() is None and told[0]()


def drawn():
    from nysviz.ui import watching

    watching.drawing()


def test_runs_of_a_page_that_are_over_are_told_apart_and_not_kept(monkeypatch):
    monkeypatch.setattr(watching, "_sessions", {})
    app = AppTest.from_function(drawn)
    for _ in range(3):
        app.run()
    gc.collect()
    (session,) = watching._sessions.values()
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


@pytest.mark.usefixtures("_clear_as_it_was")
def test_every_element_comes_after_its_block():
    # A fragment is drawn twice while nothing is sent.
    ForwardMsgQueue.clear = streamlit_private.clear
    queue, screen = ForwardMsgQueue(), Screen()
    begin = ForwardMsg()
    begin.new_session.SetInParent()
    for text in ("old", "new"):
        if text == "new":
            queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["outer"])
            queue.enqueue(begin)
        for message in drawing(text):
            queue.enqueue(message)
    messages = queue.flush()
    for message in messages:
        if message.WhichOneof("type") == "delta":
            screen.take(message, "run")
    assert screen.misplaced == 0
    assert len(screen.nodes) == 5
    # The second drawing stands behind the beginning of its run, whole.
    beginning = next(i for i, one in enumerate(messages) if one.WhichOneof("type") == "new_session")
    texts = [one.delta.new_element.markdown.body for one in messages[beginning + 1 :]]
    assert len(texts) == 5 and set(texts) == {"", "new"}


@pytest.mark.usefixtures("_clear_as_it_was")
def test_every_page_sends_all():
    ForwardMsgQueue.clear = streamlit_private._clear
    AppTest.from_file(str(APP), default_timeout=120).run()
    assert ForwardMsgQueue.clear is streamlit_private.clear
