"""Ask the mathematics one question: its answer, or progress and a Stop button while it is computed.

A question is a function of a module with plain values. Function and values name the answer, which is computed
once however many sessions ask, and dropped when nobody waits. So an answer must depend on nothing else, and
hold no name of a visitor's file or of its columns: equal numbers may come from two visitors.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, wait
from functools import partial, wraps
from inspect import unwrap
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from nysviz.refusal import Refusal
from nysviz.ui import unkept
from nysviz.ui.logs import failure
from nysviz.ui.markdown import plain
from nysviz.ui.streamlit_private import fragment_here, redraw, tell
from nysviz.ui.work import watching
from nysviz.ui.work.gate import has_lapsed, queue_words
from nysviz.ui.work.store import store

P = ParamSpec("P")
T = TypeVar("T")

# What a visitor has asked for is waited for this long before progress is shown; what comes beside it, less.
ANSWER_SECONDS, BESIDE_SECONDS = 0.5, 0.06
POLL_SECONDS = 0.3
# How often a page that waits draws its progress anew.
PROGRESS_SECONDS = 1.2
# Questions of a session that are remembered as stopped.
MOST_STOPPED = 64


def shared(
    holds: Callable[..., float] | None = None, seconds: Callable[..., float] | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function be computed once for all sessions: further calls return what is at hand.

    Parameters
    ----------
    holds : callable, optional
        Bytes that a call holds while it is computed, where they are more than a part of K.
    seconds : callable, optional
        Seconds that a call is expected to take; without it the last call tells.
    """

    def decorate(compute: Callable[P, T]) -> Callable[P, T]:
        @wraps(compute)
        def found(*question: P.args, **named: P.kwargs) -> T:
            assert not named, "the position of a value is part of the answer's name"
            return store().get(
                key_of(compute, *question),
                partial(compute, *question),
                holds=_estimate(found, "holds", question),
            )

        vars(found).update(holds=holds, seconds=seconds)
        return found

    return decorate


def _estimate(compute: Callable[..., object], what: str, question: Sequence[object]) -> float:
    estimate: Callable[..., float] | None = getattr(compute, what, None)
    return 0.0 if estimate is None else estimate(*question)


def ask(
    compute: Callable[..., T],
    *question: Hashable,
    what: str,
    beside: bool = False,
    patience: float | None = None,
) -> T | None:
    """Return ``compute(*question)``, or None while it is not there: then progress is drawn in this place.

    Stopped, it offers to go on. A refusal (``ValueError``) is shown as its sentence, all else as a fault.

    Parameters
    ----------
    compute : callable
        A ``shared`` function of a module.
    *question : hashable
        What holds data stands by its ``content`` or ``digest``.
    what : str
        Names the computation beside its progress, such as "K-means, m = 90".
    beside : bool
        Comes after what visitors wait for: the page shows its answer already.
    patience : float, optional
        Seconds to wait before progress is drawn.
    """
    key = key_of(compute, *question)
    if key in _stopped() and not store().has(key):
        text = f"Stopped: {what}. Move a control for another question, or go on."
        st.info(text, icon=":material/stop_circle:")
        offer_again(f"go_on_{hash(key):x}", _stopped(), key)
        return None
    seconds = _estimate(compute, "seconds", question)
    future: Future[T] = store().later(
        key,
        partial(unwrap(compute), *question),
        urgent=not beside,
        seconds=seconds,
        holds=_estimate(compute, "holds", question),
    )
    if patience is None:
        patience = BESIDE_SECONDS if beside else ANSWER_SECONDS
    wait([future], timeout=patience)
    if not future.done() or has_lapsed(future):
        unkept.look()
        begun = time.monotonic() - store().spent(future)
        usual = seconds or store().usual_seconds(key)
        _progress(future, key, what, usual, begun, watching.drawing(), fragment_here())
        return None
    try:
        return future.result()
    except Refusal as refusal:
        st.error(plain(str(refusal)), icon=":material/error:")
    except MemoryError:
        st.error(
            "There is not enough memory for this; choose fewer landmarks or a smaller data set.",
            icon=":material/error:",
        )
    except Exception as fault:
        failure("a computation failed", fault)
        st.error(
            "The computation failed, and the server's log says where; try other settings.",
            icon=":material/error:",
        )
    return None


def key_of(compute: Callable[..., object], *question: object) -> tuple[Hashable, ...]:
    """Name an answer by its function and the content of the question."""
    return (f"{compute.__module__}.{compute.__qualname__}", *map(_content, question))


def _content(value: Any) -> Hashable:
    for name in ("content", "digest"):
        if (found := getattr(value, name, None)) is not None:
            return found
    return value


def _stopped() -> list[Hashable]:
    """Return the questions that this session has stopped, the latest last."""
    found: list[Hashable] = st.session_state.setdefault("stopped", [])
    return found


def offer_again(name: str, stopped: list[Hashable], key: Hashable) -> None:
    """Draw the button that goes on with what was stopped."""

    def go_on() -> None:
        if key in stopped:
            stopped.remove(key)

    st.button("Go on", key=name, icon=":material/play_circle:", on_click=go_on)


def _stop(key: Hashable, future: Future[Any]) -> None:
    _stopped().append(key)
    del _stopped()[:-MOST_STOPPED]
    store().stop(future)


@st.fragment(run_every=POLL_SECONDS)
def _progress(
    future: Future[Any],
    key: Hashable,
    what: str,
    usual: float,
    begun: float,
    looks: watching.Drawing,
    asking: str | None,
) -> None:
    """Draw progress until the answer is there; then draw the part of the page that asked."""
    if future.done():
        redraw(asking)
    looks.touch()
    # A session remembers the question for longer than the page: it must not keep the answer, perhaps large.
    drawn, awaited = time.monotonic(), weakref.ref(future)

    def has_news() -> bool:
        looks.touch()
        one = awaited()
        return one is None or one.done() or time.monotonic() - drawn >= PROGRESS_SECONDS

    tell(has_news)
    spent = time.monotonic() - begun
    others = store().others_before(future)
    text = f"{what}: {spent:.0f} s" if others is None else f"{what}: {queue_words(others)}"
    if others is None and usual >= max(1.0, spent):
        text += f" of about {usual:.0f} s"
    # Of what was never computed here the length is unknown: the bar then fills ever more slowly.
    share = spent / usual if usual > 0 else 1 - math.exp(-spent / 10)
    st.progress(min(0.97, share), text=text)
    st.button(
        "Stop",
        key=f"stop_{hash(key):x}",
        icon=":material/stop_circle:",
        on_click=_stop,
        args=(key, future),
    )
