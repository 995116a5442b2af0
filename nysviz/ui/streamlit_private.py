"""Parts of Streamlit 1.67 that are not public: sessions, fragments, their messages and their polls, its log.

Messages: once a fragment runs again, what it has written and what still waits to be sent is thrown away, and
what fragments inside it have written is kept. On a busy server these reach the browser before the blocks and
elements around them: "Bad delta path index", and the page goes blank for good. Here all of it is sent, in the
order in which it was written. A run of the whole page still throws away what is older.

Polls: a part of a page that waits asks for itself several times a second, and Streamlit begins a thread and
draws the whole part each time, whether there is anything new or not; thirty pages that wait keep a processor
busy with this. Here the part says what would be news, and a poll without news ends before anything is drawn.

Errors: what a page raises and does not catch is shown as one sentence, in the place where it was raised. An
exception's message may hold what a visitor sent: the log has the places alone.
"""

import logging
from collections.abc import Callable
from typing import Any, NoReturn

import streamlit as st
from streamlit import config
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.state import SessionState

from nysviz.faults import where
from nysviz.refusal import Refusal
from nysviz.ui.markdown import plain

NO_MEMORY = "There is not enough memory for this; choose fewer landmarks or a smaller data set."
FAILED = "The computation failed, and the server's log says where; try other settings."
_clear = ForwardMsgQueue.clear
_handle = AppSession.request_rerun

HasNews = Callable[[], bool]
# Parts of one page that are remembered.
REMEMBERED = 16
# Where a session's parts have left what would be news, on the session's own store of fragments.
KEY = "_nysviz_news"
# The loggers that tell of what a page raised.
LOGGERS = (
    *("nysviz", "streamlit.error_util", "streamlit.runtime.fragment"),
    "streamlit.runtime.scriptrunner.script_runner",
)


class WithoutMessages(logging.Filter):
    """Takes the messages of exceptions out of records."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, with the places alone."""
        if isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
            record.exc_text, record.exc_info = where(record.exc_info[1]), None
        return True


def install() -> None:
    """Put all of this in the place of Streamlit's own, in this process; again, it changes nothing."""
    ForwardMsgQueue.clear = clear  # type: ignore[method-assign, assignment]
    AppSession.request_rerun = handle  # type: ignore[method-assign, assignment]
    # The coloured form of a traceback is printed past the loggers, and has the message in it.
    if config.get_option("logger.enableRich"):
        config.set_option("logger.enableRich", False)
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(one, WithoutMessages) for one in logger.filters):
            logger.addFilter(WithoutMessages())


def show_refusal(session: str) -> None:
    """Draw a session's page anew, with the reason for which its upload was refused."""
    if found := Runtime.instance()._session_mgr.get_active_session_info(session):
        found.session.request_rerun(None)


def close(session: str) -> None:
    """Close a session for good, and empty it: the server's loop holds the last one until another comes."""
    manager = Runtime.instance()._session_mgr
    if known := manager.get_session_info(session):
        manager.close_session(session)
        known.session._session_state = SessionState()
        known.session._fragment_storage.clear()
        known.session.flush_browser_queue()


def show_error(error: BaseException) -> bool:
    """Show an error as one sentence; True, so that Streamlit shows nothing more."""
    text = NO_MEMORY if isinstance(error, MemoryError) else FAILED
    st.error(plain(str(error)) if isinstance(error, Refusal) else text, icon=":material/error:")
    return True


def fragment_here() -> str | None:
    """Return which fragment of the page is being drawn; None outside of any."""
    return ThreadState.get().fragment_id


def own(place: DeltaGenerator) -> None:
    """Let live parts of the fragment that is being drawn write into an empty place of it (``st.empty``).

    Streamlit notes of containers whose they are, and refuses to write into what has no owner.
    """
    place._creating_fragment_id = fragment_here()


def redraw(fragment: str | None) -> NoReturn:
    """Draw one fragment of the page anew, from another one; all of the page where there is none."""
    context = get_script_run_ctx()
    if context is None or fragment is None or not context.fragment_ids_this_run:
        st.rerun()
    run_again(context.page_script_hash, fragment_id_queue=[fragment], is_fragment_scoped_rerun=True)


def run_again(page: str, **how: Any) -> NoReturn:
    """End this run of a script, and run the page with this hash."""
    context = get_script_run_ctx()
    assert context is not None
    how |= {"cached_message_hashes": context.cached_message_hashes, "context_info": context.context_info}
    raise RerunException(RerunData(context.query_string, page_script_hash=page, **how))


def files(without: str = "") -> dict[str, int]:
    """Return the bytes of the files that the web server holds for this session, by id; take one out first."""
    context = get_script_run_ctx()
    assert context is not None
    manager, session = context.uploaded_file_mgr, context.session_id
    if not isinstance(manager, MemoryUploadedFileManager):
        return {}
    manager.remove_file(session, without)
    return {name: len(file.data) for name, file in manager.file_storage.get(session, {}).copy().items()}


def clear(
    queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: Any = None
) -> None:
    """Empty a queue; for a run of fragments, only let what follows stand behind it."""
    if fragment_ids_this_run is None:
        _clear(queue, retain_lifecycle_msgs)
    else:
        # Else an element of the new run would take the place of an older one, before the run's beginning.
        queue._delta_index_map = {}


def tell(has_news: HasNews) -> None:
    """Say, in a part of a page that polls, how it is known that its next drawing would show something new.

    ``has_news`` is called in the thread that answers all visitors: it takes no time and waits for nothing.
    """
    context, fragment = get_script_run_ctx(), fragment_here()
    if context is None or fragment is None:
        return
    news = _news(context.fragment_storage)
    news.pop(fragment, None)
    news[fragment] = has_news
    for old in list(news)[:-REMEMBERED]:
        del news[old]


def handle(session: AppSession, client_state: ClientState | None = None) -> None:
    """Answer a request to run a page or a part of it, unless it is a poll without news."""
    if client_state is not None and client_state.is_auto_rerun and client_state.fragment_id:
        has_news = _news(session._fragment_storage).get(client_state.fragment_id)
        if has_news is not None and not has_news():
            return
    _handle(session, client_state)


def _news(storage: Any) -> dict[str, HasNews]:
    found: dict[str, HasNews] = vars(storage).setdefault(KEY, {})
    return found
