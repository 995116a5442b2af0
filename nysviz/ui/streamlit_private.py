"""All uses of names that Streamlit 1.67 does not publish, and the reasons for them.

``get_script_run_ctx``, ``Runtime``: nothing public tells the session that a script draws for, nor whether its
browser is connected; uploads, computations and the lecturer's count are those of a session.

``uploaded_file_mgr``: a file that was sent stays in the server's memory while its session lasts, also once
the page has taken it over, and also one that no page has asked for.

``_session_mgr``, ``_session_state``, ``_fragment_storage``: a session that was closed is held by the server's
loop until another one comes, with all that its visitor has sent; and no page can be drawn from outside.

``ForwardMsgQueue.clear``, ``_delta_index_map``: once a part of a page is drawn again, what it has written and
still waits to be sent is thrown away, and what parts inside it have written is kept. On a busy server these
reach the browser before the blocks around them: "Bad delta path index", and the page goes blank for good.
Here all of it is sent, in the order in which it was written. A run of the whole page still throws away what
is older.

Besides, what a page raises and does not catch is shown as one sentence, in the place where it was raised. An
exception's message may hold what a visitor sent: the log has the places alone.
"""

import logging
from typing import Any

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import get_script_run_ctx

from nysviz.faults import where
from nysviz.refusal import Refusal
from nysviz.ui.markdown import plain

NO_MEMORY = "There is not enough memory for this; choose fewer landmarks or a smaller data set."
FAILED = "The computation failed, and the server's log says where; try other settings."
streamlit_clear = ForwardMsgQueue.clear
# The loggers that report errors of a page.
LOGGERS = (
    *("nysviz", "streamlit.error_util", "streamlit.runtime.fragment"),
    "streamlit.runtime.scriptrunner.script_runner",
)


class WithoutMessages(logging.Filter):
    """Filter that removes the messages of exceptions from records."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, with the places alone."""
        if isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
            record.exc_text, record.exc_info = where(record.exc_info[1]), None
        return True


def install() -> None:
    """Send all that is written, and filter the log, in this process; a second call changes nothing."""
    ForwardMsgQueue.clear = clear  # type: ignore[method-assign, assignment]
    # The coloured form of a traceback is printed past the loggers, and has the message in it.
    st.set_option("logger.enableRich", False)
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(log_filter, WithoutMessages) for log_filter in logger.filters):
            logger.addFilter(WithoutMessages())


def session_here() -> str:
    """Return the session that this thread draws for; empty outside of a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def is_here(session: str) -> bool:
    """Whether a session's browser is connected; always true without a server."""
    return not Runtime.exists() or Runtime.instance().is_active_session(session)


def show_refusal(session: str) -> None:
    """Draw a session's page anew, with the reason for which its upload was refused."""
    if info := Runtime.instance()._session_mgr.get_session_info(session):
        info.session.request_rerun(None)


def close(session: str) -> None:
    """Close a session for good, and empty it."""
    if info := Runtime.instance()._session_mgr.get_session_info(session):
        Runtime.instance().close_session(session)
        info.session._session_state = type(info.session._session_state)()
        info.session._fragment_storage.clear()
        info.session.flush_browser_queue()


def show_error(error: BaseException) -> bool:
    """Show an error as one sentence; True, so that Streamlit shows nothing more."""
    text = NO_MEMORY if isinstance(error, MemoryError) else FAILED
    st.error(plain(str(error)) if isinstance(error, Refusal) else text, icon=":material/error:")
    return True


def files(without: str = "") -> dict[str, int]:
    """Remove one file of this session from the web server; return the bytes of the others, by id."""
    context = get_script_run_ctx()
    assert context is not None
    manager: Any = context.uploaded_file_mgr
    session, files = context.session_id, getattr(manager, "file_storage", {})
    manager.remove_file(session, without)
    return {name: len(file.data) for name, file in files.get(session, {}).copy().items()}


def clear(
    queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: Any = None
) -> None:
    """Clear the queue; for a run of fragments, only mark where it begins."""
    if fragment_ids_this_run is None:
        streamlit_clear(queue, retain_lifecycle_msgs)
    else:
        # Else an element of the new run would take the place of an older one, before the run's beginning.
        queue._delta_index_map = {}
