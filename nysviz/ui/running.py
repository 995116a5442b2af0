"""Long runs behind the pages: shared by sessions that ask the same, drawn as results come in, and stopped.

A run belongs to nobody: it goes on while some session watches it. Who presses Stop stops watching, and where
nobody is left the run ends within a moment. What it has found is kept, cell by cell, so that the same or an
overlapping question goes on from there.
"""

from __future__ import annotations

import hashlib
import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator, MutableMapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import streamlit as st
from cachetools import LRUCache
from streamlit.runtime.scriptrunner import get_script_run_ctx

from nysviz.blocks import worker_pool
from nysviz.sweep import Job, Progress, run_jobs
from nysviz.ui.markdown import plain
from nysviz.ui.store import give_way, memory_budget, size_of

Draw = Callable[[Sequence[Any], Progress], None]

POLL_SECONDS = 0.6
# A run that is over so soon is drawn once instead of twice.
PATIENCE_SECONDS = 0.3
# A browser tells of itself at each poll; one in the background does so more seldom.
WATCH_SECONDS = 15.0
# Runs whose results are kept together, and the part of the memory budget that single cells may take.
RUNS = 48
CELLS_SHARE = 0.15
NOT_BEGUN = Progress(0, 0, 0.0, math.nan)


class Run:
    """Jobs that are being done, and the records they have given so far."""

    def __init__(self, key: Hashable, executor: Executor, cells: MutableMapping[Hashable, Any]) -> None:
        self.key = key
        self.problem: str | None = None
        self.progress = NOT_BEGUN
        self.done = False
        self.make: Callable[[], Sequence[Job]] | None = None
        self._executor = executor
        self._cells = cells
        self._records: list[Any] = []
        self._watchers: dict[str, float] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._over = threading.Event()
        self._going = False

    def records(self) -> tuple[Any, ...]:
        """What is there by now."""
        with self._lock:
            return tuple(self._records)

    def watch(self, session: str) -> None:
        """Tell that a session waits for the results; a run that nobody watched goes on."""
        with self._lock:
            self._watchers[session] = time.monotonic()
            if self.done or self._going or self.make is None:
                return
            self._going = True
            self._stop = threading.Event()
            self._over = threading.Event()
            make, self.make = self.make, None
        threading.Thread(target=self._work, args=(make,), name="nysviz-run", daemon=True).start()

    def leave(self, session: str) -> None:
        """Tell that a session waits no more."""
        with self._lock:
            self._watchers.pop(session, None)
        if not self._watched():
            self._stop.set()

    def wait(self, seconds: float) -> None:
        """Wait for the end of the run, at most so long."""
        self._over.wait(seconds)

    def _watched(self) -> bool:
        with self._lock:
            oldest = time.monotonic() - WATCH_SECONDS
            self._watchers = {who: when for who, when in self._watchers.items() if when >= oldest}
            return bool(self._watchers)

    def _work(self, make: Callable[[], Sequence[Job]]) -> None:
        fresh: list[Any] = []
        try:
            jobs = list(make())
            for finished in run_jobs(jobs, self._executor, self._cells, self._stop):
                fresh.extend(finished.records)
                with self._lock:
                    # A resumed run finds the cells that it has shown before first: they replace them.
                    if len(fresh) >= len(self._records):
                        self._records = list(fresh)
                    self.progress = finished.progress
                if not self._watched():
                    self._stop.set()
            complete = self.progress.done == len(jobs)
        except ValueError as problem:
            self.problem, complete = str(problem), True
        except MemoryError:
            self.problem, complete = "There is not enough memory for this; choose smaller data.", True
        except Exception:
            logging.getLogger(__name__).exception("a run failed")
            self.problem, complete = (
                "The computation failed, and the server's log says where; try other settings.",
                True,
            )
        with self._lock:
            self.done, self._going = complete, False
        self._over.set()


