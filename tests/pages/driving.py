"""Run the app without a browser, until nothing is left to compute, and read its charts and numbers."""

from __future__ import annotations

import base64
import json
import math
import re
import time
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import ANY
from urllib.parse import parse_qs

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.analysis.spectrum import best_errors
from nysviz.engine.shared import engine
from nysviz.ui.hand import ASKED
from nysviz.ui.running import DRAW_SECONDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "pages"
APP = ROOT / "nysviz" / "ui" / "main.py"
# Nothing here takes long; a busy machine may.
PATIENCE_SECONDS = 240.0
CHARTS = ("map", "picture_K", "picture_approximation", "picture_residual", "spectrum", "curve")
IRIS = nv.load("iris")
SIGMA = math.sqrt(nv.default_width(IRIS.X) / 2.0)
KERNEL = nv.Gaussian(SIGMA)
# The sidebar's kernels, as they are for iris at first.
KERNELS = {
    "Gaussian": KERNEL, "Laplacian": nv.Laplacian(SIGMA), "Matérn": nv.Matern(1.5, SIGMA),
    "rational quadratic": nv.RationalQuadratic(1.0, SIGMA), "linear": nv.Linear(),
    "inverse distance": nv.InverseDistance(SIGMA, 1.0), "polynomial": nv.Polynomial(2, 1.0),
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
TITLES = {card.name: card.title for card in nv.catalog()}
# Views of pages with runs or with more than one view: the page, and its link with few runs.
VIEWS = {
    "quantization": ("quantization", {"quantization_runs": "10"}), "lift": ("lift", {"lift_repeats": "1"}),
    "compare": ("compare", {"compare_repeats": "3"}), "learning": ("learning", {"learning_repeats": "5"}),
    "features": ("learning", {"learning_view": "Random features"}),
    "bounds, relative": ("bounds", {"bounds_view": "Oglic, Li: best rank k"}),
    "recommend": (
        "recommend", {"recommend_goal": "Copy K", "recommend_methods": nv.METHODS["uniform"].label},
    ),
}  # fmt: skip


def start(page: str = "approximate", **link: Any) -> AppTest:
    """Open a page of the app by a link whose parameters are labels, as the app itself writes them."""
    at = AppTest.from_file(str(APP), default_timeout=PATIENCE_SECONDS)
    at.switch_page(f"../../pages/{page}.py")
    at.query_params |= link
    if page == "approximate":
        ask_for_frames(at)
    return settle(at)


def ask_for_frames(at: AppTest) -> None:
    """Ask for the frames of Approximate's slider, as a browser does when its page is at rest."""
    at.session_state[ASKED] = ANY


def unopened(page: str, link: Mapping[str, Any] = MappingProxyType({}), own: Any = None) -> AppTest:
    """Return a page of the app, to be run, at a link with iris or a data set of one's own."""
    at = AppTest.from_file(str(APP), default_timeout=PATIENCE_SECONDS)
    at.switch_page(f"../../pages/{page}.py")
    at.query_params |= {"data": IRIS.title, **link}
    if page == "approximate":
        ask_for_frames(at)
    if own is not None:
        at.session_state["own_data"] = own
        at.query_params["data"] = "Your own file"
    return at


def opened(page: str, **link: Any) -> AppTest:
    """Open a page with iris, until nothing is left to compute and without a problem."""
    return settled(unopened(page, link))


def follow(at: AppTest, label: str) -> AppTest:
    """Go where a link to a page leads, as a click in the browser does."""
    link = next(link.proto for link in at.get("page_link") if link.proto.label == label)
    at._page_hash = link.page_script_hash
    at.query_params.clear()
    at.query_params |= parse_qs(link.query_string, keep_blank_values=True)
    return settle(at)


def sidebar_alone() -> AppTest:
    """Return a page of nothing but the shared sidebar, to be run: its text says which data it has."""

    def page():
        import streamlit as st

        from nysviz.studies.code import data_code
        from nysviz.ui import page, settings
        from nysviz.ui.controls import choose_axes
        from nysviz.ui.sidebar.scene import shared_sidebar

        page.open_page("data")
        scene = shared_sidebar()
        st.code(data_code(scene))
        st.text(f"{scene.data.name} {scene.data.n} {scene.data.d} {scene.data.digest}")
        st.text(str(choose_axes(scene)))
        settings.write()

    return AppTest.from_function(page, default_timeout=PATIENCE_SECONDS)


def settle(at: AppTest) -> AppTest:
    """Run, and again while the page shows that a result is still being computed."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    at.run()
    while at.get("progress"):
        assert time.monotonic() < deadline, [bar.proto.text for bar in at.get("progress")]
        wait_for_work()
        at.run()
    assert not at.exception, [problem.value for problem in at.exception]
    return at


def wait_for_work() -> None:
    """Wait until nothing is being computed behind the pages, but no longer than between drawings of a page.

    To draw the page again at once would take the processor from the very work that is waited for.
    """
    deadline = time.monotonic() + DRAW_SECONDS
    queue = engine().queue
    while time.monotonic() < deadline and (queue.running or queue.waiting):
        time.sleep(0.01)


def settled(at: AppTest) -> AppTest:
    """Run until nothing is left to compute, and assert that no sentence about a problem is shown."""
    settle(at)
    assert [problem.value for problem in at.error] == []
    return at


def charts(at: AppTest) -> dict[str, dict[str, Any]]:
    found = {
        chart.proto.id.rsplit("-", 1)[-1]: json.loads(chart.proto.spec) for chart in at.get("plotly_chart")
    }
    for figure in found.values():
        # Charts are written as plain data: plotly checks every word of them here.
        go.Figure({**figure, "frames": figure.get("frames", [])[:1]})
    return {key: decoded(figure) for key, figure in found.items()}


def decoded(part: Any) -> Any:
    if isinstance(part, dict):
        if "bdata" in part:
            flat = np.frombuffer(base64.b64decode(part["bdata"]), dtype=part["dtype"])
            return flat.reshape([int(size) for size in str(part.get("shape", flat.size)).split(",")])
        return {name: decoded(value) for name, value in part.items()}
    return [decoded(value) for value in part] if isinstance(part, list) else part


def sound(at: AppTest) -> dict[str, dict[str, Any]]:
    """Assert that the page is complete and without an error; return its charts."""
    assert [problem.value for problem in at.error] == []
    found = charts(at)
    assert set(found) == set(CHARTS)
    return found


def m_of(at: AppTest) -> int:
    return int(re.search(r"with (?:rank )?(\d+)", answer(at)).group(1))


def answer(at: AppTest, *begins: str) -> str:
    """The sentence below the page's question, by its first words."""
    wanted = begins or "Relative Frobenius error"
    return next(text.value for text in at.markdown if text.value.startswith(wanted))


def code_of(at: AppTest) -> str:
    """The script that the page shows behind "In Python"."""
    return at.session_state["download"].python


def lines(at: AppTest, chart: str) -> dict[str, dict[str, Any]]:
    """The traces of a chart that have names, by these."""
    return {trace["name"]: trace for trace in charts(at)[chart]["data"] if trace.get("name")}


def cells(html: str) -> list[list[str]]:
    """The words of each cell, row by row."""
    rows = [
        re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row, re.S) for row in re.findall(r"<tr.*?</tr>", html, re.S)
    ]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in rows]


