"""Lessons: pages, parameters and labels exist, what the texts state is recomputed, bad files are refused."""

import dataclasses
import math
import time

import numpy as np
import pytest
from scipy.stats import spearmanr

import nysviz as nv
from nysviz.kernels import Gaussian
from nysviz.lessons import reading
from nysviz.lessons.reading import LessonError, read
from nysviz.nystroem.measures import residual_diagonal
from nysviz.playground.drawing import Drawing, on_grid
from nysviz.root import ROOT
from nysviz.studies.playground import measure_boards
from nysviz.ui import lesson_bar
from nysviz.ui.glossary import glossary, terms
from nysviz.ui.lesson_bar import shown_pages

PAGES = lesson_bar.shown_pages()
TWELVE = (
    *("0-kernel-matrix", "1-low-rank", "2-encoding", "3-greedy", "4-eigengap", "5-choose", "6-by-hand"),
    *("7-new-points", "8-singular-w", "9-budgets", "10-decision", "11-chosen-spectrum"),
)
IRIS = nv.load("iris")
EIGHT = 8


def kernel(X, multiple=1.0):
    return Gaussian.from_width(multiple * nv.default_width(X))


def iris_at_eight(method, seed=0, multiple=1.0):
    k = kernel(IRIS.X, multiple)
    a = nv.approximate(IRIS.X, k, method, EIGHT, seed)
    return a, nv.errors(IRIS.X, k, a).relative_frobenius


def test_methods_data_and_questions():
    methods = {entry.label for entry in nv.METHODS.values()}
    # At hand on every machine.
    data = {card.name for card in nv.catalog() if card.kind in ("embedded", "generator")}
    for name in TWELVE:
        asked = [step.question for step in lesson_bar.find(name).steps if step.question is not None]
        assert len(asked) >= 3
        for one in asked:
            off = one.answer + 2 * one.tolerance + abs(one.answer) / 2 + (not one.answer)
            assert one.is_right(one.answer) and not one.is_right(off) and one.hint
        for step in lesson_bar.find(name).steps:
            for key, value in step.parameters.items():
                if "method" in key:
                    assert ({value} if isinstance(value, str) else set(value)) <= {*methods, ""}
                assert key != "data" or value in data


def test_lecturers_have_the_answers_of_all_questions():
    sections = (ROOT / "docs" / "teaching.md").read_text("utf-8").split("## Lesson ")[1:]
    assert len(sections) == len(TWELVE)
    for name, section in zip(TWELVE, sections, strict=True):
        lesson = lesson_bar.find(name)
        assert section.startswith(f"{name.split('-')[0]}: {lesson.title}\n") and "Exercises:" in section
        for number, step in enumerate(lesson.steps, start=1):
            if (asked := step.question) is not None:
                reach = f"below {asked.answer:g} with {asked.landmarks}"
                answer = reach if asked.landmarks else asked.solution
                assert f"| {number}. {step.title} | {answer} |" in section


USUAL = 4


def test_encoding_the_two_errors_rise_together_and_less_is_gained_by_a_narrow_kernel():
    runs, ratio = [], {}
    for multiple in (1.0, 1 / 16):
        means = {}
        for method in ("uniform", "kmeans", "kmeanspp"):
            found = [iris_at_eight(method, seed, multiple) for seed in range(10)]
            means[method] = np.mean([error for _, error in found])
            if multiple == 1.0:
                runs += [(nv.quantization_error(IRIS.X, a.landmarks), error) for a, error in found]
        ratio[multiple] = means["uniform"] / means["kmeans"]
    assert spearmanr(*zip(*runs, strict=True)).statistic > 0.5
    assert 1 < ratio[1 / 16] < ratio[1.0]


def test_greedy_one_draw_forgets_a_species_and_another_does_not():
    def species(a):
        return np.bincount(IRIS.y[a.pivots].astype(int), minlength=3)

    (bad, bad_error), (good, good_error) = (iris_at_eight("uniform", seed) for seed in (0, USUAL))
    assert [step.parameters["seed"] for step in lesson_bar.find("3-greedy").steps[:2]] == ["0", str(USUAL)]
    left = residual_diagonal(IRIS.X, kernel(IRIS.X), bad)
    forgotten = IRIS.y == np.argmin(species(bad))
    assert left[forgotten].min() > 0.5 and left[~forgotten].mean() < 0.2
    assert np.median((bad.factor @ bad.factor.T)[np.ix_(forgotten, forgotten)]) < 0.3
    assert sorted(species(bad))[0] == 0 < sorted(species(bad))[1]
    assert species(good).min() > 0 and good_error < bad_error / 5
    greedy, error = iris_at_eight("greedy")
    assert species(greedy).min() > 0 and error < min(good_error, bad_error)
    assert iris_at_eight("greedy", 1)[1] == error


