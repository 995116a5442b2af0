"""Names that lead out of a folder: as a data set, a lesson, a page, in bookmarks or in a lesson's file."""

import json

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.__main__ import main
from nysviz.datasets import fetch
from nysviz.lessons.reading import LessonError, read
from nysviz.ui import lesson_bar
from nysviz.ui.bookmarks import FORMAT, from_file
from tests.pages.driving import APP, PATIENCE_SECONDS, settle

OUTSIDE = (
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    "",
    "iris/../../x",
    "iris\x00",
    "file:///etc/passwd",
    "~/x",
    "C:\\x",
)
PAGES = sorted(file.stem for file in (APP.parent / "pages").glob("*.py"))
UP = ("../x", "/etc/passwd", "../../datasets/catalog", "https://evil.invalid/x")


@pytest.fixture
def secret(tmp_path, monkeypatch):
    """A data folder beside a file that nobody may read, and nothing opened outside it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "x").write_text("1 1:1\n")
    (tmp_path / "x.toml").write_text('title = "no"\n')
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path / "data"))
    return tmp_path


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_data_set_is_a_name_of_the_catalog(name, secret):
    for ask in (nv.load, fetch):
        with pytest.raises(ValueError, match="There is no data set called") as problem:
            ask(name)
        assert str(problem.value).endswith(".") and "\n" not in str(problem.value)
    assert not list((secret / "data").iterdir())


@pytest.mark.parametrize("name", UP)
def test_the_command_line_refuses_in_a_sentence(name, secret):
    told = CliRunner().invoke(main, ["fetch", name])
    assert told.exit_code == 1 and isinstance(told.exception, SystemExit)
    assert "no data set called" in told.output and "Traceback" not in told.output
    assert sorted(path.name for path in secret.iterdir()) == ["data", "x", "x.toml"]


@pytest.mark.parametrize("name", UP)
def test_a_link_to_other_data_is_ignored(name, secret):
    at = AppTest.from_file(str(APP.parent / "pages" / "spectrum.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params["data"] = name
    settle(at)
    assert at.session_state["data"] in {card.name for card in nv.catalog()} and not at.error


@pytest.mark.parametrize("name", UP)
def test_a_link_to_a_lesson_elsewhere_is_one_sentence(name):
    at = AppTest.from_file(str(APP.parent / "pages" / "lessons.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"lesson": name, "step": "1"}
    settle(at)
    assert len(at.error) == 1 and "no lesson" in at.error[0].value


@pytest.mark.parametrize(
    "page", ["../../etc/passwd", "/etc/passwd", "../app", "home.py", "https://evil.invalid"]
)
def test_bookmarks_links_and_lessons_lead_to_pages_alone(page):
    entry = {"name": "x", "page": page, "parameters": {}}
    content = json.dumps({"format": FORMAT, "version": 1, "bookmarks": [entry]}).encode()
    assert from_file(content, PAGES) == ([], 1)
    toml = f'title = "a"\nabout = "b"\n[[step]]\ntitle = "c"\ntext = "d"\npage = {json.dumps(page)}\n'
    with pytest.raises(LessonError) as problem:
        read(toml.encode(), "own", lesson_bar.shown_pages(), lesson_bar.knows)
    assert "there is no page" in str(problem.value)


def test_parameters_of_a_bookmark_are_those_of_controls():
    state = {
        "__class__": "x",
        "../x": "y",
        "own_data": "z",
        "stopped_runs": "z",
        "lesson_own": "z",
        "data": "iris",
    }
    entry = {"name": "x", "page": "compare", "parameters": state}
    content = json.dumps({"format": FORMAT, "version": 1, "bookmarks": [entry]}).encode()
    ((one,), left) = from_file(content, PAGES)
    assert dict(one.state.parameters) == {"data": "iris"} and left == 0
