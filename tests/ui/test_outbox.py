"""What waits to be sent to a slow browser: no element comes before the block that it stands in."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from benchmarks.classroom.screen import Screen
from nysviz.ui import streamlit_private


def element(*place, fragment="", text=""):
    message = ForwardMsg()
    message.metadata.delta_path.extend(place)
    message.delta.fragment_id = fragment
    message.delta.new_element.markdown.body = text
    return message


def block(*place, fragment=""):
    message = ForwardMsg()
    message.metadata.delta_path.extend(place)
    message.delta.fragment_id = fragment
    message.delta.add_block.flex_container.SetInParent()
    return message


def drawing(text):
    return [
        block(0, 0, fragment="outer"),
        element(0, 0, 0, fragment="outer", text=text),
        block(0, 0, 1, fragment="inner"),
        element(0, 0, 1, 0, fragment="inner", text=text),
        element(0, 0, 2, fragment="outer", text=text),
    ]


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch):
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)


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


def test_every_page_sends_all(monkeypatch):
    from streamlit.testing.v1 import AppTest

    from tests.browser.serving import ROOT

    ForwardMsgQueue.clear = streamlit_private._clear
    AppTest.from_file(str(ROOT / "pages" / "lessons.py"), default_timeout=120).run()
    assert ForwardMsgQueue.clear is streamlit_private.clear
