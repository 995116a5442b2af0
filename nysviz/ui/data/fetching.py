"""A button that fetches a set from its archive in the background, with progress, or says why it failed."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import streamlit as st

from nysviz.datasets import Card, fetch
from nysviz.datasets.download import Fetched
from nysviz.ui.markdown import plain
from nysviz.ui.page import POLL_SECONDS

# So many archives are asked at once by the whole process.
AT_ONCE = 2
ASKED = "data_fetch_asked"


@dataclass
class Fetching:
    """A fetch under way: what has arrived of which file, and the result."""

    future: Future[Fetched] | None = None
    file: str = ""
    received: int = 0
    announced: int | None = None

    def told(self, file: str, received: int, announced: int | None) -> None:
        """Take over what the fetch reports."""
        self.file, self.received, self.announced = file, received, announced

    @property
    def text(self) -> str:
        """How far it is, in words."""
        if not self.received:
            return "asking the archive"
        whole = f" of {self.announced / 2**20:.1f}" if self.announced else ""
        return f"{self.received / 2**20:.1f}{whole} MiB"

    @property
    def fraction(self) -> float:
        """Part of the present file that is here; 0 where the archive does not say how long it is."""
        return min(1.0, self.received / self.announced) if self.announced else 0.0


class _Fetches:
    """The fetches of this process by the set's name: sessions that want the same wait for the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="nysviz-fetch")
        self._known: dict[str, Fetching] = {}

    def begin(self, name: str) -> None:
        """Fetch a set, unless that is going on already."""
        with self._lock:
            known = self._known.get(name)
            if known is not None and known.future is not None and not known.future.done():
                return
            fresh = self._known[name] = Fetching()
            fresh.future = self._pool.submit(fetch, name, progress=fresh.told)

    def get(self, name: str) -> Fetching | None:
        """Return the last fetch of a set."""
        with self._lock:
            return self._known.get(name)


@st.cache_resource(max_entries=1, show_spinner=False)
def _fetches() -> _Fetches:
    return _Fetches()


def offer_fetch(card: Card) -> None:
    """Draw the button, the progress of a fetch that is under way, or why it failed."""
    if not card.addresses:
        st.caption(
            f"The catalog has no address that is safe to ask: get {plain(', '.join(card.files))} by hand."
        )
        return
    known = _fetches().get(card.name)
    if known is not None and known.future is not None and not known.future.done():
        _wait(card.name)
        return
    asked = card.name in st.session_state.get(ASKED, ())
    if asked and known is not None and known.future is not None and known.future.exception() is not None:
        st.error(_sentence(known.future), icon=":material/error:")
    st.button(
        "Fetch it",
        key=f"data_fetch_{card.name}",
        icon=":material/download:",
        on_click=_begin,
        args=(card.name,),
        width="stretch",
    )


def _begin(name: str) -> None:
    st.session_state[ASKED] = [*st.session_state.get(ASKED, ()), name]
    _fetches().begin(name)


@st.fragment(run_every=POLL_SECONDS)
def _wait(name: str) -> None:
    known = _fetches().get(name)
    if known is None or known.future is None or known.future.done():
        st.rerun()
    else:
        st.progress(known.fraction, text=known.text)


def _sentence(future: Future[Fetched]) -> str:
    problem = future.exception()
    return plain(str(problem) if isinstance(problem, ValueError) else "The fetch failed; try again later.")
