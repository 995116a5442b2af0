"""The settings: taken from an address, written to it, and kept while pages come and go."""

import ast
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.ui import inputs
from nysviz.ui.settings import is_known
from tests.pages.driving import PATIENCE_SECONDS, TITLES, sidebar_alone

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(file.stem for file in (ROOT / "pages").glob("*.py"))


def controls():
    import streamlit as st

    from nysviz.ui import inputs, settings

    settings.begin(st.session_state.get("page_name", "lift"))
    most = inputs.number("knob", 1, 400, 300, "clusters_n")
    inputs.words("words", "lift_words")
    level = inputs.stops("level", range(min(11, most)), "lift_level", 3)
    several = inputs.several("several", "uvw", "lift_several", ["u"], str)
    later = inputs.slider("later", 0, 9, 0, "lift_later") if level > 5 else None

    @st.fragment
    def part():
        letter = inputs.box("letter", "pqr", "lift_letter", names=str.upper)
        is_on = inputs.switch("on", "lift_on")
        half = inputs.number("half", 0.0, 1.0, 0.5, "lift_half")
        settings.write()
        st.text(f"{most} {level} {list(several)} {later} {letter} {is_on} {half}")

    part()
    state = {"lift_level": "9", "lift_several": ("v", "w"), "lift_later": "4"}
    st.button("take", key="take", on_click=settings.take, args=("lift", state))


def opened(**link):
    at = AppTest.from_function(controls, default_timeout=PATIENCE_SECONDS)
    at.query_params |= link
    return done(at)


def done(at):
    at.run()
    assert not at.exception, [problem.value for problem in at.exception]
    return at


def shown(at):
    return at.text[0].value


def link(at):
    """Return the parameters of the address but the data; AppTest gives a value as a text or a list of one."""
    texts = {name: [value] if isinstance(value, str) else value for name, value in at.query_params.items()}
    assert texts.pop("data")
    return texts


def test_a_control_shows_what_the_address_says_and_writes_where_it_is_moved():
    at = opened(lift_letter="Q", lift_several=["w", "u"], lift_on="true", lift_half="0.25", clusters_n="40")
    assert shown(at) == "40 3 ['u', 'w'] None q True 0.25" or shown(at) == "40 3 ['w', 'u'] None q True 0.25"
    at.selectbox(key="lift_letter").set_value("r")
    at.multiselect(key="lift_several").set_value([])
    at.select_slider(key="lift_level").set_value(7)
    at.number_input(key="lift_half").set_value(0.5)
    assert shown(done(at)) == "40 7 [] 0 r True 0.5"
    wanted = {"lift_letter": ["R"], "lift_several": [""], "lift_level": ["7"], "lift_on": ["true"]}
    assert link(at) == {**wanted, "clusters_n": ["40"]}
    # The address alone gives the same page to somebody else.
    assert shown(opened(**dict(at.query_params))) == shown(at)


def test_an_option_may_be_named_by_itself():
    at = opened(lift_letter="q")
    assert shown(at).split()[4] == "q" and link(at)["lift_letter"] == ["Q"]
    at.number_input(key="clusters_n").set_value(5)
    assert link(done(at)) == {"lift_letter": ["Q"], "clusters_n": ["5"]}


def test_another_address_gives_what_it_does_not_name_its_defaults():
    at = opened(lift_level="8", lift_letter="Q", clusters_n="55")
    at.slider(key="lift_later").set_value(8)
    assert shown(done(at)) == "55 8 ['u'] 8 q False 0.5"
    at.query_params.clear()
    at.query_params |= {"data": TITLES["iris"], "lift_level": "6"}
    assert shown(done(at)) == "300 6 ['u'] 0 p False 0.5"
    # Once there, the controls are free again.
    at.select_slider(key="lift_level").set_value(2)
    assert shown(done(at)).split()[1] == "2" and link(at) == {"lift_level": ["2"]}


def test_a_state_is_taken_by_a_button():
    at = opened(lift_letter="Q")
    at.button(key="take").click()
    assert shown(done(at)) == "300 9 ['v', 'w'] 4 p False 0.5"
    assert link(at) == {"lift_level": ["9"], "lift_several": ["v", "w"], "lift_later": ["4"]}


