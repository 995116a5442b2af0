"""The state of the app: read, gone to, stepped back from; what a link may carry; the presentation view."""

import ast
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.ui.state import UNBOUND, is_known
from tests.pages.driving import PATIENCE_SECONDS, TITLES, sidebar_alone

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(file.stem for file in (ROOT / "pages").glob("*.py"))


def controls():
    import streamlit as st

    from nysviz.ui import state

    state.begin()
    data = st.selectbox("data", ["Iris flowers", "Digits", "mine"], key="data", bind="query-params")
    knob = st.number_input("knob", value=300, key="clusters_n", bind="query-params")
    level = st.slider("level", 0, 10, 3, key="page_level", bind="query-params")
    several = st.multiselect("several", list("uvw"), default=["u"], key="page_several", bind="query-params")
    later = st.slider("later", 0, 9, key="page_later", bind="query-params") if level > 5 else None
    name = state.address.page()

    def away():
        state.go(state.State(name, {"page_level": "9", "page_several": ("v", "w"), "page_later": "4"}))

    @st.fragment
    def part():
        letter = st.selectbox("letter", ["p", "q", "r"], key="page_letter", bind="query-params")
        state.note()
        if st.button("go here", key="go_here"):
            away()
        st.button("go from a callback", key="go_callback", on_click=away)
        st.text(f"{data} {knob} {level} {several} {later} {letter}")

    part()
    for step in ("undo", "redo", "reset"):
        st.button(step, key=step, on_click=getattr(state, step))
    st.button("put", key="put", on_click=lambda: state.put("map_x", "2"))


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
    """Return the parameters of the address; AppTest gives one value now as a text, now as a list of one."""
    return {name: [value] if isinstance(value, str) else value for name, value in at.query_params.items()}


@pytest.mark.parametrize("button", ["go_here", "go_callback"])
def test_go_overrides_what_controls_hold_and_gives_the_rest_its_defaults(button):
    at = opened(data="Digits", page_letter="q")
    at.slider(key="page_level").set_value(7)
    at.number_input(key="clusters_n").set_value(55)
    done(at)
    at.slider(key="page_later").set_value(8)
    assert shown(done(at)) == "Digits 55 7 ['u'] 8 q"
    at.button(key=button).click()
    assert shown(done(at)) == "Iris flowers 300 9 ['v', 'w'] 4 p"
    assert link(at) == {"page_level": ["9"], "page_several": ["v", "w"], "page_later": ["4"]}
    # Once there, the controls are free again.
    at.selectbox(key="page_letter").set_value("r")
    at.slider(key="page_level").set_value(6)
    assert shown(done(at)) == "Iris flowers 300 6 ['v', 'w'] 4 r"


def test_reset_keeps_the_data_set_with_its_knobs():
    at = opened(data="Digits", clusters_n="40", page_level="8", page_later="2", page_letter="q")
    at.button(key="reset").click()
    assert shown(done(at)) == "Digits 40 3 ['u'] None p"
    at.button(key="undo").click()
    assert shown(done(at)) == "Digits 40 8 ['u'] 2 q"


def test_undo_and_redo_walk_along_the_latest_states(monkeypatch):
    monkeypatch.setattr("nysviz.ui.state.MOST_STEPS", 4)
    at = opened(page_level="1")
    for level in "2678":
        at.query_params["page_level"] = level
        done(at)
        done(at)  # nothing has changed: the same state is one
    for level in "762":
        at.button(key="undo").click()
        assert link(done(at)) == {"page_level": [level]}
        assert shown(at).split()[3] == level
    at.button(key="redo").click()
    assert link(done(at)) == {"page_level": ["6"]} and shown(at).split()[3] == "6"
    at.query_params["page_level"] = "9"
    done(at)
    at.button(key="redo").click()
    assert link(done(at)) == {"page_level": ["9"]}, "a new change ends what could be done again"
    for k in range(9):
        at.query_params["page_level"] = str(k)
        done(at)
    past = at.session_state["state_past"]
    assert [state.parameters["page_level"] for state in past] == ["4", "5", "6", "7"]


def test_every_bound_control_has_a_name_that_bookmarks_know():
    found = set()
    for file in [*(ROOT / "nysviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        for call in ast.walk(ast.parse(file.read_text())):
            if not isinstance(call, ast.Call):
                continue
            arguments = {argument.arg: argument.value for argument in call.keywords}
            # Of the controls of nysviz.ui.inputs the key is the third argument, of numbers the fifth.
            name = getattr(call.func, "id", "")
            at = 2 if name in ("box", "stops", "segments", "several", "pills") else 4 * (name == "number")
            key = call.args[at] if 0 < at < len(call.args) else arguments.get("key")
            if (at or "bind" in arguments) and isinstance(key, ast.Constant):
                found.add(key.value)
    assert len(found) > 40
    assert [name for name in sorted(found | set(UNBOUND)) if not is_known(name, PAGES)] == []
    assert is_known("kmeans_iterations", PAGES) or any(
        is_known(f"{name}_{option.name}", PAGES) for name in nv.METHODS for option in nv.METHODS[name].options
    )
    assert not is_known("own_upload", PAGES) and not is_known("__proto__", PAGES)


def test_undo_keeps_a_file_that_was_sent_and_links_name_no_column():
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
    at.query_params["data"] = "Your own file"
    at.query_params["axes"] = "two features"
    done(at)
    assert link(at) == {"map_x": ["1"], "data": ["Your own file"], "axes": ["two features"]}
    assert "patient" not in str(link(at))
    at.button(key="away").click()
    assert done(at).text[0].value != mine[0] and at.text[1].value == "None"
    at.button(key="undo").click()
    assert [text.value for text in done(at).text] == mine


@pytest.mark.parametrize("wrong", ["abc", "99", "-1"])
def test_a_feature_that_is_not_there_is_ignored(wrong):
    at = sidebar_alone()
    at.query_params |= {"data": TITLES["iris"], "axes": "two features", "map_x": "2", "map_y": wrong}
    assert done(at).text[1].value == "(2, 1)"


def test_a_link_made_with_a_file_says_what_is_shown_instead():
    at = sidebar_alone()
    at.query_params["data"] = "Your own file"
    done(at)
    assert at.main.info[0].value.startswith("This address is that of an uploaded file")
    assert at.main.info[0].value.endswith(f"the page shows {TITLES['digits']}.")
    assert at.text[0].value.startswith("digits ")
    at.file_uploader(key="own_upload").set_value(("a.csv", b"a,b\n1,2\n3,4\n5,7\n", "text/plain"))
    assert len(done(at).main.info) == 0
