"""What is not offered, be it data too large or a setting of a link, is one sentence, which goes in time."""

import gzip
import importlib

import pytest

import nysviz as nv
from nysviz.datasets import Dataset
from nysviz.engine.results import size_of
from nysviz.numerics import machine
from nysviz.ui.data import cards
from tests.pages.driving import IRIS, TITLES, iris, m_of, settle, sidebar_alone, start, unopened

CARDS = {card.name: card for card in nv.catalog()}


def opened(**link):
    at = sidebar_alone()
    at.query_params |= link
    return settle(at)


def shown(at):
    return at.text[0].value.rpartition(" ")[0]


def table(rows=40):
    return "\n".join(["c0,c1,c2", *(f"{i % 11},{8 * i % 11 + i / 9},{i / 7}" for i in range(rows))]).encode()


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(machine, "limit_bytes", lambda: 2**30)
    monkeypatch.setattr(machine, "free_bytes", lambda: 2**29)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A data folder of its own, and what puts the named files of a set there, as if they were its own."""
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))

    def put(*names):
        for file in (file for name in names for file in CARDS[name].files):
            (tmp_path / file).write_bytes(gzip.compress(b"nothing") if file.endswith(".gz") else b"nothing")

    return put


@pytest.mark.usefixtures("little_memory")
def test_numbers_that_make_too_large_a_set_are_one_sentence():
    at = opened(data="Gaussian clusters", clusters_n="1000000", clusters_d="50")
    (told,) = [error.value for error in at.error]
    assert "take 408\N{NO-BREAK SPACE}MB with their labels, and one data set may take at most 134" in told
    assert at.text[0].value.split()[0] == "digits"
    assert any("Until then the page shows" in caption.value for caption in at.caption)
    # What was shown last is shown on, from the shared results.
    at.number_input(key="clusters_n").set_value(200)
    assert shown(settle(at)) == "clusters 200 50" and not at.error
    at.number_input(key="clusters_n").set_value(900_000)
    at = settle(at)
    assert shown(at) == "clusters 200 50" and len(at.error) == 1


@pytest.mark.usefixtures("little_memory")
def test_a_set_that_is_too_large_is_neither_offered_nor_read(folder, monkeypatch):
    folder("covtype")
    thumbnails = importlib.import_module("nysviz.studies.thumbnail")
    true_load, read = thumbnails.load, []
    monkeypatch.setattr(thumbnails, "load", lambda name: read.append(name) or true_load(name))
    monkeypatch.setattr(cards, "fetch", lambda name, **_: pytest.fail("fetched"))
    at = opened(data=CARDS["covtype"].title)
    (told,) = [warning.value for warning in at.warning]
    assert "which is not offered here" in told and at.text[0].value.startswith("digits")
    at = settle(unopened("data", {"data_papers": ["Yang 2012", "Oglic 2017"]}))
    keys = {str(button.key) for button in at.button}
    captions = [caption.value for caption in at.caption if caption.value.startswith("Not offered here: ")]
    # covtype is here; the other two would have to be fetched.
    assert len(captions) == 3
    for name in ("covtype", "forest", "ct_slice"):
        assert not {f"data_fetch_{name}", f"data_use_{name}"} & keys
        assert sum(CARDS[name].title.split(",")[0] in caption for caption in captions) >= 1
    assert "data_fetch_elevators" in keys
    assert "covtype" not in read


@pytest.mark.usefixtures("folder")
def test_a_file_with_the_name_of_a_set_that_is_not_here_is_just_a_file():
    at = sidebar_alone()
    at.session_state["own_data"] = nv.parse(table(), "german.csv", False)
    at.query_params["data"] = "Your own file"
    assert shown(settle(at)) == "german 40 3"
    assert not settle(at).warning and not at.error


def test_a_session_holds_no_data_but_its_own_file():
    at = opened(data="Gaussian clusters", clusters_n="5000", clusters_d="7")
    held = at.session_state._state.filtered_state
    assert shown(at) == "clusters 5000 7" and len(held) > 5
    assert size_of(held) < 5000 * 7
    assert not [key for key, value in held.items() if isinstance(value, Dataset)]


def told(at):
    return [one.value.replace("\\", "") for one in at.warning if "The link" in one.value]


@pytest.mark.parametrize(
    "name, value, asked, shown",
    [
        ("method", "no method", 'method "no method"', "k-means centres"),
        ("ratio", "m = 3000", 'ratio "m = 3000"', "5 %"), ("seed", "9" * 400, f'seed "{"9" * 60}…"', "0"),
        ("kernel", "<b>cubic</b>", 'kernel "<b>cubic</b>"', "Gaussian"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_kept_is_named_with_what_is_shown(name, value, asked, shown):
    at = iris(**{name: value})
    for _ in range(2):  # it stays while the page is drawn again
        assert told(at) == [f'The link asks for {asked}, which is not offered here; "{shown}" is shown.']
        settle(at)


@pytest.mark.parametrize(
    "link",
    [
        {"seed": "03", "bandwidth": "2.5e-3", "method": "k-means centres", "ratio": "m = 7"},
        {"of_old": "1", "page_level": "2", "lesson": "none", "sgma_candidates": "-3", "seed": ""},
        {"compare_repeats": "-7", "degree": "99"},  # controls of another page and of another kernel
    ],
)
def test_what_is_kept_or_has_no_control_is_not_named(link):
    assert told(iris(**link)) == []


def test_a_link_may_have_the_names_of_python():
    at = start(data="iris", method="rpcholesky", kernel="laplacian", ratio="10")
    held = [at.session_state[name] for name in ("data", "method", "kernel")]
    assert told(at) == [] and held == ["iris", "rpcholesky", "laplacian"] and m_of(at) == 15


def test_what_cannot_be_read_is_taken_out_of_the_address():
    two = {"axes": "two features"}
    at = iris(seed="inf", bandwidth="x" * 201, map_x="9" * 400, **{"y" * 201: "1"}, ratio="10 %", **two)
    assert dict(at.query_params) == {"data": IRIS.title, "ratio": "10 %", **two}


def test_the_sentence_goes_when_the_control_is_moved_and_none_comes_by_a_move():
    at = iris(ratio="m = 3000", sgma_candidates="-3", degree="99")
    assert len(told(at)) == 1
    at.number_input(key="seed").set_value(1)
    assert told(settle(at)) == [] and m_of(at) == 8
    # The first two bring a control that could not take what the link says of it.
    for control, value in (("kernel", "polynomial"), ("method", "sgma")):
        at.selectbox(key=control).set_value(value)
        assert told(settle(at)) == []
    at.number_input(key="seed").set_value(2)
    assert told(settle(at)) == []


def test_a_state_with_data_that_are_not_here_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    at = sidebar_alone()
    at.query_params["data"] = IRIS.title
    at = settle(at)
    assert at.text[0].value.startswith("iris ") and told(at) == []
    at.query_params |= {"data": TITLES["german"], "seed": "7"}
    at = settle(at)
    asked, shown = f'The link asks for data "{TITLES["german"]}"', TITLES["digits"]
    assert told(at) == [f'{asked}, which is not offered here; "{shown}" is shown.']
    assert at.text[0].value.startswith("digits ") and at.number_input(key="seed").value == 7
