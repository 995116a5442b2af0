"""Try this: each experiment is a state of its page, its question is answered at once, experts see none."""

import pytest

from nysviz.ui import lesson_bar, trying
from tests.pages.driving import TITLES, opened, settle, settled, start
from tests.pairing import quickly

PAGES = [page for page in lesson_bar.shown_pages() if page != "playground"]


@pytest.mark.parametrize("page", quickly(("spectrum", "quantization", "steps"), PAGES))
def test_each_experiment_is_a_state_of_its_page(page):
    for step in trying.experiments(page).steps:
        link = {key: text if isinstance(text, str) else list(text) for key, text in step.parameters.items()}
        if "data" in link:
            link["data"] = TITLES[link["data"]]
        at = settled(start(page, **link))
        assert not at.warning and not at.info
        # What is opened or dragged in the browser is no control.
        assert {key for key in link if key not in at.session_state} <= {"claims_open", "ratio"}


def links_of_menu(at):
    at.session_state["more_open"] = True
    return [link.proto for link in settle(at).get("page_link")]


def labels(at):
    return {link.proto.label for link in at.get("page_link")}


def test_a_question_is_answered_with_its_reason_and_a_link_does_it():
    steps = trying.experiments("spectrum").steps
    at = opened("spectrum")
    assert not labels(at) & {step.title for step in steps}
    at.session_state[trying.OPEN] = True
    at = settle(at)
    assert labels(at) >= {step.title for step in steps} and not at.success
    asked = steps[0].question
    answer = at.radio(key="try_spectrum_1_answer")
    answer.set_value(int(asked.answer))
    at = settle(at)
    assert at.success[0].value == f"Right. {asked.why}" and not at.info
    at.radio(key="try_spectrum_1_answer").set_value(1 + int(asked.answer) % 3)
    at = settle(at)
    assert at.info[0].value == f"Not quite. **{asked.solution}.** {asked.why}" and not at.success


def test_a_drawing_is_put_on_the_canvas():
    at = opened("playground")
    at.session_state[trying.OPEN] = True
    at = settle(at)
    step = trying.experiments("playground").steps[0]
    at.button(key="try_playground_1_load").click()
    at = settle(at)
    assert at.session_state[lesson_bar.LOADED] == (1, step.drawing)


def test_experts_and_lessons_have_neither_experiments_nor_the_experts_captions():
    usual, expert = opened("spectrum"), opened("spectrum", expert="true")
    lesson = opened("spectrum", lesson="1-low-rank", step="1")
    shown = [{box.label for box in at.expander} for at in (usual, expert, lesson)]
    assert "Try this" in shown[0] and "Try this" not in shown[1] | shown[2]
    captions = [{text.value for text in at.caption} for at in (usual, expert)]
    assert len(captions[0] - captions[1]) == 3 and captions[1] <= captions[0]
    # A link within the app keeps the view.
    (reset,) = (link for link in links_of_menu(expert) if link.label == "Reset")
    assert "expert=true" in reset.query_string
