"""The frame of every page: the question, the answer, what was seen and why, and honest failures."""

from __future__ import annotations

import html
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from PIL import Image
from streamlit.runtime.pages_manager import PagesManager

from nysviz.figures.look import THEMES, Theme
from nysviz.ui.markdown import plain

T = TypeVar("T")

POLL_SECONDS = 0.4
# A result that comes this soon is worth a short wait: one drawing instead of two.
PATIENCE_SECONDS = 0.06
# A title of so many characters fits a narrow screen.
NARROW_CHARACTERS = 20
# What a visitor has asked for is waited for this long before progress is shown.
ANSWER_SECONDS = 0.5


# Streamlit leaves a wide margin round the page and cannot be told otherwise; a projected page needs the room.
STYLE = """<style>
.stMainBlockContainer {padding: 1.6rem 2rem 3rem 2rem; max-width: 1700px;}
.stMainBlockContainer h2 {padding: 0 3rem 0 0;}
.stAppHeader {background: transparent; pointer-events: none;}
.stAppHeader button, .stAppHeader a {pointer-events: auto;}
.stApp:has([data-testid="stExpandSidebarButton"]) .stMainBlockContainer {padding-top: 3.6rem;}
.nysviz-title {display: none; margin: 0; line-height: 1.3;}
.nysviz-title small {opacity: 0.75;}
@media (max-width: 640px) {
  .stMainBlockContainer {padding: 3.6rem 1rem 2rem 1rem;}
  .nysviz-title {display: block;}
  [data-testid="stElementContainer"]:has(.nysviz-title) + div .js-plotly-plot .g-gtitle {display: none;}
}
.nysviz-numbers {width: 100%; border-collapse: collapse; font-size: 0.88rem; line-height: 1.45;}
.nysviz-numbers th, .nysviz-numbers td {padding: 0 0.3rem 0 0; text-align: right; font-weight: 400;}
.nysviz-numbers th:first-child, .nysviz-numbers td:first-child {text-align: left;}
.nysviz-numbers th {opacity: 0.75;}
.nysviz-numbers td {font-variant-numeric: tabular-nums;}
</style>"""


def configure() -> None:
    """Set title, icon and width; called by the app, and by a page that runs alone."""
    # A small kernel matrix as the icon, drawn here: a named icon would be fetched from another site.
    gaps = np.abs(np.subtract.outer(np.arange(16), np.arange(16))) / 3.0
    icon = np.stack([255 - (255 - hue) * np.exp(-(gaps**2)) for hue in (0, 114, 178)], axis=-1)
    st.set_page_config(
        page_title="nysviz",
        page_icon=Image.fromarray(icon.astype(np.uint8)),
        layout="wide",
        menu_items={"About": "nysviz: which landmarks approximate a kernel matrix well?"},
    )


def open_page(question: str) -> None:
    """Put the page's question at its top."""
    configure()
    if PagesManager.uses_pages_directory:
        # The first visitor of a fresh server came by a link to this page. Streamlit then takes the folder's
        # name for its old convention and leaves app.py out, unless it is told that app.py is in charge.
        PagesManager.uses_pages_directory = False
        st.rerun()
    st.html(STYLE)
    st.header(question, anchor=False)


def number_table(head: tuple[str, str, str], rows: list[tuple[str, str, str]]) -> str:
    """Return a compact table as HTML. The cells are numbers and words of this project, never of a user."""
    cells = "".join(f"<tr><td>{name}</td><td>{value}</td><td>{more}</td></tr>" for name, value, more in rows)
    top = "".join(f"<th>{title}</th>" for title in head)
    return f'<table class="nysviz-numbers"><thead><tr>{top}</tr></thead><tbody>{cells}</tbody></table>'


def theme() -> Theme:
    """Return the colours for the ground that the visitor has chosen."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def show(figure: go.Figure, key: str, alt: str) -> None:
    """Draw a chart in the project's own colours, with a text alternative that states what is seen.

    A chart cannot break its title into lines: on a narrow screen the title stands above it as text.
    """
    title = figure.layout.title
    first, second = (html.escape(html.unescape(text or "")) for text in (title.text, title.subtitle.text))
    if max(len(first), len(second)) > NARROW_CHARACTERS:
        st.html(f'<p class="nysviz-title">{first}<br><small>{second}</small></p>')
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        alt=alt,
        config={"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d"], "responsive": True},
    )


@contextmanager
def sentences() -> Iterator[None]:
    """Turn the errors that a user can mend into one sentence; the rest of the page stays."""
    try:
        yield
    except ValueError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
    except MemoryError:
        st.error(
            "There is not enough memory for this; choose fewer landmarks or a smaller data set.",
            icon=":material/error:",
        )


def ready(future: Future[T], patience: float = PATIENCE_SECONDS) -> bool:
    """Whether a background result is there, after a short wait."""
    wait([future], timeout=patience)
    return future.done()


@st.fragment(run_every=POLL_SECONDS)
def _wait(
    future: Future[Any], what: str, seconds: float, started: float, stop: threading.Event | None
) -> None:
    if future.done():
        st.rerun()
    spent = time.monotonic() - started
    about = f"about {seconds:.0f} s" if seconds >= 1 else "less than a second"
    st.progress(min(0.97, spent / max(seconds, 0.1)), text=f"{what}: {about}, {spent:.0f} s so far")
    if stop is not None:
        st.button("Stop", key="stop", icon=":material/stop_circle:", on_click=stop.set)


def wait_for(future: Future[Any], what: str, seconds: float, stop: threading.Event | None = None) -> None:
    """Show progress until a background result is there, then draw the page again with it.

    With ``stop``, a button sets it, and the computation ends with a sentence at its next step.
    """
    waiting = st.session_state.setdefault("waiting", {})
    started = waiting.setdefault(what, (id(future), time.monotonic()))
    if started[0] != id(future):
        started = waiting[what] = (id(future), time.monotonic())
    _wait(future, what, seconds, started[1], stop)


def closing(words: str, maths: str, python: str, source: str) -> None:
    """End a page: what was seen and why, the maths, the same numbers in Python, the source."""
    st.subheader("What you see", anchor=False)
    st.markdown(words)
    with st.expander("The maths"):
        st.markdown(maths)
    with st.expander("The same numbers in Python"):
        st.code(python, language="python")
    st.caption(source)