def test_a_click_in_the_menu_has_an_empty_address_and_changes_nothing():
    at = opened(lift_level="8", lift_later="3")
    at.query_params.clear()
    assert shown(done(at)) == "300 8 ['u'] 3 p False 0.5"
    # The browser completes it in place: written from here it would be a second step of its history.
    assert not dict(at.query_params)
    wanted = {"data": [TITLES["digits"]], "lift_level": ["8"], "lift_later": ["3"]}
    assert parse_qs(at.session_state["settings_missing_address"]) == wanted
    # A control that is moved then is a step, and the address has it all.
    at.select_slider(key="lift_level").set_value(7)
    done(at)
    assert link(at) == {"lift_level": ["7"], "lift_later": ["3"]}
    at.slider(key="lift_later").set_value(2)
    done(at)
    assert not at.session_state["settings_missing_address"]


def test_another_page_from_the_menu_is_one_step_of_the_history_also_with_other_settings():
    at = opened(lift_level="8", seed="7")
    at.query_params.clear()
    at.session_state["page_name"] = "two_balls"
    done(at)
    assert not dict(at.query_params)
    wanted = {"data": [TITLES["digits"]], "seed": ["7"]}
    assert parse_qs(at.session_state["settings_missing_address"]) == wanted


def test_a_control_that_is_moved_before_the_browser_has_the_last_address_undoes_nothing():
    at = opened(lift_level="4")
    before = dict(at.query_params)
    at.select_slider(key="lift_level").set_value(7)
    after = dict(done(at).query_params)
    at.query_params.clear()
    at.query_params |= before
    at.slider(key="lift_later").set_value(2)
    assert shown(done(at)).split()[1] == "7" and link(at) == {"lift_level": ["7"], "lift_later": ["2"]}
    # The same address without a move is the browser's Back.
    at.query_params.clear()
    at.query_params |= before
    assert shown(done(at)).split()[1] == "4" and after != before


def test_a_text_that_is_emptied_leaves_the_address():
    at = opened(lift_words="some")
    at.text_input(key="lift_words").set_value("")
    assert link(done(at)) == {}


def test_a_control_that_is_away_keeps_its_setting():
    at = opened(lift_level="8", lift_later="3")
    at.select_slider(key="lift_level").set_value(1)
    assert shown(done(at)).split()[3] == "None"
    at.select_slider(key="lift_level").set_value(9)
    assert shown(done(at)).split()[3] == "3"


def test_a_number_that_is_not_offered_any_more_moves_to_the_nearest():
    at = opened(lift_level="9")
    at.number_input(key="clusters_n").set_value(5)
    assert shown(done(at)).split()[1] == "4" and link(at) == {"clusters_n": ["5"], "lift_level": ["4"]}


@pytest.mark.parametrize(
    "name, text, shows",
    [
        ("lift_letter", "x", "P"), ("lift_level", "12", "3"), ("lift_half", "2", "0.5"),
        ("lift_half", "nan", "0.5"), ("clusters_n", "1e999", "300"), ("clusters_n", "2.5", "300"),
        ("lift_on", "maybe", "false"),
    ],
)  # fmt: skip
def test_what_a_control_cannot_have_is_said_until_one_is_moved(name, text, shows):
    at = opened(**{name: text})
    assert shown(at) == "300 3 ['u'] None p False 0.5" and link(at) == {}
    words = name.replace("_", r"\_").replace(r"\_", " ")
    (said,) = [warning.value.replace("\\", "") for warning in at.warning]
    assert said == f'The link asks for {words} "{text}", which is not offered here; "{shows}" is shown.'
    at.select_slider(key="lift_level").set_value(4)
    assert not done(at).warning


def test_what_some_of_several_are_not_is_said():
    at = opened(lift_several=["v", "nonsense"])
    assert shown(at).startswith("300 3 ['v']") and '"v" is shown.' in at.warning[0].value


def test_names_of_no_control_leave_the_address():
    at = opened(lift_level="4", utm_source="x", compare_repeats="3")
    assert link(at) == {"lift_level": ["4"]} and not at.warning


