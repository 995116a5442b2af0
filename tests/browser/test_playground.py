"""The playground in the hand: mouse, keyboard, the server's check, links, and the file without a server."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

import nysviz as nv
from nysviz.playground.drawing import Drawing, first
from nysviz.playground.standalone import bundle, standalone
from nysviz.studies.playground import measure_boards
from tests.browser.driving import Watched, calm, no_exception

# At rest the address holds the drawing.
RESTS = "old => location.hash.startsWith('#d=') && location.hash !== old"


@pytest.fixture(scope="module")
def unopened(chromium, tmp_path_factory):
    """Open the file from disk, without a network, by a link."""
    file = tmp_path_factory.mktemp("playground") / "playground.html"
    file.write_text(standalone(), encoding="utf-8")
    context = chromium.new_context(offline=True)
    faults: list[str] = []

    def opened(link=""):
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("request", lambda request: faults.append(request.url) if "http" in request.url[:5] else None)
        page.goto(f"{file.as_uri()}{link}")
        page.wait_for_function(RESTS, arg="")
        return page

    yield opened
    assert faults == []
    context.close()


def drawing_of(page, old=""):
    """Wait until the hand has rested after a change, and read the address."""
    page.wait_for_function(RESTS, arg=f"#d={old}")
    return Drawing.from_text(page.evaluate("location.hash.slice(3)"))


def place(page, x, y, plane=0):
    """Pixels of a place in the plane."""
    canvas = page.locator("canvas.plane").nth(plane)
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    return box["x"] + x * box["width"] / 4, box["y"] + (3 - y) * box["height"] / 3


def drag(page, start, end, steps=10):
    page.mouse.move(*place(page, *start))
    page.mouse.down()
    page.mouse.move(*place(page, *end), steps=steps)
    page.mouse.up()


def shown(page):
    """The numbers beside the canvas."""
    cells = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    rows = page.locator(".numbers tr").evaluate_all(cells)
    return {name: float(value.split(",")[0]) for name, value in rows}


def check(page, drawing):
    """Assert that the numbers beside the canvas are the core's."""
    expect(page.locator(".numbers")).not_to_contain_text("–")
    (board,), found = measure_boards(drawing.text), shown(page)
    for measure in ("Frobenius", "spectral", "trace"):
        expected = getattr(board.errors, f"relative_{measure.lower()}")
        assert found[f"relative {measure} error"] == pytest.approx(expected, rel=6e-3)
    assert found["times the best possible"] == pytest.approx(board.errors.frobenius / board.best, rel=6e-3)
    assert found["landmarks, rank of K̃"] == board.m


def test_by_mouse_landmarks_are_set_dragged_and_removed(unopened):
    page, start = unopened(), first()
    assert drawing_of(page).text == start.text
    check(page, start)
    drag(page, (1.75, 1.35), (2.6, 2.3))
    moved = drawing_of(page, start.text)
    np.testing.assert_allclose(moved.boards[0][3], (2.6, 2.3), atol=0.02)
    np.testing.assert_array_equal(moved.boards[0][[0, 1, 2, 4]], start.boards[0][[0, 1, 2, 4]])
    check(page, moved)
    page.mouse.click(*place(page, 2.6, 2.3))
    assert len(drawing_of(page, moved.text).boards[0]) == 4
    page.mouse.click(*place(page, *start.points[165]))
    on_a_point = drawing_of(page, page.evaluate("location.hash.slice(3)"))
    assert (on_a_point.boards[0][-1] == start.points).all(axis=1).any()
    for _ in range(3):
        page.locator("button.undo").click()
    page.wait_for_function("old => location.hash === old", arg=f"#d={start.text}")
    page.get_by_role("radio", name="Brush").click()
    drag(page, (3.0, 0.5), (3.4, 0.5))
    sprayed = drawing_of(page, start.text)
    assert len(sprayed.points) > len(start.points) + 5
    page.get_by_role("radio", name="Eraser").click()
    drag(page, (2.5, 0.5), (4.0, 0.5), steps=30)
    assert len(drawing_of(page, sprayed.text).points) < len(sprayed.points)


def test_a_landmark_set_twice_is_one_wasted(unopened):
    start = first()
    twice = dataclasses.replace(start, boards=(np.vstack([start.boards[0], start.boards[0][:2]]),))
    page = unopened(f"#d={twice.text}")
    expect(page.get_by_role("cell", name="times the best possible")).to_be_visible()
    check(page, twice)
    once = measure_boards(start.text)[0]
    assert shown(page)["times the best possible"] > 1.01 * once.errors.frobenius / once.best


