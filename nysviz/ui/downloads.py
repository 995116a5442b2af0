"""Files of a page: its numbers as a tidy table, and its charts as HTML that needs no network.

Only the charts of the page that is open are kept, in the session, and only as long as it is open. Files are
made when somebody asks for them.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from nysviz.figures.standalone import standalone, title_of
from nysviz.numerics.blocks import FloatArray
from nysviz.studies.rows import Row, npy_file, table
from nysviz.text import counted
from nysviz.ui import settings, watching
from nysviz.ui.markdown import plain

# A function is called only when the download is opened: some tables are long.
Rows = Sequence[Row] | Callable[[], Sequence[Row]]

NAME_CHARACTERS = 40
KEY = "download"
CAMERA = (
    "The camera above a chart saves it as SVG, at the size that it has on your screen. The camera in a saved "
    "HTML file saves it as PNG. An HTML file has about 5 MB: it holds all that it needs and works offline."
)


@dataclass
class PageContent:
    """Data and charts that the open page has shown; charts by key, each with the run that drew it."""

    page: str
    data: str = ""
    charts: dict[str, tuple[object, go.Figure]] = field(default_factory=dict)
    rows: Rows = ()
    python: str = ""
    landmarks: FloatArray | None = None
    notebook: Callable[[], str] | None = None


def page_content() -> PageContent:
    """Return the content of the open page, and drop that of another one."""
    content: PageContent | None = st.session_state.get(KEY)
    if content is None or content.page != settings.page():
        content = st.session_state[KEY] = PageContent(settings.page())
    return content


def keep_chart(key: str, figure: go.Figure) -> str:
    """Keep a chart that is being drawn, in place of its last drawing; return a name for its file."""
    content = page_content()
    content.charts[key] = (watching.run_here(), figure)
    return file_name(content, key)


def keep_rows(rows: Rows, python: str, landmarks: FloatArray | None = None) -> None:
    """Keep the numbers of the page, and drop the charts that this drawing of the page has left out."""
    content, run = page_content(), watching.run_here()
    content.rows, content.python, content.landmarks = rows, python, landmarks
    content.charts = {key: chart for key, chart in content.charts.items() if chart[0] is run}


def keep_notebook(notebook: Callable[[], str]) -> None:
    """Keep the function that makes the page's notebook."""
    page_content().notebook = notebook


def file_name(content: PageContent, *parts: str) -> str:
    """Name a file by page, data and these parts, in characters that every system takes."""
    names = dict.fromkeys(map(slug, ("nysviz", content.page, content.data, *parts)))
    return "-".join(filter(None, names))


def slug(text: str) -> str:
    """Reduce a text to at most ``NAME_CHARACTERS`` plain letters, digits and underscores."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "_", letters)[:NAME_CHARACTERS].strip("_").lower()


def panel() -> None:
    """Offer the page's numbers and charts as files; a file is made when it is asked for."""
    content = page_content()

    def offer(label: str, make: Callable[[], str | bytes], file: str, kind: str, key: str, icon: str) -> None:
        look: dict[str, Any] = {"icon": f":material/{icon}:", "on_click": "ignore"}
        st.download_button(label, make, file, kind, key=f"download_{key}", **look)

    rows = content.rows() if callable(content.rows) else content.rows
    if rows:
        label = f"The numbers of this page (CSV, {counted(len(rows), 'row')})"
        offer(label, partial(table, rows), f"{file_name(content)}.csv", "text/csv", "rows", "table_view")
    if content.landmarks is not None:
        label = "Landmarks (NumPy, a row each; NystroemFeatures takes them)"
        name, make = f"{file_name(content, 'landmarks')}.npy", partial(npy_file, content.landmarks)
        offer(label, make, name, "application/octet-stream", "landmarks", "location_on")
    if content.notebook is not None:
        name, kind = f"{file_name(content)}.ipynb", "application/x-ipynb+json"
        offer("Open as notebook", content.notebook, name, kind, "notebook", "menu_book")
    for key, (_, figure) in content.charts.items():
        name, label = file_name(content, key), f"Chart as HTML: {plain(title_of(figure) or key)}"
        chart = partial(standalone, figure, name)
        offer(label, chart, f"{name}.html", "text/html", f"chart_{key}", "download")
    st.caption(CAMERA)