def test_every_control_has_a_name_that_its_page_knows():
    names = set()
    for file in [*(ROOT / "nysviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        for call in ast.walk(ast.parse(file.read_text())):
            # The key is the third argument, of numbers the fifth, of switches the second.
            position = {"number": 4, "slider": 4, "switch": 1, "words": 1}
            position |= dict.fromkeys(("box", "stops", "segments", "several", "pills"), 2)
            at = position.get(getattr(getattr(call, "func", None), "id", ""))
            if at is not None and len(call.args) > at and isinstance(call.args[at], ast.Constant):
                names.add(call.args[at].value)
    assert len(names) > 40
    assert [name for name in sorted(names) if not any(is_known(name, page) for page in PAGES)] == []
    options = (f"{name}_{option.name}" for name in nv.METHODS for option in nv.METHODS[name].options)
    assert all(is_known(name, "lift") for name in options)
    assert not any(is_known(name, page) for name in ("own_upload", "__proto__") for page in PAGES)


def test_a_file_stays_and_links_name_no_column_of_it():
    secret = "weight of the patient,age of the patient,height\n"
    rows = np.random.default_rng(3).standard_normal((40, 3))
    content = (secret + "\n".join(",".join(f"{x:.5f}" for x in row) for row in rows)).encode()
    at = sidebar_alone()
    at.query_params["data"] = TITLES["iris"]
    done(at)
    at.selectbox(key="data").set_value("Your own file")
    done(at).file_uploader(key="own_upload").set_value(("mine.csv", content, "text/plain"))
    done(at).button(key="own_use").click()
    done(at).selectbox(key="axes").set_value("two features")
    done(at)
    first = next(box for box in at.selectbox if box.label == "x")
    assert first.options[1] == "1: age of the patient"
    first.set_value(1)
    mine = [text.value for text in done(at).text]
    assert mine[1] == "(1, 1)"
    back = dict(at.query_params)
    assert link(at) == {"map_x": ["1"], "axes": ["two features"]}
    at.query_params.clear()
    at.query_params["data"] = "German credit"
    assert done(at).text[0].value != mine[0] and at.text[1].value == "None"
    at.query_params |= back
    assert [text.value for text in done(at).text] == mine


@pytest.mark.parametrize("wrong", ["abc", "99", "-1"])
def test_a_feature_that_is_not_there_is_the_first(wrong):
    at = sidebar_alone()
    at.query_params |= {"data": TITLES["iris"], "axes": "two features", "map_x": "2", "map_y": wrong}
    assert done(at).text[1].value == "(2, 1)" and "map y" in at.warning[0].value


def test_a_link_made_with_a_file_says_what_is_shown_instead():
    at = sidebar_alone()
    at.query_params["data"] = "Your own file"
    done(at)
    assert at.main.info[0].value.startswith("This address is that of an uploaded file")
    assert at.main.info[0].value.endswith(f"the page shows {TITLES['digits']}.")
    assert at.text[0].value.startswith("digits ")
    at.file_uploader(key="own_upload").set_value(("a.csv", b"a,b\n1,2\n3,4\n5,7\n", "text/plain"))
    assert len(done(at).main.info) == 0


def narrowing():
    import streamlit as st

    from nysviz.ui import inputs, settings

    settings.begin("compare")
    few = st.session_state.get("few", False)
    method = inputs.box(
        "method", ["kmeans", "uniform"] if few else ["kmeans", "svd"], "method", names=inputs.method_label
    )
    several = inputs.several(
        "several", ["kmeans"] if few else ["kmeans", "svd"], "compare_methods", ["kmeans"]
    )
    settings.write()
    st.text(f"{method} {list(several)}")
    st.button("narrow", on_click=lambda: st.session_state.update(few=True))


def test_a_choice_that_a_page_no_longer_offers_is_not_recorded():
    """A visitor picks from the list that the page has just withdrawn: his browser sends what he saw."""
    at = done(AppTest.from_function(narrowing, default_timeout=PATIENCE_SECONDS))
    assert shown(at) == "kmeans ['kmeans']"
    at.button[0].click()
    done(at)
    best = inputs.method_label("svd")
    at.selectbox[0].options.append(best)
    at.selectbox[0].set_value("svd")
    assert shown(done(at)) == "kmeans ['kmeans']"
    at.multiselect[0].options.append(best)
    at.multiselect[0].set_value(["kmeans", "svd"])
    assert shown(done(at)) == "kmeans ['kmeans']"
    at.selectbox[0].set_value("uniform")
    assert shown(done(at)) == "uniform ['kmeans']"