def question(name, number):
    return lesson_bar.find(name).steps[number - 1].question


def test_answers_about_iris():
    assert len(np.unique(IRIS.X, axis=0)) == 149 == np.linalg.matrix_rank(kernel(IRIS.X, 1e-9)(IRIS.X))
    assert question("1-low-rank", 1).solution.endswith("at most 149")
    assert question("1-low-rank", 2).answer == np.linalg.matrix_rank(kernel(IRIS.X, 1e20)(IRIS.X)) == 1
    a, _ = iris_at_eight("uniform")
    left = residual_diagonal(IRIS.X, kernel(IRIS.X), a)
    assert question("2-encoding", 2).answer == a.kernel_evaluations
    for name, number in (("2-encoding", 1), ("3-greedy", 3)):
        assert question(name, number).answer == 0 == pytest.approx(left[a.pivots].max(), abs=1e-12)
    wide, narrow = (iris_at_eight("kmeans", 0, multiple)[0].landmarks for multiple in (1.0, 1 / 16))
    assert np.array_equal(wide, narrow) and question("2-encoding", 5).solution == "The quantization error"
    for missed in (math.comb(100, EIGHT) / math.comb(150, EIGHT), (2 / 3) ** 8):
        assert question("3-greedy", 1).is_right(100 * missed)
    one, other = (set(iris_at_eight("greedy", seed)[0].pivots) for seed in (0, 1))
    assert question("3-greedy", 4).answer == len(one - other)


def test_answers_about_groups_and_random_features():
    data = nv.load("eigengap_mixture")
    K = kernel(data.X)
    centres = np.array([data.X[data.y == label].mean(axis=0) for label in np.unique(data.y)])
    assert question("1-low-rank", 4).answer == len(centres)
    values = [nv.spectrum(data.X, K, 6), nv.spectrum(centres, K)]
    assert values[1][-1] > 0.5 * values[1][0] and values[0][4] > 3 * values[0][5]
    X = np.diag([2.0, 2**0.5, 1.0, 1.0])
    best = nv.approximate(X, nv.Linear(), "svd", 2)
    assert question("1-low-rank", 5).is_right(nv.errors(X, nv.Linear(), best).frobenius)
    drawn, moved = (nv.approximate(IRIS.X + by, kernel(IRIS.X), "rff", EIGHT) for by in (0.0, 7.0))
    np.testing.assert_allclose(drawn.diagonal(), question("4-eigengap", 1).answer)
    assert np.array_equal(drawn.frequencies, moved.frequencies)
    assert question("4-eigengap", 2).solution == "The same ones"
    assert question("3-greedy", 6).answer == 10**12 / (10**6 * 1000)


def error_of(drawing, *places):
    """Of a drawing, or of these landmarks on its points."""
    if places:
        drawing = dataclasses.replace(drawing, boards=(on_grid(np.array(places)),))
    (board,) = measure_boards(drawing.text)
    return board.errors.relative_frobenius


def test_by_hand_what_is_asked_is_reached_by_what_the_text_teaches_and_not_by_the_rest():
    start = [Drawing.from_text(step.drawing) for step in lesson_bar.find("6-by-hand").steps]
    asked = [step.question for step in lesson_bar.find("6-by-hand").steps]
    rest = nv.approximate(start[0].boards[0], start[0].kernel, "uniform", 1)
    assert residual_diagonal(start[0].boards[0], start[0].kernel, rest)[0] == 0
    assert asked[0].solution.startswith("0")
    better = {
        1: [(1.2, 1.8), (2.75, 0.85), (3.35, 2.35)],
        2: [(1.1, 1.1), (1.2, 1.8), (1.8, 1.4)],
        3: [(2, 1.5)],
        4: [(1.25, 1.5), (2.75, 1.5)],
    }
    for number, places in better.items():
        assert not asked[number].is_reached(error_of(start[number]), 1)
        found = error_of(start[number], *places)
        assert asked[number].is_reached(found, len(places)) and not asked[number].is_reached(found, 4)
    assert min(error_of(start[3], point) for point in start[3].points) > asked[3].answer
    pairs = ([(2.0, 1.5), point] for point in start[4].points if point[0] != 2)
    assert min(error_of(start[4], *pair) for pair in pairs) > asked[4].answer
    assert asked[5].is_right(error_of(start[5]))