class _Cells(MutableMapping[Hashable, Any]):
    """Records by the content they were computed from, bounded in bytes, for threads."""

    def __init__(self, budget: float) -> None:
        self._lock = threading.Lock()
        self._kept: LRUCache[Hashable, Any] = LRUCache(budget, getsizeof=lambda value: 300 + size_of(value))

    def __getitem__(self, key: Hashable) -> Any:
        with self._lock:
            return self._kept[key]

    def __setitem__(self, key: Hashable, value: Any) -> None:
        with self._lock:
            self._kept[key] = value

    def __delitem__(self, key: Hashable) -> None:
        with self._lock:
            del self._kept[key]

    def __iter__(self) -> Iterator[Hashable]:
        with self._lock:
            return iter(list(self._kept))

    def __len__(self) -> int:
        with self._lock:
            return len(self._kept)


class _Runs:
    """The runs of this process by what they compute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: LRUCache[Hashable, Run] = LRUCache(RUNS)
        # Visitors who move a control go first: these threads give way.
        self._executor = worker_pool("nysviz-runs", give_way)
        self._alone = ThreadPoolExecutor(1, thread_name_prefix="nysviz-alone")
        self._cells = _Cells(CELLS_SHARE * memory_budget())

    def get(self, key: Hashable, make: Callable[[], Sequence[Job]], alone: bool) -> Run:
        with self._lock:
            run = self._runs.get(key)
            if run is None or run.problem is not None:
                executor = self._alone if alone else self._executor
                run = self._runs[key] = Run(key, executor, self._cells)
        if not run.done:
            run.make = make
        return run


@st.cache_resource(max_entries=1, show_spinner=False)
def _runs() -> _Runs:
    return _Runs()


def running(key: Hashable, make_jobs: Callable[[], Sequence[Job]], *, alone: bool = False) -> Run:
    """Return the run with this key, the same for every session that asks for the same.

    Parameters
    ----------
    key : hashable
        Content of all that the records depend on: digest of the data, kernel, methods, m, repeats, seed.
    make_jobs : callable
        Makes the jobs; called in another thread, and only where they have not been done.
    alone : bool
        One job at a time, for jobs that measure seconds.
    """
    return _runs().get(key, make_jobs, alone)


def follow(run: Run, draw: Draw, what: str) -> None:
    """Draw a run's records now and as they come in, with its progress and a button to stop it.

    Parameters
    ----------
    run : Run
    draw : callable
        ``draw(records, progress)``; called again and again in a fragment, at first perhaps without records.
    what : str
        What the runs are, in a few words: "runs of 5 methods".
    """
    session, mark = _session(), _mark(run)
    stopped = st.session_state.setdefault("stopped_runs", [])
    if run.key not in stopped:
        run.watch(session)
        run.wait(PATIENCE_SECONDS)
    if run.done or run.key in stopped:
        draw(run.records(), run.progress)
        if run.problem is not None:
            st.error(plain(run.problem), icon=":material/error:")
        elif not run.done:
            _resume(run, stopped, what)
        return

    @st.fragment(run_every=POLL_SECONDS)
    def live() -> None:
        if run.done or run.key in stopped:
            st.rerun()
        run.watch(session)
        draw(run.records(), run.progress)
        st.progress(min(1.0, run.progress.fraction), text=f"{what}: {_so_far(run.progress)}")
        st.button(
            "Stop", key=f"stop_{mark}", icon=":material/stop_circle:", on_click=_stop, args=(run, stopped)
        )

    live()


def _resume(run: Run, stopped: list[Hashable], what: str) -> None:
    st.caption(f"Stopped: {what}, {run.progress.done} of {run.progress.total} are there.")
    st.button(
        "Go on",
        key=f"resume_{_mark(run)}",
        icon=":material/play_circle:",
        on_click=lambda: stopped.remove(run.key) if run.key in stopped else None,
    )


def _stop(run: Run, stopped: list[Hashable]) -> None:
    stopped.append(run.key)
    del stopped[:-RUNS]
    run.leave(_session())


def _so_far(progress: Progress) -> str:
    if not progress.total:
        return "getting ready"
    text = f"{progress.done} of {progress.total}"
    if math.isnan(progress.seconds_left):
        return text
    left = progress.seconds_left
    return f"{text}, {f'about {left:.0f} s' if left >= 1 else 'less than a second'} left"


def _mark(run: Run) -> str:
    """Name the run's buttons: a page may follow more than one."""
    return hashlib.sha256(repr(run.key).encode()).hexdigest()[:8]


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context is not None else "alone"
