"""What a link asks for and the page cannot show is one sentence, which goes when the visitor goes on."""

import pytest

from tests.pages.driving import IRIS, TITLES, iris, m_of, settle, sidebar_alone, start


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
        assert told(at) == [f"The link asks for {asked}, which is not offered here; shown: {shown}."]
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
    held = [at.session_state[name] for name in ("data", "method", "kernel", "ratio")]
    assert told(at) == [] and held == ["iris", "rpcholesky", "laplacian", 10]


def test_what_cannot_be_read_is_taken_out_of_the_address():
    at = iris(seed="inf", bandwidth="x" * 201, map_x="9" * 400, **{"y" * 201: "1"}, ratio="10 %")
    assert dict(at.query_params) == {"data": IRIS.title, "ratio": "10 %"}


def test_the_sentence_goes_when_the_control_is_moved_and_none_comes_by_a_move():
    at = iris(ratio="m = 3000", sgma_candidates="-3", degree="99")
    assert len(told(at)) == 1
    at.select_slider(key="ratio").set_value(10)
    assert told(settle(at)) == [] and m_of(at) == 15
    # The first two bring a control that could not take what the link says of it.
    for control, value in (("kernel", "polynomial"), ("method", "sgma")):
        at.selectbox(key=control).set_value(value)
        assert told(settle(at)) == []
    at.select_slider(key="ratio").set_value(5)
    assert told(settle(at)) == []


def test_a_state_with_data_that_are_not_here_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("NYSVIZ_DATA", str(tmp_path))
    at = sidebar_alone()
    at.query_params["data"] = IRIS.title
    at = settle(at)
    assert at.text[0].value.startswith("iris ") and told(at) == []
    at.button(key="away").click()
    at = settle(at)
    asked, shown = f'The link asks for data "{TITLES["german"]}"', TITLES["digits"]
    assert told(at) == [f"{asked}, which is not offered here; shown: {shown}."]
    assert at.text[0].value.startswith("digits ") and at.number_input(key="seed").value == 7
