"""Asking: one answer for all, progress with Stop and Go on, and an error as a sentence."""

import threading
import time
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from nysviz.engine.shared import shared
from nysviz.refusal import Refusal
from nysviz.ui import asking

CALLS: list[str] = []
RELEASE = threading.Event()
PATIENCE_SECONDS = 120


@shared()
def square(number):
    CALLS.append(f"square {number}")
    return number**2


@shared()
def slow(name):
    CALLS.append(name)
    assert RELEASE.wait(PATIENCE_SECONDS)
    return f"{name} is there"


@shared()
def failing(kind):
    errors = {
        "refused": Refusal("Choose *fewer* landmarks."),
        "full": MemoryError(),
        "broken": ValueError("operands could not be broadcast together"),
    }
    raise errors[kind]


def page(name, *question):
    source = f"""
import streamlit as st
from nysviz.ui.asking import ask
from tests.ui import test_asking
found = ask(test_asking.{name}, *{question!r}, label="The answer")
if found is not None:
    st.write(found)
"""
    return AppTest.from_string(source, default_timeout=PATIENCE_SECONDS).run()


def until_written(at, text):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not any(text in one.value for one in at.markdown):
        assert time.monotonic() < deadline
        at.run()


def test_a_call_and_a_question_have_the_same_answer_computed_once():
    assert square(7) == 49 and page("square", 7).markdown[0].value == "`49`"
    assert CALLS.count("square 7") == 1
    with pytest.raises(AssertionError):
        square(number=7)


def test_stop_and_go_on():
    RELEASE.clear()
    at = page("slow", "left")
    assert at.get("progress")[0].proto.text.startswith("The answer: ")
    at.button[0].click().run()
    assert not at.get("progress") and at.info[0].value.startswith("Stopped: The answer.")
    assert at.button[0].label == "Go on"
    at.button[0].click().run()
    assert at.get("progress") and at.button[0].label == "Stop"
    RELEASE.set()
    until_written(at, "left is there")


def test_an_answer_that_came_after_a_stop_is_shown():
    RELEASE.clear()
    first, second = page("slow", "two"), page("slow", "two")
    first.button[0].click().run()
    RELEASE.set()
    until_written(second, "two is there")
    until_written(first, "two is there")
    assert CALLS.count("two") == 1


@pytest.mark.parametrize(
    "kind, sentence",
    [
        ("refused", r"Choose \*fewer\* landmarks."),
        ("full", "not enough memory"),
        ("broken", "computation failed"),
    ],
)
def test_an_error_is_a_sentence(kind, sentence):
    at = page("failing", kind)
    assert len(at.error) == 1 and sentence in at.error[0].value and not at.exception


@pytest.mark.parametrize("seconds", [0.3, 0.6, 3.0])
def test_a_page_looks_seldom_while_many_wait(monkeypatch, seconds):
    crowded, intervals = [False, True], []
    engine = SimpleNamespace(queue=SimpleNamespace(is_crowded=lambda: crowded.pop(0)))
    monkeypatch.setattr(asking, "engine", lambda: engine)
    monkeypatch.setattr(asking.st, "fragment", lambda draw, run_every: intervals.append(run_every))
    for _ in range(2):
        asking.polled(print, seconds)
    assert intervals == [seconds, max(seconds, 2.0)]