GOOD = """title = "A lesson"
about = "About it."

[[step]]
title = "One"
page = "spectrum"
hidden = ["seed", "sidebar"]
text = '''
Look at $\\\\lambda_1$ and [compare](compare?data=Iris+flowers), where x < y.
'''
[step.parameters]
data = "iris"
spectrum_methods = ["uniform sampling", "k-means centres"]
"""
CHOICE = """[step.question]
ask = "Which is $\\\\lambda_1$?"
choices = ["the largest", "the smallest"]
right = 1
why = "They descend."
"""
THINK = """[step.think]
ask = "B?"
answer = "C."
"""
NUMBER = """[step.question]
ask = "How many?"
answer = 2.5
tolerance = 0.5
why = "So many."
"""
REACH = """[step.question]
ask = "Reach it."
below = 0.3
landmarks = 3
why = "So."
"""


@pytest.mark.parametrize("drawing", ['"gaussian.1"', "3", '"gaussian.3500.0.0.0."\npage = "spectrum"'])
def test_a_drawing_that_cannot_be_shown_is_refused(drawing):
    page = "" if "page" in drawing else '\npage = "playground"'
    step = f'title = "C"\ntext = "D."\ndrawing = {drawing}{page}\n'
    problem = refused(f'title = "A"\nabout = "B."\n[[step]]\n{step}')
    assert problem.startswith("Step 1, drawing: ") and ("damaged" in problem or "alone" in problem)


def refused(content):
    with pytest.raises(LessonError) as caught:
        read(content if isinstance(content, bytes) else content.encode(), "x", PAGES, lesson_bar.knows)
    problem = str(caught.value)
    assert problem.endswith(".") and "\n" not in problem
    return problem


@pytest.mark.parametrize(
    "question,old,new,word",
    [
        ("", 'page = "spectrum"', 'page = "../app"', "there is no page"),
        ("", 'page = "spectrum"', 'page = "home"', "there is no page"),
        ("", 'data = "iris"', "data = 3", "not a text"),
        ("", 'data = "iris"', 'lift_view = "x"', "no control 'lift_view'"),
        ("", '["seed", "sidebar"]', '["x{}</style>"]', "no control"),
        ("", '["seed", "sidebar"]', '"seed"', "a list of names"),
        ("", 'title = "One"', 'title = ""', "needs title"),
        ("", 'title = "One"', 'titel = "One"', "'titel' is not known"),
        ("", 'about = "About it."', 'about = "[x](https://e.org)"', "leads to no page"),
        ("", "where x < y", "<script>alert(1)</script>", "HTML is not shown"),
        ("", "where x < y", "![a](spectrum)", "pictures are not shown"),
        ("", "where x < y", "[a](https://e.org)", "leads to no page"),
        ("", "where x < y", "[a](javascript:alert`1`)", "leads to no page"),
        ("", "where x < y", "https://e.org", "links lead to pages only"),
        ("", "where x < y", "www.e.org", "links lead to pages only"),
        ("", "where x < y", "me@e.org", "links lead to pages only"),
        ("", "where x < y", "[a][b]", "write a link as"),
        ("", "where x < y", "[a](spectrum 'b')", "not closed"),
        ("", "where x < y", "\n[a]: spectrum", "write a link as"),
        ("", "where x < y", "$\\\\href{x}{y}$", "formulas have no links"),
        ("", "where x < y", "\n# Large", "headings"),
        ("", "where x < y", "\u202egpj", "control characters"),
        ("", "where x < y", "z\n" * 800, "characters"),
        (THINK, 'answer = "C."', "", "needs answer"),
        (THINK, 'answer = "C."', 'answers = "C."', "'answers' is not known"),
        (THINK, 'answer = "C."', 'answer = "[x](https://e.org)"', "leads to no page"),
        (CHOICE, 'why = "They', 'hint = ""\nwhy = "They', "needs hint"),
        (CHOICE, 'ask = "Which', 'asks = "Which', "'asks' is not known here"),
        (CHOICE, 'why = "They descend."', 'why = ""', "needs why"),
        (CHOICE, '"the smallest"', '"the largest"', "the same"),
        (CHOICE, '"the smallest"', '"<b>x</b>"', "HTML is not shown"),
        (CHOICE, ', "the smallest"', "", "2 to 6 texts"),
        (CHOICE, "right = 1", "right = 3", "from 1 to 2"),
        (CHOICE, "right = 1", "answer = 1", "one of these"),
        (NUMBER, "answer = 2.5", "answer = nan", "answer is a number"),
        (NUMBER, "answer = 2.5", "answer = 0x" + "f" * 1_900, "answer is a number"),
        (NUMBER, "tolerance = 0.5", "tolerance = -0.5", "0 or more"),
        (REACH, "below = 0.3", "below = 0", "below = 0.3"),
        (REACH, "landmarks = 3", "landmarks = 41", "from 1 to 40"),
        (REACH, "landmarks = 3", "", "from 1 to 40"),
        (REACH, "below", "below", "on the page playground alone"),
    ],
)
def test_each_problem_has_its_place_and_a_sentence(question, old, new, word):
    assert old in GOOD + question
    problem = refused((GOOD + question).replace(old, new))
    assert word in problem
    place = "Step 1, think" if question == THINK else "Step 1, question"
    assert problem.startswith(place if question else ("Step 1, ", "The lesson, "))