def test_by_keyboard_alone(unopened):
    page, start = unopened(), first()
    page.get_by_role("radio", name="Landmarks").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Points")).to_be_checked()
    page.keyboard.press("ArrowLeft")
    page.locator("canvas.plane").first.focus()
    page.keyboard.press("Enter")
    added = drawing_of(page, start.text)
    K = start.kernel(start.points)
    Z = start.boards[0]
    rest = np.diag(
        K - start.kernel(start.points, Z) @ np.linalg.solve(start.kernel(Z), start.kernel(Z, start.points))
    )
    np.testing.assert_array_equal(added.boards[0][-1], start.points[rest.argmax()])
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    moved = drawing_of(page, added.text)
    np.testing.assert_allclose(moved.boards[0][-1] - added.boards[0][-1], (-0.02, -0.1), atol=2e-3)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Delete")
    fewer = drawing_of(page, moved.text)
    np.testing.assert_array_equal(fewer.boards[0], moved.boards[0][1:])
    expect(page.locator(".spoken")).to_contain_text("Relative Frobenius error")
    for _ in range(4):
        page.keyboard.press("Control+z")
    page.wait_for_function("old => location.hash === old", arg=f"#d={start.text}")


def test_by_touch_a_finger_drags_and_a_long_press_adds(unopened):
    page, start = unopened(), first()
    devtools = page.context.new_cdp_session(page)

    def touch(kind, x=None, y=0.0):
        points = [] if x is None else [dict(zip("xy", place(page, x, y), strict=True))]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    place(page, 0, 0)
    before = page.evaluate("scrollY")
    touch("touchStart", 1.75, 1.35)
    for step in range(1, 11):
        touch("touchMove", 1.75 + 0.05 * step, 1.35 - 0.05 * step)
    touch("touchEnd")
    moved = drawing_of(page, start.text)
    np.testing.assert_allclose(moved.boards[0][3], (2.25, 0.85), atol=0.03)
    touch("touchStart", 3.5, 1.5)
    page.wait_for_timeout(700)
    touch("touchEnd")
    added = drawing_of(page, moved.text)
    np.testing.assert_allclose(added.boards[0][5], (3.5, 1.5), atol=0.03)
    assert page.evaluate("scrollY") == before


def test_two_canvases_algorithms_and_files(unopened):
    page, start = unopened(), first()
    page.get_by_label("Two at once").check()
    page.get_by_role("combobox", name="Algorithm", exact=True).select_option("greedy")
    for _ in range(5):
        page.get_by_role("button", name="Step forward").click()
    greedy = nv.approximate(start.points, start.kernel, "greedy", 5).landmarks
    assert greedy is not None
    both = dataclasses.replace(start, boards=(start.boards[0], greedy))
    page.wait_for_function("text => location.hash === text", arg=f"#d={both.text}")
    expect(page.locator(".numbers th")).to_have_text(["A", "B"])
    with page.expect_download() as csv:
        page.get_by_role("button", name="Points as CSV").click()
    np.testing.assert_array_equal(
        nv.parse(csv.value.path().read_bytes(), "a.csv", target=False).X, start.points
    )
    with page.expect_download() as picture:
        page.get_by_role("button", name="Picture as SVG").click()
    drawn = picture.value.path().read_text(encoding="utf-8")
    assert drawn.startswith("<svg") and drawn.count("<circle") >= len(start.points)


def test_a_damaged_link_gives_a_sentence_and_the_first_drawing(unopened):
    # All texts that are damaged: test_playground_numerics.py.
    page = unopened("#d=%3Cb%3E")
    expect(page.locator(".message")).to_have_text(
        "The link is damaged, so its drawing cannot be shown: this is the one to begin with."
    )
    assert drawing_of(page, "%3Cb%3E").text == first().text


def trace_error(drawing):
    return measure_boards(drawing.text)[0].errors.relative_trace


def test_improve_rolls_downhill_by_mouse_until_it_ends_and_undo_takes_all_back(unopened):
    page, start = unopened(), first()
    improve, roll = page.locator("button.improve"), page.locator(".note")
    expect(page.locator(".record")).to_have_text(re.compile(r"^Best with m = 5 .*: by hand \d\.\d\d$"))
    page.get_by_label("Speed").select_option("fast")
    improve.click()
    expect(improve).to_have_text("Stop")
    expect(roll).to_contain_text("downhill: relative trace error")
    expect(improve).to_have_text("Improve")
    expect(roll).to_contain_text("Further moves hardly lower it.")
    end = drawing_of(page, start.text)
    assert trace_error(end) < 0.9 * trace_error(start)
    check(page, end)
    text = page.locator(".record").inner_text()
    by_hand, improved = re.findall(r"by hand (\d\.\d\d); by hand, improved (\d\.\d\d)", text)[0]
    assert float(improved) < float(by_hand)
    page.locator("button.undo").click()
    page.wait_for_function("old => location.hash === old", arg=f"#d={start.text}")
    # What was improved keeps its record, and the hand its own, when it is done again.
    page.locator("button.redo").click()
    page.wait_for_function("old => location.hash === old", arg=f"#d={end.text}")
    expect(page.locator(".record")).to_have_text(text)


