"""Ask for a result, and draw progress and a Stop button until it is there.

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
from typing import ParamSpec, TypeVar

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

P = ParamSpec("P")
T = TypeVar("T")

# Seconds that a page waits for an answer before it shows progress; fewer for one beside the main answer.
ANSWER_SECONDS, BESIDE_SECONDS = 0.5, 0.06
# Intervals at which a waiting page polls: normally, and while many wait. A poll costs the interpreter some 5
# ms, which delays all computations.
POLL_SECONDS, CROWDED_SECONDS = 0.3, 2.0
# Stopped questions that a session remembers.
MOST_STOPPED = 64


class App(Host):
    """The app: pages ask, each in its turn, and leave when they are drawn anew."""

    def make_engine(self) -> Engine:
        """Return the engine, and settle how the process computes."""
        if shortage := budget.memory_warning():
            logging.getLogger("nysviz").warning(shortage)
        # Many sessions share the cores: one BLAS thread each, since BLAS threads wait by spinning.
        settle_for_one_blas_thread()
        # An arena a core: threads that compute and threads that draw seldom wait for one another there.
        memory.limit_malloc_cache(max(2, cores()))
        threading.Thread(target=warm, name="nysviz-warm", daemon=True).start()
        return super().make_engine()

    def once(self, key: Hashable, compute: Callable[[], T], holds: float) -> T:
        """Return the result of this key; end the run of a page's script that nobody sees any more."""
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
    compute: Callable[..., T], *question: Hashable, label: str, beside: bool = False, seconds: float = 0.0
) -> T | None:
    """Return ``compute(*question)``, or None while it is computed: then its progress is drawn here.

    A stopped question offers to go on. A refusal (``ValueError``) is shown as its sentence, any other error
    as a fault. ``label`` names the computation beside its progress, such as "K-means, m = 90". A question
    ``beside`` the answer comes after those that visitors wait for. ``seconds`` is its expected time.
    """
    key = key_of(compute, *question)
    if key in stopped_keys() and not engine().has(key):
        text = f"Stopped: {label}. Move a control for another question, or go on."
        st.info(text, icon=":material/stop_circle:")
        offer_again(f"go_on_{hash(key):x}", key)
        return None
    make, bytes_needed = partial(unwrap(compute), *question), bytes_of(compute, question)
    task = engine().ask(key, make, watching.drawing(), beside=beside, holds=bytes_needed)
    if not task.future.done():
        with aside():
            wait([task.future], timeout=BESIDE_SECONDS if beside else ANSWER_SECONDS)
    if not task.future.done() or has_lapsed(task.future):
        # A session remembers parts for longer than the page: they must not keep the answer.
        token = redraw_on_news(f"{hash(key):x}")
        draw = polled(_draw_progress, POLL_SECONDS)
        draw(weakref.ref(task), key, label, seconds, watching.drawing(), token)
        return None
    try:
        with sentences():
            answer: T = task.future.result()
            return answer
    except Exception as fault:
        failure("a computation failed", fault)
        show_error(fault)
    return None


@contextmanager
def sentences() -> Iterator[None]:
    """Show an error that a user can mend as one sentence; the page goes on behind it."""
    try:
        yield
    except (Refusal, MemoryError) as problem:
        show_error(problem)


_again = st.components.v2.component("nysviz_again", js=source("again.js"))


def redraw_on_news(name: str) -> str:
    """Return a token with which ``tell_news`` redraws this part of the page.

    A part that polls cannot redraw the one around it: the browser asks for it.
    """
    token = f"{name}-{time.monotonic_ns():x}"
    _again(key=f"again_{name}", data={"token": token}, on_news_change=watching.acting(settings.stay))
    return token


def tell_news(token: str) -> None:
    """Tell, from a part that polls, that the part around it has something new to draw."""
    st.html(f'<i data-nysviz-news="{token}"></i>')


def stopped_keys() -> list[Hashable]:
    """Return the keys of the questions and runs that this session has stopped, the latest last."""
    keys: list[Hashable] = st.session_state.setdefault("stopped", [])
    return keys


def offer_again(name: str, key: Hashable) -> None:
    """Draw the button that resumes a stopped computation."""

    def go_on() -> None:
        if key in stopped_keys():
            stopped_keys().remove(key)

    st.button("Go on", key=name, icon=":material/play_circle:", on_click=go_on)


def offer_stop(name: str, key: Hashable, leave: Callable[[str], None]) -> None:
    """Draw the button that stops a computation; this session then leaves it."""

    def stop() -> None:
        stopped_keys().append(key)
        del stopped_keys()[:-MOST_STOPPED]
        leave(session_here())

    st.button("Stop", key=name, icon=":material/stop_circle:", on_click=stop)


def polled(draw: Callable[P, None], seconds: float) -> Callable[P, None]:
    """Make a function that draws a part of the page, drawn again at this interval or at a longer one."""
    crowded = engine().queue.is_crowded()
    return st.fragment(draw, run_every=max(seconds, CROWDED_SECONDS) if crowded else seconds)


def _draw_progress(
    awaited: "weakref.ref[Task]",
    key: Hashable,
    label: str,
    seconds: float,
    drawing: watching.PageDrawing,
    token: str,
) -> None:
    """Draw progress until the answer is there; then redraw the part of the page that asked."""
    task = awaited()
    if task is None or task.future.done():
        tell_news(token)
        return
    drawing.touch()
    spent = time.monotonic() - task.asked_at
    text = f"{label}: queued" if task.begun_at is None else f"{label}: {spent:.0f} s so far"
    if task.begun_at is not None and seconds >= max(1.0, spent):
        text = f"{label}: {spent:.0f} of about {seconds:.0f} s"
    # If the time is unknown the bar fills ever more slowly.
    share = spent / seconds if seconds > 0 else 1 - math.exp(-spent / 10)
    st.progress(min(0.97, share), text=text)
    offer_stop(f"stop_{hash(key):x}", key, task.waiters.leave)
