"""The load driver sees what a browser sees, and counts what goes wrong.

Nothing here is timed: waits end with what they wait for.
"""

import asyncio
import json
import os
import random
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Slider_pb2 import Slider

from benchmarks.classroom.controls import move, moved, option_names, value_of
from benchmarks.classroom.memory import MEAN_SECONDS, WARM_SECONDS, Memory, family, resident
from benchmarks.classroom.report import Result, as_dict, table, tracebacks, waits
from benchmarks.classroom.screen import Content, Screen
from benchmarks.classroom.session import Request, Session
from benchmarks.classroom.student import App, Student, until_over
from benchmarks.classroom.trouble import control_of
from nysviz.memory import give_back
from tests.browser.serving import ROOT, serving

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


def test_a_whole_run_sweeps_what_it_has_not_drawn():
    screen = Screen()
    screen.take(delta(0, block="vertical"), "1")
    screen.take(delta(0, 0, chart="{}"), "1")
    screen.take(delta(0, 1, progress=10), "1")
    screen.finish("1", (), 2)
    assert screen.waiting() and len(screen.charts()) == 1
    screen.take(delta(0, block="vertical"), "2")
    screen.take(delta(0, 0, chart="{}"), "2")
    screen.finish("2", (), 2)
    assert not screen.waiting() and len(screen.charts()) == 1


def test_a_run_of_a_fragment_sweeps_inside_its_own_blocks_alone():
    screen = Screen()
    screen.take(delta(0, 0, chart='{"uid": 0}'), "1")
    screen.take(delta(0, 1, block="vertical", fragment="f"), "1")
    screen.take(delta(0, 1, 0, chart='{"uid": 1}', fragment="f"), "1")
    screen.take(delta(0, 1, 1, chart='{"uid": 2}', fragment="f"), "1")
    screen.take(delta(0, 2, chart='{"uid": 3}', fragment="g"), "1")
    screen.finish("1", (), 2)
    screen.take(delta(0, 1, block="vertical", fragment="f"), "2")
    screen.take(delta(0, 1, 0, chart='{"uid": 1}', fragment="f"), "2")
    screen.finish("2", ("f",), 2)
    assert set(screen.nodes) == {(0, 0), (0, 1), (0, 1, 0), (0, 2)}


def test_an_element_in_place_of_a_block_removes_what_was_in_it():
    screen = Screen()
    screen.take(delta(0, 0, block="vertical"), "1")
    screen.take(delta(0, 0, 0, chart="{}"), "1")
    screen.take(delta(0, 0, text="gone"), "1")
    assert set(screen.nodes) == {(0, 0)}


def test_a_reference_stands_for_the_message_it_names():
    screen = Screen()
    message = delta(0, 0, chart='{"uid": 1}')
    message.hash, message.metadata.cacheable = "abc", True
    first = screen.take(message, "1")
    reference = ForwardMsg(ref_hash="abc")
    reference.metadata.delta_path.extend((0, 5))
    assert screen.take(reference, "1") == first
    for run in "1234":
        screen.finish(run, (), 2)
    assert not screen.cache


def slider(**more):
    return Content("slider", "f", message=Slider(id="x", label="m", query_param_key="m", **more))


@pytest.mark.parametrize(
    "spec, empty",
    [
        ('{"data": [], "layout": {}}', True),
        ('{"data": [{"x": [null], "y": [null]}]}', True),
        ('{"data": [{"type": "bar"}, {"x": [1], "y": [2]}]}', False),
        ('{"data": [{"z": {"dtype":"f8","bdata":"AAAA"}}]}', False),
        ('{"data": [{"z": [[1, 2]]}]}', False),
    ],
)
def test_a_frame_without_values_is_no_chart_yet(spec, empty):
    content = Screen().take(delta(0, 0, chart=spec), "1")
    assert content.empty == empty


def test_the_charts_of_one_run_are_told_from_those_of_others():
    screen = Screen()
    for place, run in ((0, "1"), (1, "2")):
        screen.take(delta(0, place, chart=f'{{"data": [{{"x": [{place}]}}]}}'), run)
    assert len(screen.charts()) == 2
    assert len(screen.charts("1")) == len(screen.charts("2")) == 1 and screen.charts("1") != screen.charts(
        "2"
    )