def test_improve_by_keyboard_stops_at_any_time(unopened):
    page, start = unopened(), first()
    improve = page.locator("button.improve")
    page.get_by_label("Speed").select_option("slow")
    improve.focus()
    for stop in ("Escape", "Enter"):
        old = drawing_of(page)
        page.keyboard.press("Enter")
        expect(improve).to_have_text("Stop")
        page.keyboard.press(stop)
        expect(improve).to_have_text("Improve")
        assert trace_error(drawing_of(page, old.text)) < trace_error(old)
    # While it rolls, a landmark that the hand moves ends the roll, and each is undone by itself.
    before = drawing_of(page)
    page.keyboard.press("Enter")
    expect(improve).to_have_text("Stop")
    page.locator("canvas.plane").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+ArrowUp")
    expect(improve).to_have_text("Improve")
    drawing_of(page, before.text)
    for _ in range(2):
        page.keyboard.press("Control+z")
    page.wait_for_function("old => location.hash === old", arg=f"#d={before.text}")
    for _ in range(2):
        page.keyboard.press("Control+z")
    page.wait_for_function("old => location.hash === old", arg=f"#d={start.text}")


def test_improve_says_why_it_is_off(unopened):
    page = unopened()
    for kernel in ("laplacian", "inverse_distance"):
        page.locator("select.kernel").select_option(kernel)
        improve = page.locator("button.improve[aria-disabled=true]")
        expect(improve).to_have_attribute("title", re.compile("has no derivative to roll along"))
        improve.click(force=True)
        expect(page.locator(".message")).to_contain_text("kernel has no derivative")
    page.locator("select.kernel").select_option("matern32")
    expect(page.locator("button.improve")).to_have_attribute("aria-disabled", "false")
    page.locator("button.clear").click()
    expect(page.locator("button.improve")).to_have_attribute("title", re.compile("no landmarks"))


def test_what_the_tasks_teach_is_true(chromium):
    page = chromium.new_page()
    page.add_script_tag(
        content=f"{bundle()}\nglobalThis.tasks = CHALLENGES.map(task => () => {{ {TASK} }});", type="module"
    )
    page.wait_for_function("() => globalThis.tasks")
    for i in range(page.evaluate("tasks.length")):
        title, held, times = page.evaluate(f"tasks[{i}]()")
        assert held, (title, times)
    page.close()


TASK = """
const points = task.points(), kernel = KERNELS.gaussian.make(task.sigma), K = kernelMatrix(points, kernel);
const least = best(eigenvalues(K, points.length / 2), task.m), times = {}, relative = [];
for (const [id, {run}] of Object.entries(ALGORITHMS)) {
  const {landmarks} = [...run(points, kernel, task.m, seeded(0))].at(-1);
  const error = errors(K, approximate(points, landmarks, kernel), false);
  times[id] = multiple(error, least);
  relative.push(error.relative_frobenius); }
return [task.title, task.holds(times, relative), times];"""


def test_where_a_lesson_asks_for_landmarks_by_hand_nothing_improves_them(open_page):
    for step, count in ((3, 0), (7, 1)):
        page = open_page(f"/playground?lesson=6-by-hand&step={step}")
        expect(page.locator("button.clear")).to_be_visible()
        expect(page.locator("button.improve").filter(visible=True)).to_have_count(count)


def test_on_the_page_the_server_hears_of_a_drawing_at_rest_and_agrees(server, context):
    watched = Watched(context, f"{server.url}/playground")
    page, start = watched.page, first()
    answer = page.get_by_text("One more at the best point")
    expect(answer).to_contain_text("with 5 landmarks")
    assert drawing_of(page).text == start.text
    calm(page)
    page.mouse.move(*place(page, 1.75, 1.35))
    page.mouse.down()
    before, frames = len(watched.sent), int(page.locator(".playground").get_attribute("data-frames") or 0)
    page.mouse.move(*place(page, 2.35, 1.35), steps=30)
    assert len(watched.sent) == before
    assert int(page.locator(".playground").get_attribute("data-frames") or 0) > frames + 5
    page.mouse.up()
    moved = drawing_of(page, start.text)
    expect(answer).to_contain_text(f"{measure_boards(moved.text)[0].errors.relative_frobenius:.3f}")
    check(page, moved)
    # Another page and back, and the link in another window: the same drawing.
    link = page.url
    assert json.dumps(link).count("#d=") == 1
    other = Watched(context, link)
    assert drawing_of(other.page).text == moved.text
    expect(other.page.get_by_text("One more at the best point")).to_be_visible()
    for one in (watched, other):
        no_exception(one.page)
        assert one.complaints == [] and one.foreign == []
        one.page.close()