def test_files_that_are_no_lessons_are_refused():
    assert "not TOML" in refused("title = ") and refused("a = 1\nb = ").startswith("Line 2")
    assert "UTF-8" in refused(b"title = '\xff'")
    assert "larger than" in refused(b"#" * (reading.MOST_BYTES + 1))
    assert "needs title" in refused("")
    for steps in ("", "step = [1, 2]", "step = 3"):
        assert "needs steps" in refused(f'title = "a"\nabout = "b"\n{steps}')
    assert "at most 8 steps" in refused(GOOD + GOOD[GOOD.index("[[step]]") :] * 8)
    assert refused("a = " + "[" * 5_000 + "]" * 5_000)
    assert "parameters" in refused(GOOD.split("[step.parameters]")[0] + "parameters = 3")
    assert "[step.question]" in refused(GOOD.replace("hidden", "question = 3\nhidden"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "mine.toml").write_text(GOOD)
    (tmp_path / "secret.toml").write_text(GOOD)
    monkeypatch.setenv("NYSVIZ_LESSONS", str(inside))
    return inside


OUTSIDE = ("../secret", "..%2fsecret", "/etc/passwd", "C:\\x", "inside/../../secret", "a\0b")


def test_neither_a_name_nor_a_link_leads_into_another_folder(folder):
    (folder / "out.toml").symlink_to(folder.parent / "secret.toml")
    (folder / "round.toml").symlink_to(folder / "round.toml")
    (folder / "in.toml").symlink_to(folder / "mine.toml")
    (folder / "folder.toml").mkdir()
    for name in ("out", "round", "folder", *OUTSIDE, "", ".", "mine.toml", "MINE"):
        with pytest.raises(ValueError, match="There is no lesson"):
            reading.content_of(name)
    # What a teacher has put there is there for all.
    assert reading.names() == (*TWELVE, "in", "mine") and lesson_bar.find("mine").name == "mine"


@pytest.mark.parametrize(
    "content, said",
    [
        (b"\n" * 95_000, "has 95001 lines; a lesson has at most 1000"),
        # 33 seconds in the reader of TOML.
        (b"a." * 45_000 + b"a = 1", "has 90005 characters"),
        (b"a = " + b"9" * 5_000, "has 5004 characters"),
        (GOOD.replace('"spectrum"\n', "0x" + "f" * 1_900 + "\n").encode(), "no page that is no text"),
        ("\n".join(f"k{i} = 1" for i in range(900)).encode(), "'k0' is not known"),
        (b"a = " + b"[" * 900 + b"]" * 900, "not TOML"),
    ],
    ids=["newlines", "parts", "digits", "hexadecimal", "keys", "nested"],
)
def test_a_hostile_file_is_refused_before_it_takes_long(content, said):
    start = time.process_time()
    assert said in refused(content)
    # Seconds where it is read as it is.
    assert time.process_time() - start < 2


def test_every_page_has_terms_and_every_term_a_page():
    assert {page for term in terms() for page in term["pages"]} == set(shown_pages())
    assert len({term["name"] for term in terms()}) == len(terms()) >= 40
    assert all(f"**{term['name']}.** {term['text']}" in glossary(term["pages"][0]) for term in terms())
