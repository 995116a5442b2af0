"""The frame of every page: the question, the answer, what was seen and why, and honest failures."""

from __future__ import annotations

import html
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from PIL import Image
from streamlit.runtime.pages_manager import PagesManager

from nysviz.figures.drawing import titles
from nysviz.figures.look import NARROW_CHARACTERS, THEMES, Theme, enlarged
from nysviz.figures.standalone import CONFIG
from nysviz.ui import downloads, lesson_bar, logs, outbox, polls, state, streamlit_private, unkept
from nysviz.ui.markdown import plain
from nysviz.ui.share import bar
from nysviz.ui.sidebar.uploads import refusal, settle, uploads
from nysviz.ui.style import style
from nysviz.ui.work import watching
from nysviz.ui.work.gate import has_lapsed, queue_words
from nysviz.ui.work.store import store
from nysviz.ui.work.watching import Drawing

T = TypeVar("T")

POLL_SECONDS = 0.3
# How often a page that waits says so anew.
WORDS_SECONDS = 1.2
# A result that comes this soon is worth a short wait: one drawing instead of two.
PATIENCE_SECONDS = 0.06
# Waits of a session whose begin is remembered.
REMEMBERED = 32
# A formula that stands by itself.
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
# Tags of a chart's words that its title above it keeps.
SCRIPTS = re.compile(r"(</?su[bp]>)")
# Signs that stay with what is before and behind them, and units that stay with their number.
CLOSE = re.compile(r" ([=×±≥≤<>−…]) ")
UNIT = re.compile(r"(?<=[0-9]) (?=(?:%|[kMGT]?B|ms|s|h|n)(?![\w·]))")
# Code and formulas, in which a space is a space.
VERBATIM = re.compile(r"(`[^`]*`|\$[^$]*\$)")
# What a visitor has asked for is waited for this long before progress is shown.
ANSWER_SECONDS = 0.5


def configure() -> None:
    """Set title, icon and width; called by the app, and by a page that runs alone."""
    logs.keep_words_out()
    outbox.send_all()
    polls.answer_news()
    streamlit_private.admit_uploads(uploads().arriving)
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
    """Put the page's question at its top, with its link, a step back and the other views beside it."""
    configure()
    if PagesManager.uses_pages_directory:
        # The first visitor of a fresh server came by a link to this page. Streamlit then takes the folder's
        # name for its old convention and leaves app.py out, unless it is told that app.py is in charge.
        PagesManager.uses_pages_directory = False
        st.rerun()
    watching.show(None)
    state.begin()
    state.carry_on()
    st.html(style(_grounded(), state.is_presentation()))
    lesson_bar.bar()
    bar(question)
    settle()
    if why := refusal():
        st.error(plain(why), icon=":material/error:")


def number_table(head: tuple[str, str, str], rows: list[tuple[str, str, str]]) -> str:
    """Return a compact table as HTML. The cells are numbers and words of this project, never of a user."""
    cells = "".join(f"<tr><td>{name}</td><td>{value}</td><td>{more}</td></tr>" for name, value, more in rows)
    # A heading without words would be read out as an empty one.
    top = "".join(f"<th>{title}</th>" if title else "<td></td>" for title in head)
    return f'<table class="nysviz-numbers"><thead><tr>{top}</tr></thead><tbody>{cells}</tbody></table>'


def _grounded() -> Theme:
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def theme() -> Theme:
    """Return the colours for the ground that the visitor has chosen; larger type in the presentation view."""
    state.note()
    chosen = _grounded()
    return enlarged(chosen) if state.is_presentation() else chosen


def show(figure: go.Figure, key: str, alt: str, on_click: Callable[[], None] | None = None) -> None:
    """Draw a chart in the project's own colours, with a text alternative that states what is seen.

    A chart cannot break its title into lines: on a narrow screen the title stands above it as text. With
    ``on_click``, points can be clicked, and it is called then. The chart is kept for the download.
    """
    words = titles(figure)
    first, second = (unbroken(_as_html(text)) for text in words)
    if max(map(len, words)) > NARROW_CHARACTERS:
        below = f"<br><small>{second}</small>" if second else ""
        st.html(f'<p class="nysviz-title">{first}{below}</p>')
    name = downloads.keep_chart(key, figure)
    clicks: dict[str, Any] = {} if on_click is None else {"on_select": on_click, "selection_mode": "points"}
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        alt=alt,
        config={**CONFIG, "toImageButtonOptions": {"format": "svg", "filename": name}},
        **clicks,
    )


