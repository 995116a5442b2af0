"""The page Playground: its answer and numbers are the core's, and drawings travel as text."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import nysviz as nv
from nysviz.__main__ import main
from nysviz.analysis.spectrum import best_errors
from nysviz.playground.drawing import GRID, SIZE, Drawing, first, of_positions
from nysviz.refusal import Refusal
from nysviz.studies.playground import measure_boards
from nysviz.ui import lesson_bar, playground
from tests.browser.test_playground_numerics import DAMAGED
from tests.pages.driving import IRIS, answer, number, settle, settled, unopened
from tests.pages.scripts import kept_of, numbers_of, values_of

RNG = np.random.default_rng(0)


def opened(drawing=None, errors=None, **session):
    at = unopened("playground")
    if drawing is not None:
        at.session_state[playground.KEY] = {"drawing": {"text": drawing, "errors": errors}}
    for name, value in session.items():
        at.session_state[name] = value
    return settle(at)


def core(drawing, board=0):
    X, Z, k = drawing.points, drawing.boards[board], drawing.kernel
    K = k(X)
    R = K - k(X, Z) @ np.linalg.pinv(k(Z), rcond=1e-12, hermitian=True) @ k(Z, X) if len(Z) else K
    return {
        "relative_frobenius": np.linalg.norm(R) / np.linalg.norm(K),
        "relative_spectral": np.linalg.norm(R, 2) / np.linalg.norm(K, 2),
        "relative_trace": np.trace(R) / np.trace(K),
    }


def test_the_first_screen_answers_with_the_numbers_of_the_core():
    at = settled(opened())
    drawing, expected = first(), core(first())
    assert f"with {len(drawing.boards[0])} landmarks" in answer(at)
    assert number(answer(at).split("**")[1]) == pytest.approx(expected["relative_frobenius"], rel=6e-3)
    rows = numbers_of(kept_of(at)[1])
    for measure, value in expected.items():
        assert values_of(rows, measure) == [pytest.approx(value, rel=1e-9)]
    best = best_errors(nv.spectrum(drawing.points, drawing.kernel), 5)[0]
    assert values_of(rows, "best_frobenius") == [pytest.approx(best, rel=1e-9)]


def test_a_landmark_set_twice_leaves_the_error_and_is_compared_with_the_best_of_as_many():
    start = first()
    twice = replace(start, boards=(np.vstack([start.boards[0], start.boards[0][:2]]),))
    once, again = (measure_boards(drawing.text)[0] for drawing in (start, twice))
    eigenvalues = nv.spectrum(start.points, start.kernel)
    assert again.m == once.m + 2 and again.best == pytest.approx(np.linalg.norm(eigenvalues[again.m :]))
    assert again.errors.frobenius == pytest.approx(once.errors.frobenius, rel=1e-9)


def test_the_next_landmark_is_the_best_of_all_points():
    drawing = first()
    board = measure_boards(drawing.text)[0]
    tried = [
        core(replace(drawing, boards=(np.vstack([drawing.boards[0], x]),)))["relative_frobenius"]
        for x in drawing.points
    ]
    assert board.next_error == pytest.approx(min(tried), rel=1e-9)


@pytest.mark.parametrize("off, faults", [(0.0, 0), (1e-7, 0), (1e-4, 1)])
def test_what_the_browser_has_otherwise_is_a_fault(off, faults):
    errors = core(first())
    errors["relative_frobenius"] += off
    at = opened(first().text, [errors])
    assert len(at.error) == faults
    assert all("relative frobenius" in problem.value for problem in at.error)


def drawn(n=30, ms=(4,), name="gaussian", sigma=0.7):
    whole = [RNG.integers(0, SIZE * GRID, (count, 2)) / GRID for count in (n, *ms)]
    return Drawing(whole[0], tuple(whole[1:]), name, sigma)


@pytest.mark.parametrize(
    "name, n, ms",
    [
        ("gaussian", 30, (4,)), ("laplacian", 400, (40, 40)), ("matern32", 1, (1,)),
        ("inverse_distance", 5, (0,)), ("gaussian", 0, (3,)),
    ],
)  # fmt: skip
def test_a_drawing_travels_as_text(name, n, ms):
    drawing = drawn(n, ms, name)
    again = Drawing.from_text(drawing.text)
    assert len(drawing.text) < 2_000
    np.testing.assert_array_equal(again.points, drawing.points)
    for one, other in zip(again.boards, drawing.boards, strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.kernel == drawing.kernel
    if n:
        for i, board in enumerate(measure_boards(drawing.text)):
            for measure, value in core(drawing, i).items():
                assert getattr(board.errors, measure) == pytest.approx(value, rel=1e-6, abs=1e-9)


def test_a_damaged_text_is_refused_and_leaves_the_page_as_it_was():
    for text in DAMAGED:
        with pytest.raises(Refusal, match="damaged"):
            Drawing.from_text(text)
    assert answer(settled(opened(DAMAGED[0]))) == answer(settled(opened()))


def test_a_drawing_without_points_is_no_study():
    with pytest.raises(Refusal, match="no points"):
        nv.studies.playground("gaussian.3500.0.2.0.AAAABBBB")


def test_no_point_and_all_points_in_one_place():
    at = settled(opened("gaussian.3500.0.2.0.AAAABBBB"))
    assert any("There are no points" in text.value for text in at.markdown)
    at = settled(opened(f"gaussian.3500.9.2.0.{'BABA' * 11}"))
    assert number(answer(at).split("**")[1]) < 1e-9


@pytest.mark.parametrize(
    "positions",
    [RNG.normal(size=(400, 2)), np.array([[1e300, 0.0], [-1e300, 1.0]]), np.ones((5, 2)), np.eye(2)[:1]],
    ids=["normal", "far", "equal", "single"],
)
def test_points_from_anywhere_lie_in_the_plane(positions):
    drawing = Drawing.from_text(of_positions(positions).text)
    assert len(drawing.points) == len(positions) and (drawing.points < SIZE).all()
    if len(positions) == 400:
        scale = np.ptp(drawing.points[:, 0]) / np.ptp(positions[:, 0])
        np.testing.assert_allclose(
            drawing.points, (positions - positions[0]) * scale + drawing.points[0], atol=3e-3
        )


def test_points_of_the_data_set_go_to_the_canvas():
    at = opened(playground_elsewhere=True)
    at.button(key="playground_take").click()
    settled(at)
    count, text = at.session_state[lesson_bar.LOADED]
    assert count == 1 and len(Drawing.from_text(text).points) == IRIS.n


def test_the_points_become_a_data_set_of_the_session_in_the_place_of_a_file():
    drawing = drawn(50, name="laplacian")
    at = opened(drawing.text, playground_elsewhere=True)
    at.selectbox(key="data").set_value("Your own file").run()
    at.file_uploader(key="own_upload").set_value(("mine.csv", b"a,b\n1,2\n3,5\n4,4\n", "text/csv")).run()
    at.button(key="own_use").click().run()
    assert at.session_state["own_data"].n == 3
    at.button(key="playground_use").click()
    settled(at)
    np.testing.assert_array_equal(at.session_state["own_data"].X, drawing.points)
    assert "own_waiting" not in at.session_state and at.session_state["own_dialog"] is False
    read = nv.parse(drawing.csv, "playground.csv", target=False, leave_out=[])
    np.testing.assert_array_equal(read.X, drawing.points)


def test_the_command_writes_one_file_that_loads_nothing(tmp_path):
    out = tmp_path / "playground.html"
    assert CliRunner().invoke(main, ["playground", "--out", str(out)]).exit_code == 0
    text = out.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "http:" not in text and "https:" not in text and "import " not in text and "src=" not in text
    refused = CliRunner().invoke(main, ["playground", "--out", str(tmp_path / "none" / "x.html")])
    assert refused.exit_code == 1 and "cannot be written" in refused.output
