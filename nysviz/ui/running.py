"""Long runs behind the pages: shared by sessions that ask the same, drawn as results come in, and stopped.

A run belongs to nobody: it goes on while some session watches it. Who presses Stop stops watching, and where
nobody is left the run ends within a moment. What it has found is kept, cell by cell, so that the same or an
overlapping question goes on from there.
"""

import math
import time
import weakref
from dataclasses import dataclass

import streamlit as st

from nysviz.engine import Run
from nysviz.engine.runs import FIRST_JOBS
from nysviz.ui import watching
from nysviz.ui.asking import offer_again, offer_stop, redraw_on_news, stopped, tell_news
from nysviz.ui.streamlit_private import show_error
from nysviz.ui.turns import aside

# How often a page looks whether there are new results, and whether those beside its answer are there.
POLL_SECONDS, BESIDE_POLL_SECONDS = 0.6, 1.0
# Shortest time between two drawings of results that come one by one, in lengths of the last drawing too: on a
# busy server they take long.
DRAW_SECONDS, BESIDE_SECONDS, PAUSE = 0.6, 3.0, 8.0
# Seconds from which on the time left is written in minutes.
LONG = 120.0
# A run that ends within this time is drawn once instead of twice; how often that is looked for.
PATIENCE_SECONDS, LOOK_SECONDS = 0.1, 0.1


@dataclass(frozen=True)
class Shown:
    """What a drawing of a page shows of a run: how many results, and whether no more are waited for."""

    done: int
    is_last: bool
    is_beside: bool
    drawing: watching.Drawing

    def is_old(self, run: Run, at: float) -> bool:
        """Whether it is time to draw again after a drawing that ended at this time.

        The first picture comes as soon as it shows something; what is beside the answer, when it has doubled.
        """
        if not self.is_beside and self.done < FIRST_JOBS <= run.progress.done:
            return True
        pause = max(BESIDE_SECONDS if self.is_beside else DRAW_SECONDS, PAUSE * (at - self.drawing.began))
        fresh = 2 * max(1, self.done) if self.is_beside else self.done + 1
        return run.progress.done >= fresh and time.monotonic() - at >= pause


def at_rest(run: Run) -> bool:
    """Whether a run is over, or was stopped by this session."""
    return run.done or run.key in stopped()


def watch(run: Run, *, beside: bool = False, patience: float = PATIENCE_SECONDS) -> Shown:
    """Let a run go on for this page, unless this session stopped it; return what can be shown of it.

    A run that ends within ``patience`` seconds is waited for; one ``beside`` comes after what visitors wait
    for.
    """
    drawing = watching.drawing()
    if run.key not in stopped():
        run.watch(drawing, beside=beside)
        if not run.done:
            until = time.monotonic() + patience
            with aside():
                while not run.over.wait(LOOK_SECONDS) and time.monotonic() < until:
                    watching.leave_run()
    is_last = at_rest(run)
    return Shown(run.progress.done, is_last, beside, drawing)


def show_progress(run: Run, what: str, shown: Shown) -> None:
    """Show how far a run is, with a button to stop it, or why it ended before all results are there.

    The page is drawn again as more come in. ``what`` names the runs in a few words.
    """
    # A page may wait for more than one run: the buttons of each have their own name.
    mark = f"{hash(run.key):x}"
    if not shown.is_last:
        follow = _follow_beside if shown.is_beside else _follow
        # A session remembers its parts for longer than the page: they must not keep the records.
        follow(weakref.ref(run), shown, time.monotonic(), mark, what, redraw_on_news(mark))
    elif run.error is not None:
        show_error(run.error)
    elif not run.done:
        st.caption(f"Stopped: {what}, {run.progress.done} of {run.progress.total} are there.")
        offer_again(f"resume_{mark}", run.key)


def _progress(
    followed: "weakref.ref[Run]", shown: Shown, at: float, mark: str, what: str, token: str
) -> None:
    run = followed()
    # Where no word came from this browser for a while the run has ended: the page asks for it again.
    if run is None or at_rest(run) or run.turn is None or shown.is_old(run, at):
        tell_news(token)
    if run is None:
        return
    shown.drawing.touch()
    run.watch(shown.drawing, beside=shown.is_beside)
    st.progress(min(1.0, run.progress.fraction), text=f"{what}{run.where}: {_so_far(run)}")
    offer_stop(f"stop_{mark}", run.key, run.waiters.leave)


_follow = st.fragment(_progress, run_every=POLL_SECONDS)
_follow_beside = st.fragment(_progress, run_every=BESIDE_POLL_SECONDS)


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
