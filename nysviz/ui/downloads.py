"""What leaves a page: its numbers as a tidy table, and its charts as files that need no network.

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

# A function is asked only when the download is opened: some tables are long.
Rows = Sequence[Row] | Callable[[], Sequence[Row]]

NAME_CHARACTERS = 40
KEY = "download"
CAMERA = (
    "The camera above a chart saves it as SVG, at the size that it has on your screen. The camera in a saved "
    "HTML file saves it as PNG. An HTML file has about 5 MB: it holds all that it needs and works offline."
)


@dataclass
class Kept:
    """What the open page has shown: its data, and its charts by key, each with the run that drew it."""

    page: str
    data: str = ""
    charts: dict[str, tuple[object, go.Figure]] = field(default_factory=dict)
    rows: Rows = ()
    python: str = ""
    landmarks: FloatArray | None = None
    notebook: Callable[[], str] | None = None


def kept() -> Kept:
    """Return what is kept of the open page; what was kept of another one is dropped."""
    found: Kept | None = st.session_state.get(KEY)
    if found is None or found.page != settings.page():
        found = st.session_state[KEY] = Kept(settings.page())
    return found


def keep_chart(key: str, figure: go.Figure) -> str:
    """Keep a chart that is being drawn, in the place of its last drawing; return a name for its file."""
    found = kept()
    found.charts[key] = (watching.run_here(), figure)
    return file_name(found, key)


def keep_rows(rows: Rows, python: str, landmarks: FloatArray | None = None) -> None:
    """Keep the numbers of the page, and forget the charts that this drawing of the page has left out."""
    found, run = kept(), watching.run_here()
    found.rows, found.python, found.landmarks = rows, python, landmarks
    found.charts = {key: chart for key, chart in found.charts.items() if chart[0] is run}


def keep_notebook(notebook: Callable[[], str]) -> None:
    """Keep what makes the page's notebook."""
    kept().notebook = notebook


def file_name(found: Kept, *more: str) -> str:
    """Name a file by page, data and what it holds, in characters that every system takes."""
    names = dict.fromkeys(map(slug, ("nysviz", found.page, found.data, *more)))
    return "-".join(filter(None, names))


def slug(text: str) -> str:
    """Reduce a text to a few plain letters, digits and underscores."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "_", letters)[:NAME_CHARACTERS].strip("_").lower()


def panel() -> None:
    """Offer the page's numbers and charts as files; nothing is made before it is asked for."""
    found = kept()

    def offer(label: str, make: Callable[[], str | bytes], file: str, kind: str, key: str, icon: str) -> None:
        look: dict[str, Any] = {"icon": f":material/{icon}:", "on_click": "ignore"}
        st.download_button(label, make, file, kind, key=f"download_{key}", **look)

    rows = found.rows() if callable(found.rows) else found.rows
    if rows:
        label = f"The numbers of this page (CSV, {counted(len(rows), 'row')})"
        offer(label, partial(table, rows), f"{file_name(found)}.csv", "text/csv", "rows", "table_view")
    if found.landmarks is not None:
        label = "Landmarks (NumPy, a row each; NystroemFeatures takes them)"
        name, make = f"{file_name(found, 'landmarks')}.npy", partial(npy_file, found.landmarks)
        offer(label, make, name, "application/octet-stream", "landmarks", "location_on")
    if found.notebook is not None:
        name, kind = f"{file_name(found)}.ipynb", "application/x-ipynb+json"
        offer("Open as notebook", found.notebook, name, kind, "notebook", "menu_book")
    for key, (_, figure) in found.charts.items():
        name, label = file_name(found, key), f"Chart as HTML: {plain(title_of(figure) or key)}"
        chart = partial(standalone, figure, name)
        offer(label, chart, f"{name}.html", "text/html", f"chart_{key}", "download")
    st.caption(CAMERA)
