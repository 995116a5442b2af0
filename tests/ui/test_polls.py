"""A poll that would draw what is there already is let go by; any other request is answered."""

import gc
import weakref
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.testing.v1 import AppTest

from nysviz.engine.task import Task, Waiters
from nysviz.ui import asking, running, streamlit_private, watching
from nysviz.ui.running import DRAW_SECONDS, FIRST_JOBS, WORDS_SECONDS, Shown


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
    streamlit_private.install(lambda session, size: nullcontext())
    assert AppSession.request_rerun is streamlit_private.handle
    # What Streamlit asks for: this is not public, and a newer version may name it otherwise.
    assert streamlit_private._handle.__code__.co_varnames[:2] == ("self", "client_state")


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(time=100.0)
    monkeypatch.setattr(running.time, "monotonic", lambda: now.time)
    return now


def test_first_results_are_drawn_at_once_and_later_ones_together(clock, monkeypatch):
    run = SimpleNamespace(progress=SimpleNamespace(done=0))
    words = ["0 of 9"]
    monkeypatch.setattr(running, "_so_far", lambda run: words[0])
    shown = Shown()
    shown.begin(run)
    clock.time += 0.01
    shown.end()
    assert not shown.is_old(run)
    # A picture takes a few: until then each may be the one that makes it.
    for done in range(1, FIRST_JOBS + 1):
        run.progress.done = done
        assert shown.is_old(run)
        shown.begin(run)
        assert not shown.is_old(run)
    run.progress.done = FIRST_JOBS + 1
    clock.time += DRAW_SECONDS - 0.05
    assert not shown.is_old(run)
    clock.time += 0.1
    assert shown.is_old(run)
    shown.begin(run)
    # Nothing new but words.
    words[0] = "waiting for 3 others"
    clock.time += WORDS_SECONDS - 0.1
    assert not shown.is_old(run)
    clock.time += 0.2
    assert shown.is_old(run)
    words[0] = "0 of 9"
    assert not shown.is_old(run)


def test_what_is_remembered_of_a_page_that_waited_keeps_no_result(monkeypatch):
    told, task = [], Task(lambda: 1, Waiters())
    monkeypatch.setattr(asking, "tell", told.append)
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
