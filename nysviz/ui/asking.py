"""Ask the mathematics one question: its answer, or progress and a Stop button while it is computed.

A question is a shared function (``nysviz.engine.shared``) with plain values. Its answer is computed
once however many sessions ask, and dropped when nobody waits.
"""

import logging
import math
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager, nullcontext
from functools import partial
from inspect import unwrap
from typing import TypeVar

import streamlit as st

from nysviz.engine import Engine, NobodyWaits, Task, budget, has_lapsed
from nysviz.engine.shared import Host, bytes_of, engine, install, key_of
from nysviz.faults import failure
from nysviz.numerics import memory
from nysviz.numerics.blocks import cores, settle_for_one_blas_thread
from nysviz.refusal import Refusal
from nysviz.ui import settings, watching
from nysviz.ui.components import source
from nysviz.ui.streamlit_private import session_here, show_error
from nysviz.ui.turns import aside
from nysviz.ui.warming import warm

T = TypeVar("T")

# What a visitor has asked for is waited for this long before progress is shown; what comes beside it, less.
ANSWER_SECONDS, BESIDE_SECONDS = 0.5, 0.06
POLL_SECONDS = 0.3
# Questions of a session that are remembered as stopped.
MOST_STOPPED = 64


class App(Host):
    """The app: pages ask, each in its turn, and leave when they are drawn anew."""

    def make_engine(self) -> Engine:
        """Return the engine, and settle how the process computes."""
        if little := budget.too_little():
            logging.getLogger("nysviz").warning(little)
        # Many sessions share the cores: one BLAS thread each, since BLAS threads wait by spinning.
        settle_for_one_blas_thread()
        # An arena a core: threads that compute and threads that draw seldom wait for one another there.
        memory.keep_little(max(2, cores()))
        threading.Thread(target=warm, name="nysviz-warm", daemon=True).start()
        return super().make_engine()

    def once(self, key: Hashable, compute: Callable[[], T], holds: float) -> T:
        """Return the result of this key; the run of a page's script ends where nobody sees it any more."""
        drawing = watching.drawing()

        def meanwhile() -> None:
            drawing.touch()
            watching.leave_run()

        try:
            with nullcontext() if engine().has(key) else aside():
                return engine().get(key, compute, drawing, holds=holds, meanwhile=meanwhile)
        except NobodyWaits:
            watching.leave_run()
            st.stop()
            raise


install(App())


def ask(
    compute: Callable[..., T], *question: Hashable, what: str, beside: bool = False, seconds: float = 0.0
) -> T | None:
    """Return ``compute(*question)``, or None while it is not there: then progress is drawn in this place.

    Stopped, it offers to go on. A refusal (``ValueError``) is shown as its sentence, all else as a fault.
    ``what`` names the computation beside its progress, such as "K-means, m = 90"; one ``beside`` comes after
    what visitors wait for; ``seconds`` it is expected to take, where that is known.
    """
    key = key_of(compute, *question)
    if key in stopped() and not engine().has(key):
        text = f"Stopped: {what}. Move a control for another question, or go on."
        st.info(text, icon=":material/stop_circle:")
        offer_again(f"go_on_{hash(key):x}", key)
        return None
    make, needed = partial(unwrap(compute), *question), bytes_of(compute, question)
    task = engine().ask(key, make, watching.drawing(), beside=beside, holds=needed)
    if not task.future.done():
        with aside():
            wait([task.future], timeout=BESIDE_SECONDS if beside else ANSWER_SECONDS)
    if not task.future.done() or has_lapsed(task.future):
        # A session remembers parts for longer than the page: they must not keep the answer.
        token = redraw_on_news(f"{hash(key):x}")
        _progress(weakref.ref(task), key, what, seconds, watching.drawing(), token)
        return None
    try:
        with sentences():
            found: T = task.future.result()
            return found
    except Exception as fault:
        failure("a computation failed", fault)
        show_error(fault)
    return None


@contextmanager
def sentences() -> Iterator[None]:
    """Turn the errors that a user can mend into one sentence; the rest of the page stays."""
    try:
        yield
    except (Refusal, MemoryError) as problem:
        show_error(problem)


_again = st.components.v2.component("nysviz_again", js=source("again.js"))


def redraw_on_news(name: str) -> str:
    """Return a token with which ``tell_news`` has this part of the page drawn again.

    A part that polls cannot ask for the one around it: the browser does.
    """
    token = f"{name}-{time.monotonic_ns():x}"
    _again(key=f"again_{name}", data={"token": token}, on_news_change=watching.acting(settings.stay))
    return token


def tell_news(token: str) -> None:
    """Say, in a part that polls, that there is something new for the part around it."""
    st.html(f'<i data-nysviz-news="{token}"></i>')


def stopped() -> list[Hashable]:
    """Return the questions and runs that this session has stopped, the latest last."""
    found: list[Hashable] = st.session_state.setdefault("stopped", [])
    return found


def offer_again(name: str, key: Hashable) -> None:
    """Draw the button that goes on with what was stopped."""

    def go_on() -> None:
        if key in stopped():
            stopped().remove(key)

    st.button("Go on", key=name, icon=":material/play_circle:", on_click=go_on)


def offer_stop(name: str, key: Hashable, leave: Callable[[str], None]) -> None:
    """Draw the button that stops what is computed; this session leaves it then."""

    def stop() -> None:
        stopped().append(key)
        del stopped()[:-MOST_STOPPED]
        leave(session_here())

    st.button("Stop", key=name, icon=":material/stop_circle:", on_click=stop)


@st.fragment(run_every=POLL_SECONDS)
def _progress(
    awaited: "weakref.ref[Task]",
    key: Hashable,
    what: str,
    seconds: float,
    drawing: watching.Drawing,
    token: str,
) -> None:
    """Draw progress until the answer is there; then let the part of the page be drawn that asked."""
    task = awaited()
    if task is None or task.future.done():
        tell_news(token)
        return
    drawing.touch()
    spent = time.monotonic() - task.asked
    text = f"{what}: queued" if task.begun is None else f"{what}: {spent:.0f} s so far"
    if task.begun is not None and seconds >= max(1.0, spent):
        text = f"{what}: {spent:.0f} of about {seconds:.0f} s"
    # Where the length is unknown the bar fills ever more slowly.
    share = spent / seconds if seconds > 0 else 1 - math.exp(-spent / 10)
    st.progress(min(0.97, share), text=text)
    offer_stop(f"stop_{hash(key):x}", key, task.waiters.leave)
