"""What a page raises and does not catch is one sentence, in its place."""

from nysviz.ui.streamlit_private import FAILED, NO_MEMORY
from tests.browser.serving import serving
from tests.visiting import visit

APP = """import streamlit as st

from nysviz.ui import server

app = st.App("page.py", on_script_error=server.show_error)
"""
PAGE = """import streamlit as st

from nysviz.refusal import Refusal
from nysviz.ui.page import configure

configure()


def fail():
    match st.query_params.get("error"):
        case "fault":
            raise ValueError("operands could not be broadcast together")
        case "memory":
            raise MemoryError
        case "refusal":
            raise Refusal("Choose fewer landmarks.")


st.fragment(fail)() if "part" in st.query_params else fail()
"""


def test_an_error_is_a_sentence(tmp_path):
    script = tmp_path / "app.py"
    script.write_text(APP)
    (tmp_path / "page.py").write_text(PAGE)
    shown = {"fault": FAILED, "memory": NO_MEMORY, "refusal": "Choose fewer landmarks."}
    with serving(script) as server:
        for error in shown:
            for place in ("", "&part=1"):
                session, _ = visit(server.url, "", f"error={error}{place}")
                assert [text for _, text in session.sentences + session.failures] == [shown[error]]
