"""What a page raises and does not catch is one sentence, in its place; no page waits for another for good."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.classroom.session import Session
from benchmarks.classroom.student import until_over
from nysviz.ui.streamlit_private import FAILED, NO_MEMORY
from tests.browser.serving import ROOT, serving
from tests.visiting import PATIENCE_SECONDS, visit

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


@pytest.mark.slow
def test_a_class_that_comes_with_the_start_of_the_server_sees_the_page():
    async def charts_of(url, late):
        await asyncio.sleep(late)
        session, until = Session(url), time.monotonic() + PATIENCE_SECONDS
        await until_over(session, await session.open("approximate", ""), PATIENCE_SECONDS)
        # Between two parts of a cold page nothing runs for a moment.
        while not session.screen.charts() and time.monotonic() < until:
            await session.news(1.0)
        drawn = len(session.screen.charts())
        await session.close()
        return drawn

    async def come_in(url):
        return await asyncio.gather(*(charts_of(url, number / 10) for number in range(80)))

    with serving(ROOT / "app.py") as server, ThreadPoolExecutor(1) as pool:
        assert min(pool.submit(asyncio.run, come_in(server.url)).result()) > 0
