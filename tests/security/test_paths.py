"""Names that lead out of a folder: as a data set, a lesson, a page, or in a lesson's file."""

import pytest
from click.testing import CliRunner

import nysviz as nv
from nysviz.__main__ import main
from nysviz.datasets import fetch
from tests.pages.driving import unopened

OUTSIDE = ("/etc/passwd", "..", "", "iris/../../x", "iris\x00", "file:///etc/passwd", "~/x", "C:\\x")
UP = ("../x", "/etc/passwd", "../../datasets/catalog", "https://evil.invalid/x")


@pytest.fixture
def secret(tmp_path, monkeypatch):
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


def test_a_link_to_other_data_is_ignored(secret):
    at = unopened("spectrum", {"data": "../x"}).run()
    assert at.session_state["data"] in {card.name for card in nv.catalog()} and not at.error
