"""The frame of every page: question, answer, charts, explanation, files and failures."""

import html
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.figures.drawing import titles
from nysviz.figures.icon import icon
from nysviz.figures.look import THEMES, Theme, enlarged
from nysviz.figures.standalone import CONFIG
from nysviz.numerics.blocks import FloatArray
from nysviz.studies.code import notebook_of, script_of
from nysviz.studies.study import Study
from nysviz.ui import downloads, lesson_bar, settings, streamlit_private, trying
from nysviz.ui.components import source
from nysviz.ui.doors import QUESTIONS
from nysviz.ui.inputs import drawer
from nysviz.ui.markdown import plain
from nysviz.ui.share import bar, projected_scale
from nysviz.ui.sidebar.uploads import settle, uploads
from nysviz.ui.streamlit_private import session_here
from nysviz.ui.watching import part

TEXTS = Path(__file__).parent / "texts"
# Tags of a chart's words that its title above it keeps.
SCRIPTS = re.compile(r"(</?su[bp]>)")
# Signs that stay with the words on both sides, and units that stay with their number.
CLOSE = re.compile(r" ([=×±≥≤<>−…]) ")
UNIT = re.compile(r"(?<=[0-9]) (?=(?:%|[kMGT]?B|ms|s|h|n)(?![\w·]))")
# Code and formulas, in which a space is a space.
VERBATIM = re.compile(r"(`[^`]*`|\$[^$]*\$)")


def configure() -> None:
    """Set title, icon and width."""
    streamlit_private.install()
    st.set_page_config(
        page_title="nysviz",
        page_icon=icon(),
        layout="wide",
        menu_items={"About": "nysviz: which landmarks approximate a kernel matrix well?"},
    )


def open_page(name: str) -> None:
    """Put the page's question at its top, with its link and the other views beside it."""
    settings.begin(name)
    st.html(_style())
    lesson_bar.bar()
    bar(QUESTIONS[name])
    settle()
    if why := uploads().refusal(session_here()):
        st.error(plain(why), icon=":material/error:")


def answer_place() -> DeltaGenerator:
    """Return the place of the answer, which has the height of a line until it is computed."""
    # An empty container takes no height, unless it is a column.
    (place,) = st.container(key="nysviz_answer", gap=None).columns(1)
    return place


def places(left_share: float) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Return the answer's place and two columns below it; the left one has this share of the width."""
    answer = answer_place()
    first, second = st.columns([left_share, 1.0 - left_share], gap="medium")
    return answer, first.container(key="nysviz_picture"), second


def _style() -> str:
    """Return the style sheet of the pages: margins, small screens, lectures."""
    is_presentation, is_embedded = settings.is_presentation(), st.context.is_embedded
    views = {"presentation.css": is_presentation, "embedded.css": is_embedded}
    views["no_sidebar.css"] = is_presentation or is_embedded
    hues, names = _ground_theme(), ["page.css", *(name for name, is_on in views.items() if is_on)]
    # Words on the accent's colour have that of the ground, which is dark if the accent is bright.
    colours = f"--nysviz-ground: {hues.ground}; --nysviz-ink: {hues.ink}; --nysviz-accent: {hues.accent};"
    return f"<style>:root {{{colours}}}{''.join(map(source, names))}</style>"


def _ground_theme() -> Theme:
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def theme() -> Theme:
    """Return the colours for the visitor's ground, with larger type in the presentation view."""
    settings.write()
    ground_theme = _ground_theme()
    return enlarged(ground_theme, projected_scale()) if settings.is_presentation() else ground_theme


def show(
    figure: go.Figure,
    key: str,
    alt: str = "",
    on_click: Callable[[], None] | None = None,
    caption: str = "",
) -> None:
    """Draw a chart with a text alternative, by default its titles, and keep it for the download.

    A chart cannot break its title into lines, so the title stands above it as text. The caption stands below
    it. ``on_click`` is called when a point is clicked.
    """
    heading = titles(figure)
    first, second = (unbroken(_as_html(text)) for text in heading)
    name = downloads.keep_chart(key, figure)
    clicks: dict[str, Any] = {} if on_click is None else {"on_select": on_click, "selection_mode": "points"}
    with st.container(key=f"nysviz_chart_{key}", gap=None):
        if first:
            below = f"<br><small>{second}</small>" if second else ""
            st.html(f'<p class="nysviz-title">{first}{below}</p>')
        st.plotly_chart(
            figure,
            key=key,
            theme=None,
            alt=alt or ". ".join(filter(None, heading)),
            config={**CONFIG, "toImageButtonOptions": {"format": "svg", "filename": name}},
            **clicks,
        )
        if caption and not settings.is_expert():
            st.caption(unbroken(caption))


def unbroken(text: str) -> str:
    """Keep "σ = 3", "8 × 8" and "5 %" on one line, in a sentence as in a chart's title."""
    pieces, space = VERBATIM.split(text), "\N{NO-BREAK SPACE}"
    pieces[::2] = [UNIT.sub(space, CLOSE.sub(f"{space}\\1{space}", piece)) for piece in pieces[::2]]
    return "".join(pieces)


def _as_html(text: str) -> str:
    """Write a chart's text as HTML: raised and lowered letters stay, everything else is plain text."""
    pieces = SCRIPTS.split(text)
    pieces[::2] = [html.escape(html.unescape(piece)) for piece in pieces[::2]]
    return "".join(pieces)


@cache
def _texts(name: str) -> tuple[str, str, str]:
    # A line of dashes keeps the three texts apart.
    explanation, maths, source = (TEXTS / f"{name}.md").read_text("utf-8").split("---\n")
    return unbroken(explanation.strip()), maths, " ".join(source.split())


def close(study: Study, text: str, charts: Sequence[str]) -> None:
    """End the page of a study: the explanation of this name, the call in Python, and the files.

    The notebook among the files has these ``charts``.
    """
    fixed, later = study.fixed_rows(), study.with_runs_only()
    downloads.keep_notebook(partial(notebook_of, later, charts))
    closing(text, script_of(study), lambda: [*fixed, *later.run_rows()], study.landmarks)


def closing(name: str, python: str, rows: downloads.Rows = (), landmarks: FloatArray | None = None) -> None:
    """End a page: the explanation, the maths with its source, the same numbers in Python, and as files."""
    downloads.keep_rows(rows, python, landmarks)
    explanation, maths, source = _texts(name) if name else ("", "", "")
    if explanation:
        st.subheader("What you see", anchor=False)
        st.markdown(explanation)
    trying.draw()
    _draw_drawers(maths, source)


@part
def _draw_drawers(maths: str, source: str) -> None:
    def explain() -> None:
        st.markdown(maths)
        st.caption(source)

    if maths:
        drawer(st.expander, "The maths", "maths_open", explain)
    drawer(
        st.expander, "In Python", "python_open", lambda: st.code(downloads.page_content().python, "python")
    )
    drawer(st.expander, "Download", "download_open", downloads.panel)
