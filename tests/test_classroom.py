"""The load driver sees what a browser sees, and counts what goes wrong.

Nothing here is timed: waits end with what they wait for.
"""

import json

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.classroom.controls import moved, option_names, value_of
from benchmarks.classroom.memory import Memory
from benchmarks.classroom.report import Result, as_dict, table, tracebacks, waits
from benchmarks.classroom.screen import Screen
from benchmarks.classroom.session import Request, Session
from benchmarks.classroom.student import until_over
from benchmarks.classroom.trouble import control_of
from tests.browser.serving import ROOT, serving
from tests.visiting import run_alone

GENEROUS_SECONDS = 120.0


def delta(*place, run="1", fragment="", chart=None, text=None, progress=None, block=None):
    """A message that draws one element; the run is the caller's affair."""
    message = ForwardMsg()
    message.metadata.delta_path.extend(place)
    message.delta.fragment_id = fragment
    if block is not None:
        getattr(message.delta.add_block, block).SetInParent()
    elif chart is not None:
        message.delta.new_element.plotly_chart.spec = chart
    elif progress is not None:
        message.delta.new_element.progress.value = progress
    else:
        message.delta.new_element.markdown.body = text or ""
    return message


def test_a_place_that_is_not_there_is_counted():
    screen = Screen()
    for message in (delta(0, 0, text="a"), delta(0, 1, block="flex_container"), delta(0, 1, 0, text="b")):
        screen.take(message, "1")
    assert screen.misplaced == 0
    screen.take(delta(0, 0, 0, text="in an element"), "1")
    screen.take(delta(0, 1, 2, text="after one that never came"), "1")
    screen.take(delta(0, 3, 0, text="in no block"), "1")
    assert screen.misplaced == 3


def test_the_report_counts_what_went_wrong():
    answered = Request("compare", "Method", "f", frozenset(), sent=10.0, chart=10.5, over=12.0)
    still = Request("compare", "Method", "f", frozenset(), sent=10.0, chart=11.5, left=True)
    never = Request("steps", "Data set", "", frozenset(), sent=10.0, left=True)
    session = Session("http://127.0.0.1:1")
    session.failures["steps", "no"] = 2
    result = Result(1, 60.0, [answered, still, never], [session], Memory(None), 0.01)
    assert waits(result.requests, "chart") == [0.5, 1.5] and waits(result.requests, "over") == [2.0]
    assert result.errors()["unanswered"] == 1 and result.errors()["exceptions"] == 2
    lines = "\n".join(table(result))
    assert "unanswered: Data set on steps" in lines and "exception × 2 on steps: no" in lines
    assert json.loads(json.dumps(as_dict(result)))["requests"][0] == {
        "page": "compare", "what": "Method", "chart": 0.5, "over": 2.0, "left": False
    }  # fmt: skip
    frame = f'  File "{ROOT}/nysviz/a.py", line 7, in f\n    x\n'
    log = f"Traceback (most recent call last):\n{frame}ValueError: no\n"
    assert tracebacks(2 * log) == ["logged × 2: a.py:7 in f: ValueError: no"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(ROOT / "app.py", {"NYSVIZ_DATA": str(tmp_path_factory.mktemp("empty"))}) as running:
        yield running


def specs(session):
    return [json.loads(content.message.spec) for content in session.screen.contents("plotly_chart")]


def titles(figures):
    return [
        (figure["layout"]["title"]["text"], figure["layout"]["title"]["subtitle"]["text"])
        for figure in figures
    ]


async def opened(url, page, query):
    session = Session(url, keep_charts=True)
    request = await session.open(page, query)
    await until_over(session, request, GENEROUS_SECONDS)
    assert request.chart is not None and request.over is not None, request
    return session


async def nudge(session, key):
    """Move a slider one stop up, wait, and return the new value."""
    control = control_of(session, key)
    stops = option_names("slider", control.message)
    (now,) = value_of(control, session.held.get(control.message.id))
    new = stops[stops.index(now) + 1]
    request = await session.turn(moved(control, [new]))
    await until_over(session, request, GENEROUS_SECONDS)
    assert request.chart is not None and request.over >= request.chart >= request.sent
    return new


@pytest.mark.slow
@pytest.mark.browser
def test_the_driver_draws_what_a_browser_draws(server, chromium):
    query = "data=Iris+flowers&ratio=10+%25&seed=3"
    figures = """[...document.querySelectorAll('.js-plotly-plot')].map(f => ({layout: {title: {
        text: f.layout.title?.text, subtitle: {text: f.layout.title?.subtitle?.text}}}}))"""

    async def visit():
        session = await opened(server.url, "approximate", query)
        seen = [titles(specs(session))]
        await nudge(session, "ratio")
        seen.append(titles(specs(session)))
        await session.close()
        return seen

    seen = run_alone(visit())
    assert seen[0] != seen[1]
    page = chromium.new_page()
    page.goto(f"{server.url}/approximate?{query}")
    for step, expected in enumerate(seen):
        if step:
            page.get_by_test_id("stSlider").get_by_role("slider", name="Landmarks").press("ArrowRight")
        page.wait_for_function(
            f"""expected => JSON.stringify({figures}.map(f => [
                f.layout.title.text, f.layout.title.subtitle.text])) === JSON.stringify(expected)""",
            arg=[list(pair) for pair in expected],
            timeout=GENEROUS_SECONDS * 1000,
        )
    page.close()