def tables(at: AppTest) -> list[list[list[str]]]:
    """All tables of numbers, as they stand on the page."""
    bodies = [block.proto.body for block in at.get("html")]
    return [cells(body) for body in bodies if "<table" in body]


def table(at: AppTest) -> dict[str, list[str]]:
    return {name: rest for name, *rest in tables(at)[0]}


def number(text: str) -> float:
    mantissa, _, exponent = text.replace("\N{NARROW NO-BREAK SPACE}", "").partition("·10")
    return float(mantissa) * 10.0 ** int(exponent.translate(SUPERSCRIPTS) or 0)


def landmark_count(chart: dict[str, Any]) -> int:
    marks = [trace for trace in chart["data"] if str(trace.get("name", "")).startswith("landmark")]
    return len(marks[0]["x"]) if marks else 0


def iris(**link: str) -> AppTest:
    return start(data=IRIS.title, **link)


def check_numbers(at: AppTest, data: Any, kernel: Any, method: str, m: int, seed: int = 0) -> nv.LowRank:
    """Assert that every error shown, and its multiple of the best, is the core's to three digits."""
    a = nv.approximate(data.X, kernel, method, m, seed)
    found, shown = nv.errors(data.X, kernel, a), table(at)
    best = best_errors(nv.spectrum(data.X, kernel), a.rank)
    for k, norm in enumerate(("Frobenius", "spectral", "trace")):
        relative, multiple = shown[f"relative {norm} error"]
        expected = getattr(found, f"relative_{norm.lower()}")
        assert number(relative) == pytest.approx(expected, rel=6e-3, abs=1e-11)
        if multiple != "–":
            assert number(multiple) == pytest.approx(getattr(found, norm.lower()) / best[k], rel=6e-3)
    assert shown["rank"][0] == f"{a.rank} of {m}"
    assert shown["relative Frobenius error"][0] in answer(at)
    return a
