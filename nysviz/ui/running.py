"""Long runs behind the pages: shared by sessions with the same question, drawn as results come in.

A run goes on while some session watches it. A session that presses Stop stops watching, and the run ends
when none is left. Its results are kept, cell by cell, so that the same or an overlapping question goes on
from there.
"""

import math
import time
import weakref
from dataclasses import dataclass

import streamlit as st

from nysviz.engine import Run
from nysviz.engine.runs import FIRST_JOBS
from nysviz.ui import watching
from nysviz.ui.asking import offer_again, offer_stop, polled, redraw_on_news, stopped_keys, tell_news
from nysviz.ui.streamlit_private import show_error
from nysviz.ui.turns import aside

# Interval at which a page looks for new results, and for those beside its answer.
POLL_SECONDS, BESIDE_POLL_SECONDS = 0.6, 1.0
# Shortest pause between two drawings of a growing run, for the answer and beside it, and as a multiple of the
# time of the last drawing, which is long on a busy server.
DRAW_SECONDS, BESIDE_SECONDS, PAUSE = 0.6, 3.0, 8.0
# Seconds from which on the time left is written in minutes.
LONG = 120.0
# A run that ends within this time is drawn once instead of twice; interval at which that is looked for.
PATIENCE_SECONDS, LOOK_SECONDS = 0.1, 0.1


@dataclass(frozen=True)
class RunSnapshot:
    """The results of a run that a drawing of a page shows: how many, and whether they are the last."""

    done: int
    is_last: bool
    is_beside: bool
    drawing: watching.PageDrawing

    def is_old(self, run: Run, drawn_at: float) -> bool:
        """Whether it is time to draw again after a drawing that ended at ``drawn_at``.

        The first picture comes as soon as it shows something; one beside the answer when its results have
        doubled.
        """
        if not self.is_beside and self.done < FIRST_JOBS <= run.progress.done:
            return True
        shortest_pause = BESIDE_SECONDS if self.is_beside else DRAW_SECONDS
        pause = max(shortest_pause, PAUSE * (drawn_at - self.drawing.began))
        fresh = 2 * max(1, self.done) if self.is_beside else self.done + 1
        return run.progress.done >= fresh and time.monotonic() - drawn_at >= pause


def at_rest(run: Run) -> bool:
    """Whether a run is over, or was stopped by this session."""
    return run.done or run.key in stopped_keys()


def watch(run: Run, *, beside: bool = False, patience: float = PATIENCE_SECONDS) -> RunSnapshot:
    """Let a run go on for this page, unless this session stopped it; return its snapshot.

    A run that ends within ``patience`` seconds is waited for; one ``beside`` the answer comes after those
    that visitors wait for.
    """
    drawing = watching.drawing()
    if run.key not in stopped_keys():
        run.watch(drawing, beside=beside)
        if not run.done:
            until = time.monotonic() + patience
            with aside():
                while not run.over.wait(LOOK_SECONDS) and time.monotonic() < until:
                    watching.leave_run()
    is_last = at_rest(run)
    return RunSnapshot(run.progress.done, is_last, beside, drawing)


def show_progress(run: Run, label: str, snapshot: RunSnapshot) -> None:
    """Show the progress of a run, with a button to stop it, or why it ended early.

    The page is drawn again as more results come in. ``label`` names the runs in a few words.
    """
    # A page may wait for several runs: the buttons of each have their own key.
    run_key = f"{hash(run.key):x}"
    if not snapshot.is_last:
        follow = polled(_draw_progress, BESIDE_POLL_SECONDS if snapshot.is_beside else POLL_SECONDS)
        # A session remembers its parts for longer than the page: they must not keep the records.
        follow(weakref.ref(run), snapshot, time.monotonic(), run_key, label, redraw_on_news(run_key))
    elif run.error is not None:
        show_error(run.error)
    elif not run.done:
        st.caption(f"Stopped: {label}, {run.progress.done} of {run.progress.total} are there.")
        offer_again(f"resume_{run_key}", run.key)


def _draw_progress(
    run_reference: "weakref.ref[Run]",
    snapshot: RunSnapshot,
    drawn_at: float,
    run_key: str,
    label: str,
    token: str,
) -> None:
    run = run_reference()
    # If this browser sent nothing for a while the run has ended: the page asks for it again.
    if run is None or at_rest(run) or run.turn is None or snapshot.is_old(run, drawn_at):
        tell_news(token)
    if run is None:
        return
    snapshot.drawing.touch()
    run.watch(snapshot.drawing, beside=snapshot.is_beside)
    st.progress(min(1.0, run.progress.fraction), text=f"{label}{run.place_text}: {_progress_text(run)}")
    offer_stop(f"stop_{run_key}", run.key, run.waiters.leave)


def _progress_text(run: Run) -> str:
    progress = run.progress
    done, seconds_left = f"{progress.done} of {progress.total}", progress.seconds_left
    if not progress.total:
        return "queued" if run.waits() else "getting ready"
    if run.waits():
        return f"{done}, queued"
    if math.isnan(seconds_left):
        return done
    about = f"about {seconds_left:.0f} s" if seconds_left < LONG else f"about {seconds_left / 60:.0f} min"
    return f"{done}, {about if seconds_left >= 1 else 'less than a second'} left"
