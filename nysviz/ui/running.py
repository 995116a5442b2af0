"""Long runs behind the pages: shared by sessions that ask the same, drawn as results come in, and stopped.

A run belongs to nobody: it goes on while some session watches it. Who presses Stop stops watching, and where
nobody is left the run ends within a moment. What it has found is kept, cell by cell, so that the same or an
overlapping question goes on from there.
"""

import math
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError

from nysviz.engine import Run
from nysviz.engine.runs import FIRST_JOBS
from nysviz.ui import watching
from nysviz.ui.asking import offer_again, offer_stop, stopped
from nysviz.ui.streamlit_private import fragment_here, redraw, show_error, tell
from nysviz.ui.turns import aside

Draw = Callable[[Sequence[Any]], None]

POLL_SECONDS = 0.3
# Results that come one by one are drawn together: shortest interval between drawings, longest one of the
# progress line.
DRAW_SECONDS = 0.6
PROGRESS_SECONDS = 2.0
# Seconds from which on the time left is written in minutes.
LONG = 120.0
# Shortest pause after a drawing, in lengths of that drawing: on a busy server they take long.
PAUSE = 8.0
# A run that ends within this time is drawn once instead of twice.
PATIENCE_SECONDS = 0.1


def follow(run: Run, draw: Draw, what: str, *, beside: bool = False) -> None:
    """Draw a run's records now and as they come in, with its progress and a button to stop it.

    ``draw`` is called again and again in a fragment, at first perhaps without records; ``what`` says what the
    runs are, in a few words; those ``beside`` come after what visitors wait for.
    """
    drawing, asking = watching.drawing(), fragment_here()
    # A page may follow more than one run: the buttons of each have their own name.
    mark = f"{hash(run.key):x}"
    if run.key not in stopped():
        run.watch(drawing, beside=beside)
        if not run.done:
            with aside():
                run.over.wait(PATIENCE_SECONDS)
    if at_rest(run):
        draw(run.records())
        if run.error is not None:
            show_error(run.error)
        elif not run.done:
            st.caption(f"Stopped: {what}, {run.progress.done} of {run.progress.total} are there.")
            offer_again(f"resume_{mark}", run.key)
        return

    shown, key = Shown(), run.key
    # A session remembers the question for longer than the page: it must not keep the records.
    followed, held = weakref.ref(run), stopped()

    def has_news() -> bool:
        drawing.touch()
        one = followed()
        return one is None or one.done or key in held or one.turn is None or shown.is_old(one)

    @st.fragment(run_every=POLL_SECONDS)
    def live() -> None:
        tell(has_news)
        # Where no word came from this browser for a while the run has ended: it is asked for again.
        if at_rest(run) or run.turn is None:
            redraw(asking)
        run.watch(drawing, beside=beside)
        shown.begin(run)
        try:
            draw(run.records())
        except StreamlitInvalidLayoutContextError:
            # A drawing of the whole page that was cut short took the places away; the next one is under way.
            return
        st.progress(min(1.0, run.progress.fraction), text=f"{what}{run.where}: {_so_far(run)}")
        offer_stop(f"stop_{mark}", run.key, run.waiters.leave)
        shown.end()

    live()


def at_rest(run: Run) -> bool:
    """Whether a run is over, or was stopped by this session."""
    return run.done or run.key in stopped()


@dataclass
class Shown:
    """What a page shows of a run: how much, in which text, since when, and how long it took to draw."""

    done: int = 0
    text: str = ""
    since: float = -math.inf
    seconds: float = 0.0

    def begin(self, run: Run) -> None:
        """Take down what is about to be drawn."""
        self.done, self.text, self.since = run.progress.done, _so_far(run), time.monotonic()

    def end(self) -> None:
        """Take down how long the drawing took."""
        self.seconds = time.monotonic() - self.since

    def is_old(self, run: Run) -> bool:
        """Whether it is time to draw again: the first picture comes as soon as it shows something."""
        age = time.monotonic() - self.since
        if self.done < FIRST_JOBS <= run.progress.done:
            return True
        longest = PAUSE * self.seconds
        if run.progress.done > self.done:
            return age >= max(DRAW_SECONDS, longest)
        return age >= max(PROGRESS_SECONDS, longest) and _so_far(run) != self.text


def _so_far(run: Run) -> str:
    progress = run.progress
    done, left = f"{progress.done} of {progress.total}", progress.seconds_left
    if not progress.total:
        return "queued" if run.waits() else "getting ready"
    if run.waits():
        return f"{done}, queued"
    if math.isnan(left):
        return done
    about = f"about {left:.0f} s" if left < LONG else f"about {left / 60:.0f} min"
    return f"{done}, {about if left >= 1 else 'less than a second'} left"
