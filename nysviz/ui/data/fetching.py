"""A button that fetches a set from its archive in the background, with progress, or says why it failed."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import streamlit as st

from nysviz.datasets import Card, fetch
from nysviz.datasets.download import Fetched
from nysviz.refusal import Refusal
from nysviz.text import in_bytes
from nysviz.ui.asking import POLL_SECONDS
from nysviz.ui.markdown import plain

# So many archives are asked at once by the whole process.
AT_ONCE = 2
ASKED = "data_fetch_asked"


@dataclass
class Fetching:
    """A fetch that has begun: what has arrived of the present file, and the result."""

    future: Future[Fetched] | None = None
    received: int = 0
    announced: int | None = None

    def report(self, file: str, received: int, announced: int | None) -> None:
        """Take over what the fetch reports."""
        self.received, self.announced = received, announced

    @property
    def is_going(self) -> bool:
        """Whether it is under way."""
        return self.future is not None and not self.future.done()


# The fetches of this process by the set's name: sessions that want the same wait for the same.
_fetches: dict[str, Fetching] = {}
_lock, _pool = threading.Lock(), ThreadPoolExecutor(AT_ONCE, thread_name_prefix="nysviz-fetch")


def offer_fetch(card: Card) -> None:
    """Draw the button, the progress of a fetch that is under way, or why it failed."""
    if not card.addresses:
        files = plain(", ".join(card.files))
        st.caption(f"The catalog has no address that is safe to ask: get {files} by hand.")
        return
    known = _fetches.get(card.name, Fetching())
    if known.is_going:
        _wait(known)
        return
    if card.name in st.session_state.get(ASKED, ()) and known.future is not None:
        problem = known.future.exception()
        if problem is not None:
            text = str(problem) if isinstance(problem, Refusal) else "The fetch failed; try again later."
            st.error(plain(text), icon=":material/error:")
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
    with _lock:
        if not _fetches.get(name, Fetching()).is_going:
            fresh = _fetches[name] = Fetching()
            fresh.future = _pool.submit(fetch, name, progress=fresh.report)


@st.fragment(run_every=POLL_SECONDS)
def _wait(known: Fetching) -> None:
    if not known.is_going:
        st.rerun()
    whole = f" of {in_bytes(known.announced)}" if known.announced else ""
    text = f"{in_bytes(known.received)}{whole}" if known.received else "asking the archive"
    st.progress(min(1.0, known.received / (known.announced or 1e99)), text=text)
