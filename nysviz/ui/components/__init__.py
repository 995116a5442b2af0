"""Parts of pages that run in the browser: each its HTML, its CSS and its JavaScript in files of one name."""

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

FOLDER = Path(__file__).parent


@cache
def source(name: str) -> str:
    """Return the text of a file of this folder."""
    return (FOLDER / name).read_text("utf-8")


def component(name: str, *scripts: str) -> ComponentRenderer:
    """Return the component of this name; its script follows ``scripts``."""
    html, css = source(f"{name}.html"), source(f"{name}.css")
    js = "\n".join(source(f"{script}.js") for script in (*scripts, name))
    return st.components.v2.component(f"nysviz_{name}", html=html, css=css, js=js)
