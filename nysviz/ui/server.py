"""The app's server beside its pages: it admits uploads, waits for slow browsers, and warms up.

All modules are imported before the first visitor: two pages that begin at once, each in its thread, would
import a package and a part of it from both ends, and one would get a module that is half made.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware

import nysviz
from nysviz.engine.shared import engine
from nysviz.ui.admission import Admission
from nysviz.ui.backlog import Backlog
from nysviz.ui.sidebar.uploads import uploads
from nysviz.ui.streamlit_private import show_error

__all__ = ["SCRIPT", "lifespan", "middleware", "show_error"]

SCRIPT = Path(__file__).parent / "main.py"
# The command line, the script of a child process, and the script of the app.
NOT_IMPORTED = ("nysviz.__main__", "nysviz.datasets.upload.child", "nysviz.ui.main")


def middleware() -> list[Middleware]:
    """Return the middleware that every request passes before Streamlit's part of the server."""
    MultiPartParser.spool_max_size = 0  # an upload is never written to disk
    away_seconds = float(st.get_option("server.disconnectedSessionTTL"))
    return [Middleware(Admission, uploads(), away_seconds), Middleware(Backlog)]


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Get ready before the first visitor comes."""
    for module in walk_packages(nysviz.__path__, "nysviz."):
        if module.name not in NOT_IMPORTED:
            import_module(module.name)
    engine()
    yield