def test_a_place_that_is_not_there_is_counted():
    screen = Screen()
    for message in (delta(0, 0, text="a"), delta(0, 1, block="flex_container"), delta(0, 1, 0, text="b")):
        screen.take(message, "1")
    assert screen.misplaced == 0
    screen.take(delta(0, 0, 0, text="in an element"), "1")
    screen.take(delta(0, 1, 2, text="after one that never came"), "1")
    screen.take(delta(0, 3, 0, text="in no block"), "1")
    assert screen.misplaced == 3


@pytest.mark.parametrize("seed", range(5))
def test_a_slider_moves_within_its_range_and_to_its_stops(seed):
    control = slider(min=1, max=10, step=3, default=[4], data_type=Slider.INT)
    rng, held = random.Random(seed), None
    for _ in range(50):
        found = move(control, held, rng)
        if found is not None:
            held = found.state
            (value,) = held.double_array_value.data
            assert value in (1, 4, 7, 10)
            assert found.words == (() if value == 4 else (str(int(value)),))


def test_a_slider_of_options_sends_and_writes_the_option():
    control = slider(min=0, max=2, step=1, default=[1], options=["1 %", "2 %", "5 %"])
    assert value_of(control, None) == ["2 %"]
    found = moved(control, ["5 %"])
    assert list(found.state.string_array_value.data) == ["5 %"] and found.words == ("5 %",)
    assert value_of(control, found.state) == ["5 %"]


def test_growth_is_counted_after_the_first_minute():
    memory = Memory(None)
    memory.samples = [(t, 100 if t < WARM_SECONDS else 200) for t in np.arange(0, 300, 2.0)]
    assert memory.growth == 0.0 and memory.peak == 200
    memory.samples = [(t, 200 if t < 240 else 250) for t in np.arange(0, 302, 2.0)]
    assert memory.growth == pytest.approx(0.25, abs=0.01)
    # What is followed to its end after the lesson does not count.
    memory.seconds = 300.0
    memory.samples += [(t, 100) for t in np.arange(302, 360, 2.0)]
    assert memory.growth == pytest.approx(0.25, abs=0.01)
    memory.samples = memory.samples[: int((WARM_SECONDS + MEAN_SECONDS) / 2)]
    assert memory.growth is None


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs Linux's /proc")
def test_memory_is_that_of_the_process():
    # What was freed before and is kept for later would hold it without a new page.
    give_back()
    before = resident(os.getpid())
    held = np.ones(30 * 2**20 // 8)
    assert resident(os.getpid()) - before >= 0.9 * held.nbytes
    assert os.getpid() in family(os.getppid())


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


def run_alone(coroutine):
    """Run it in a thread of its own: where a browser is driven, this one has an event loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


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


def test_two_sessions_see_their_own_numbers(server):
    async def visit():
        one, other = await asyncio.gather(
            opened(server.url, "approximate", "data=Iris+flowers&ratio=10+%25"),
            opened(server.url, "approximate", "data=Wine&ratio=10+%25"),
        )
        before = titles(specs(other))
        values = [await nudge(one, "ratio"), await nudge(one, "ratio")]
        after, shown, queries = titles(specs(one)), titles(specs(other)), dict(one.query)
        await one.close()
        await other.close()
        return before, values, after, shown, queries

    before, values, after, shown, query = run_alone(visit())
    assert query["ratio"] == values[-1]
    m = round(150 * float(values[-1].rstrip(" %")) / 100)
    assert any(re.search(rf"\bm = {m}\b", subtitle) for _, subtitle in after), (values, after)
    assert shown == before and all("Wine" in subtitle for _, subtitle in shown if "n = " in subtitle)


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


@pytest.mark.slow
def test_a_student_works_through_pages_and_leaves(server):
    app = App(("approximate", "data", "claims"), ("Iris flowers", "Wine"))

    async def attend():
        student = Student(Session(server.url), app, random.Random(1), every=1.5)
        await student.attend(time.monotonic() + 8.0)
        return student

    student = run_alone(attend())
    assert len(student.requests) >= 2 and all(request.begun for request in student.requests[:1])
    assert not student.session.failures and not student.session.connection.drops and not student.session.gone


def test_a_connection_that_drops_is_counted_and_taken_up_again(server):
    async def drop():
        session = await opened(server.url, "data", "")
        session.connection.drop()
        while not session.connection.drops:
            await session.news(1.0)
        control = next(one for one in session.screen.controls() if one.message.query_param_key == "seed")
        request = await session.turn(moved(control, 5.0))
        await until_over(session, request, GENEROUS_SECONDS)
        await session.close()
        return session, request

    session, request = run_alone(drop())
    assert (session.connection.drops, session.lost, session.gone) == (1, 0, False)
    assert request.over is not None
