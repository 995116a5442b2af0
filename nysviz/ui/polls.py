"""Polls of a page that waits: one that would draw what is there already is let go by.

A part of a page that waits for results asks for itself several times a second. Streamlit 1.67 begins a thread
and draws the whole part each time, with all charts in it, whether there is anything new or not; thirty pages
that wait keep a processor busy with this. Here the part says what would be news, and a poll without news
ends before anything is drawn, as one for a part that is not there any more does in Streamlit itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

HasNews = Callable[[], bool]

# Parts of one page that are remembered.
REMEMBERED = 16
# Where a session's parts have left it, on the session's own store of fragments.
KEY = "_nysviz_news"
_handle = AppSession.request_rerun


def answer_news() -> None:
    """Let polls without news go by, in this process."""
    AppSession.request_rerun = handle  # type: ignore[method-assign, assignment]


def tell(has_news: HasNews) -> None:
    """Say, in a part of a page that polls, how it is known that its next drawing would show something new.

    ``has_news`` is called in the thread that answers all visitors: it takes no time and waits for nothing.
    """
    context = get_script_run_ctx()
    fragment = ThreadState.get().fragment_id
    if context is None or fragment is None:
        return
    told = _told(context.fragment_storage)
    told.pop(fragment, None)
    told[fragment] = has_news
    for old in list(told)[:-REMEMBERED]:
        del told[old]


def handle(session: AppSession, client_state: ClientState | None = None) -> None:
    """Answer a request to run a page or a part of it, unless it is a poll without news."""
    if client_state is not None and client_state.is_auto_rerun and client_state.fragment_id:
        has_news = _told(session._fragment_storage).get(client_state.fragment_id)
        if has_news is not None and not has_news():
            return
    _handle(session, client_state)


def _told(storage: Any) -> dict[str, HasNews]:
    found: dict[str, HasNews] | None = getattr(storage, KEY, None)
    if found is None:
        found = {}
        setattr(storage, KEY, found)
    return found
