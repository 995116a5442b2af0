"""Messages that a browser has not been sent yet, when a part of its page is drawn anew.

Streamlit 1.67 throws away what a fragment has written and what still waits to be sent, once that fragment
runs again, and keeps what fragments inside it have written. On a busy server these reach the browser before
the blocks and elements around them: "Bad delta path index", and the page goes blank for good. Here all of it
is sent, in the order in which it was written. A run of the whole page still throws away what is older.
"""

from __future__ import annotations

from typing import Any

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

_clear = ForwardMsgQueue.clear


def send_all() -> None:
    """Let no message of a fragment be thrown away, in this process."""
    ForwardMsgQueue.clear = clear  # type: ignore[method-assign, assignment]


def clear(
    queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: Any = None
) -> None:
    """Empty a queue; for a run of fragments, only let what follows stand behind it."""
    if fragment_ids_this_run is None:
        _clear(queue, retain_lifecycle_msgs)
    else:
        # Else an element of the new run would take the place of an older one, before the run's beginning.
        queue._delta_index_map = {}
