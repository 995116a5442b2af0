"""The page Lessons, and every step of every lesson as a live page."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.lessons import reading
from nysviz.playground.drawing import Drawing
from nysviz.studies.recommend import GOALS
from nysviz.ui import lesson_bar, playground
from nysviz.ui.bandwidth import multiple_of
from nysviz.ui.lesson_bar import find
from tests.pages.driving import APP, PATIENCE_SECONDS, TITLES, charts, follow, settle, settled, start
from tests.pairing import quickly

STEPS = [(name, k) for name in reading.names() for k in range(1, 1 + len(lesson_bar.find(name).steps))]
MINE = b"""title = "My *own*"
about = "Of mine."

[[step]]
title = "First & $x$"
page = "steps"
text = "Look at [the spectrum](spectrum) and $x^2$."
[step.think]
ask = "Why $x$?"
answer = "Because."
[step.question]
ask = "How many?"
answer = 2
why = "So many."

[[step]]
title = "Second"
page = "spectrum"
hidden = ["sidebar", "spectrum_ridge"]
text = "And think."
"""


def pressed(at, key):
    at.button(key=key).click()
    return settle(at)


def led_on(at, page):
    """Run a page that leads to another one, of which AppTest takes no note."""
    at.run()
    at.switch_page(f"../../pages/{page}.py")
    return at


def first_step(at, title):
    """Follow the link Start of the lesson with this title."""
    titles = [text.value for text in at.markdown if text.value.startswith("**")]
    number = next(k for k, text in enumerate(titles) if title in text)
    starts = [link for link in at.get("page_link") if link.proto.label == "Start"]
    starts[number].proto.label = "Begin"
    return follow(at, "Begin")


def step_of(name, number):
    return lesson_bar.find(name).steps[number - 1]


def bodies(at):
    return " ".join(block.proto.body for block in at.get("html"))


@pytest.mark.parametrize("one", quickly([(name, 1) for name, _ in STEPS if name != "5-choose"], STEPS))
def test_each_step_opens_in_its_state_without_an_error(one):
    name, number = one
    step = step_of(name, number)
    at = AppTest.from_file(str(APP), default_timeout=PATIENCE_SECONDS)
    at.switch_page("../../pages/lessons.py")
    # A step that names no data keeps those at hand: here small ones.
    at.query_params |= {"lesson": name, "step": str(number), "data": TITLES["iris"]}
    led_on(at, step.page)
    if step.page != "two_balls":  # its curves of five trials take long, and its own tests wait for them
        settled(at)
    assert not at.error and not at.warning and not at.exception
    if "data" not in step.parameters and step.page not in ("playground", "two_balls"):
        assert at.session_state["data"] == "iris"
    assert f"step {number} of" in bodies(at) and step.title in bodies(at).replace("&#x27;", "'")
    assert any(text.value.startswith(step.text[:40]) for text in at.markdown)
    assert [np.ravel(at.query_params[key]) for key in ("lesson", "step")] == [[name], [str(number)]]
    # The playground's view is chosen by the address alone.
    asked = {*step.parameters, *step.hidden} - {reading.SIDEBAR, playground.VIEW}
    if step.page == "kernel_pca" and "ratio" in step.parameters:
        # The slider is the browser's; a text that is no m of these data would not stay in the address.
        asked.remove("ratio")
        assert np.ravel(at.query_params["ratio"]) == step.parameters["ratio"]
    if step.page == "approximate" and "ratio" in step.parameters:
        # The same, and the numbers beside it are counted from m.
        asked.remove("ratio")
        subtitle = charts(at)["map"]["layout"]["title"]["subtitle"]["text"]
        m, n = (int(re.search(rf"\b{letter} = ([0-9]+)", subtitle)[1]) for letter in "mn")
        assert step.parameters["ratio"] in (f"m = {m}", f"{100 * m / n:g} %")
    for key in asked:
        assert key in at.session_state, f"{key} is no control of this page"
        assert key not in step.hidden or f".st-key-{key}" in bodies(at)
    labels = {entry.label: method for method, entry in nv.METHODS.items()}
    labels |= {text: goal for goal, text in GOALS.items()}
    for key, wanted in step.parameters.items():
        if key == playground.VIEW or key not in asked:
            continue
        held = at.session_state[key]
        texts = [wanted] if isinstance(wanted, str) else [text for text in wanted if text]
        values = [labels.get(text, text) for text in texts]
        expected = values[0] if isinstance(wanted, str) else values
        if key == "ratio":
            m = wanted.removeprefix("m = ")
            assert f"{held:g} %" == wanted or any(f"m = **{m}**" in text.value for text in at.markdown)
        elif isinstance(held, float):
            assert held == (multiple_of(wanted) if key == "bandwidth" else float(wanted))
        elif key == "compare_view":
            assert held == {"kernel": "evaluations", "error": "budget"}[wanted.split()[0]]
        else:
            assert held == expected or str(held) == expected, (key, held)


# Forward, back and out of it: tests/browser/test_pages.py.
def test_a_lesson_is_begun_and_one_button_brings_its_step_back():
    at = first_step(start("lessons"), find("3-greedy").title)
    assert at.header[0].value.startswith("How good")
    assert "Back" not in [link.proto.label for link in at.get("page_link")]
    # The student goes elsewhere, where the controls hold something else; one button brings the step back.
    at.switch_page("../../pages/spectrum.py")
    at.query_params["seed"] = "7"
    at = settle(at)
    assert "step 1 of" in bodies(at) and at.header[0].value.startswith("How fast")
    at = follow(at, "To this step's page")
    assert at.session_state["seed"] == 0 and at.header[0].value.startswith("How good")


def test_a_wrong_answer_has_a_hint_first_and_then_the_solution():
    first, asked = (step_of("1-low-rank", number).question for number in (1, 2))
    at = settled(start("spectrum", data="Iris flowers", lesson="1-low-rank", step="1"))
    at.radio(key="lesson_answer_1-low-rank_1").set_value(2)
    at = settle(at)
    assert at.info[0].value == f"Not yet. {first.hint}"
    # The page is drawn again: the same answer counts once.
    at = settle(at)
    assert at.info[0].value == f"Not yet. {first.hint}"
    at.radio(key="lesson_answer_1-low-rank_1").set_value(3)
    at = settle(at)
    assert at.info[0].value == f"No: {first.solution}. {first.why}"
    # The next step has its own question, and no answer yet.
    at = follow(at, "Next")
    number = at.number_input(key="lesson_answer_1-low-rank_2")
    assert number.value is None and not at.success and not at.info
    number.set_value(7)
    at = settle(at)
    assert at.info[0].value == f"Not yet. {asked.hint}"
    at.number_input(key="lesson_answer_1-low-rank_2").set_value(1)
    at = settle(at)
    assert at.success[0].value == f"Right. {asked.why}" and not at.info


def test_the_lecturer_alone_sees_how_many_are_at_a_step(monkeypatch):
    monkeypatch.setenv("NYSVIZ_LECTURER", "word")
    monkeypatch.setattr(
        lesson_bar, "steps_by_session", {"a": ("1-low-rank", 2), "b": ("1-low-rank", 3), "c": ("2", 2)}
    )
    at = start("spectrum", data="Iris flowers", lesson="1-low-rank", step="2", lecturer="word")
    assert "1 of 2 in this lesson are at this step." in [one.value for one in at.caption]
    assert "lecturer" not in at.query_params
    at = start("spectrum", data="Iris flowers", lesson="1-low-rank", step="2", lecturer="wrong")
    assert not at.exception and not any("at this step" in one.value for one in at.caption)


def test_an_error_to_reach_is_judged_where_the_hand_rests():
    asked = step_of("6-by-hand", 4).question
    at = settled(start("playground", lesson="6-by-hand", step="4"))
    # AppTest has no canvas: the page judges the first drawing.
    assert at.info[0].value.startswith("Not yet: error 0.")
    assert "with 5 landmarks. Goal: below 0.4 with at most 1." in at.info[0].value
    middle = Drawing(np.array([[1.5, 1.5], [2.5, 1.5]]), (np.array([[2.0, 1.5]]),), "gaussian", 8.0)
    at.session_state[playground.KEY] = {"drawing": {"text": middle.text}}
    at = settle(at)
    assert at.success[0].value == f"Reached. {asked.why}"


@pytest.mark.parametrize("name", ["nope", "../../app", "[x](https://e.org)", "own"])
def test_a_name_of_no_lesson_is_one_sentence_with_a_way_on(name):
    at = start("lessons", lesson=name, step="1")
    assert len(at.error) == 1 and at.error[0].value.rstrip("\\").endswith(".")
    assert "](https" not in at.error[0].value and "on the page Lessons" in at.error[0].value
    for page in ("spectrum", "home"):
        at = start(page, data="Iris flowers", lesson=name)
        assert not at.error
        (told,) = [warning.value for warning in at.warning]
        assert "lesson" not in at.query_params and "Lesson ·" not in bodies(at)
        assert at.error == [] and told.endswith("on the page Lessons. [Open Lessons](lessons).")


def test_an_address_with_a_lesson_and_no_page_leads_to_its_step():
    at = AppTest.from_file(str(APP), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"lesson": "1-low-rank", "step": "2"}
    at = settled(led_on(at, step_of("1-low-rank", 2).page))
    assert "step 2 of" in bodies(at) and np.ravel(at.query_params["lesson"]) == ["1-low-rank"]


def sent(at, content, name="mine.toml"):
    at.file_uploader(key="lessons_file").set_value((name, content, "application/toml"))
    return settle(at)


def test_an_own_lesson_stays_in_its_session_and_is_inert():
    at = settled(sent(start("lessons", data=TITLES["iris"]), MINE))
    assert any(r"My \*own\*" in text.value for text in at.markdown)
    at = first_step(at, "own")
    (thought,) = [one for one in at.expander if one.label.startswith("**Think:**")]
    assert thought.label == "**Think:** Why $x$?" and thought.markdown[0].value == "Because."
    at.number_input(key="lesson_answer_own_1").set_value(3)
    at = settle(at)
    # The lesson has no hint.
    assert at.info[0].value == "Not yet. Try once more."
    assert "<b>First &amp; $x$</b>" in bodies(at)
    assert any("[the spectrum](spectrum)" in text.value for text in at.markdown)
    at = follow(at, "Next")
    assert '[data-testid="stSidebar"]' in bodies(at) and ".st-key-spectrum_ridge" in bodies(at)
    other = start("lessons", lesson="own", step="1")
    assert "another session" in other.error[0].value


def test_the_problem_of_a_file_is_a_sentence():
    bad = MINE.replace(b'page = "steps"', b'page = "x"')
    told = sent(start("lessons"), bad, "<b>mine</b>.toml").error[0].value
    assert told.startswith(r"\<b\>mine") and "there is no page 'x'" in told
    assert "100 kB" in sent(start("lessons"), b"#" * 100_001).error[0].value