def unbroken(text: str) -> str:
    """Keep "σ = 3", "8 × 8" and "5 %" on one line, in a sentence as in a chart's title."""
    parts = VERBATIM.split(text)
    space = "\N{NO-BREAK SPACE}"
    parts[::2] = [UNIT.sub(space, CLOSE.sub(f"{space}\\1{space}", part)) for part in parts[::2]]
    return "".join(parts)


def displayed(maths: str) -> str:
    """Put the marks of formulas of several lines on lines of their own, without which they are not read."""
    return DISPLAY.sub(lambda found: f"$$\n{found[1].strip()}\n$$" if "\n" in found[1] else found[0], maths)


def _as_html(text: str) -> str:
    """A chart's words as HTML: raised and lowered letters stay, everything else is plain text."""
    parts = SCRIPTS.split(text)
    return "".join(part if SCRIPTS.fullmatch(part) else html.escape(html.unescape(part)) for part in parts)


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
    # What was dropped while this page was away is asked for again.
    return future.done() and not has_lapsed(future)


def pending(futures: Sequence[Future[T]], patience: float) -> list[Future[T]]:
    """Those of the background results that are not there after one short wait for all of them."""
    wait(futures, timeout=patience)
    return [future for future in futures if not ready(future, 0.0)]


@st.fragment(run_every=POLL_SECONDS)
def _wait(
    future: Future[Any],
    what: str,
    seconds: float,
    begun: tuple[float, Drawing],
    stop: threading.Event | None,
    name: str,
) -> None:
    if future.done():
        st.rerun()
    started, looks = begun
    looks.touch()
    # A session remembers the question for longer than the page: it must not keep the result, perhaps large.
    drawn, waited = time.monotonic(), weakref.ref(future)

    def has_news() -> bool:
        looks.touch()
        awaited = waited()
        return awaited is None or awaited.done() or time.monotonic() - drawn >= WORDS_SECONDS

    polls.tell(has_news)
    spent = time.monotonic() - started
    others = store().others_before(future)
    about = f"about {seconds:.0f} s" if seconds >= 1 else "less than a second"
    if others is not None:
        about = queue_words(others)
    st.progress(min(0.97, spent / max(seconds, 0.1)), text=f"{what}: {about}, {spent:.0f} s so far")
    if stop is not None:
        key = f"stop_{name}" if name else "stop"
        st.button("Stop", key=key, icon=":material/stop_circle:", on_click=_stop, args=(future, stop))


def _stop(future: Future[Any], stop: threading.Event) -> None:
    # Pages that remember by this event what was stopped say so themselves.
    remembered = any(stop is one for one in st.session_state.get("stops", {}).values())
    stop.set()
    store().stop(future, refuse=not remembered)


def wait_for(
    future: Future[Any], what: str, seconds: float, stop: threading.Event | None = None, name: str = ""
) -> None:
    """Show progress, or how many others come first, until a background result is there; then draw the page.

    With ``stop``, a button sets it, and this session waits no more: the computation ends at its next step
    unless another session waits for the same. A page that waits for two things at a time names them.
    """
    unkept.look()
    waiting = st.session_state.setdefault("waiting", {})
    started = waiting.setdefault(what, (id(future), time.monotonic()))
    if started[0] != id(future):
        started = waiting[what] = (id(future), time.monotonic())
    for old in list(waiting)[:-REMEMBERED]:
        del waiting[old]
    _wait(future, what, seconds, (started[1], watching.drawing()), stop, name)


def closing(words: str, maths: str, python: str, source: str, rows: downloads.Rows = ()) -> None:
    """End a page: what was seen and why, the maths, the same numbers in Python, files, the source.

    ``rows`` are the numbers on the page as tidy records, or a function that returns them.
    """
    st.subheader("What you see", anchor=False)
    st.markdown(unbroken(words))
    with st.expander("The maths"):
        st.markdown(displayed(maths))
    with st.expander("The same numbers in Python"):
        st.code(python, language="python")
    downloads.keep_rows(rows, python)
    downloads.panel()
    st.caption(source)
