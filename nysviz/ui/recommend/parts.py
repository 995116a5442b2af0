"""The page "Recommend": what is asked, and its three runs, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from nysviz.advice import (
    DEFAULT_METHODS,
    Budget,
    Candidate,
    Floor,
    Question,
    Recommendation,
    Tried,
    Verified,
    Width,
    candidates,
    floor_job,
    screen_jobs,
    second_stage_job,
    width_jobs,
)
from nysviz.advice.curve import EXTREME
from nysviz.landmarks import METHODS
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.work.runs import Run

# Evenly spaced in log.
TARGETS = (0.5, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.015, 0.01, 0.007, 0.005, 0.003, 0.002, 0.001)
FIRST_TARGET = 0.1
NORM_NAMES = {"trace": "trace", "frobenius": "Frobenius"}
FLOOR = "svd"


@dataclass(frozen=True, eq=False)
class Asked:
    """The page's question: what to measure, and what it may cost."""

    question: Question
    budget: Budget
    y: object
    task: str | None


def ask(scene: Scene) -> Asked | None:
    """Draw the controls; None where no method is chosen."""
    left, right = st.columns(2)
    target = left.select_slider(
        "Target error",
        sorted(TARGETS),
        value=FIRST_TARGET,
        format_func=lambda value: f"{value:g}",
        key="recommend_target",
        bind="query-params",
        help="Part of K, in the norm beside, that may be left.",
    )
    norm = right.selectbox(
        "Norm", NORM_NAMES, format_func=NORM_NAMES.__getitem__, key="recommend_norm", bind="query-params"
    )
    seconds = left.number_input(
        "Seconds at most",
        min_value=0.001,
        max_value=1e6,
        value=None,
        format="%g",
        placeholder="any",
        key="recommend_seconds",
        bind="query-params",
        help="What one approximation of all rows may take on this machine.",
    )
    megabytes = right.number_input(
        "Memory at most, MB",
        min_value=0.01,
        max_value=1e6,
        value=None,
        format="%g",
        placeholder="any",
        key="recommend_memory",
        bind="query-params",
        help="What it may hold beside the data.",
    )
    methods = _choose_methods(scene, str(norm))
    if not methods:
        return None
    data = scene.data
    asked = Question.of(data.X, scene.kernel, target, str(norm), methods, scene.seed, data.digest)
    memory = None if megabytes is None else 1e6 * float(megabytes)
    return Asked(asked, Budget(None if seconds is None else float(seconds), memory), data.y, data.task)


def _choose_methods(scene: Scene, norm: str) -> tuple[str, ...]:
    suited = [name for name, entry in METHODS.items() if entry.suits(scene.kernel) and name != FLOOR]
    offered = [name for name in suited if METHODS[name].data_dependent or norm == "frobenius"]
    # Parts of the rows do not tell of the methods that go for outliers.
    large = scene.data.n > Question(scene.data.X, scene.kernel).sizes[-1]
    first = [name for name in DEFAULT_METHODS if not (large and name in EXTREME)]
    held = st.session_state.get("recommend_methods")
    if held is not None and not set(held) <= set(offered):
        st.session_state["recommend_methods"] = [name for name in held if name in offered]
    with st.popover("Methods that are considered", width="stretch"):
        chosen = st.multiselect(
            "Methods",
            offered,
            default=[name for name in first if name in offered],
            format_func=lambda name: METHODS[name].label,
            key="recommend_methods",
            bind="query-params",
            label_visibility="collapsed",
        )
    return tuple(chosen)


def screening(scene: Scene, asked: Asked) -> Run:
    """Return the run of all methods, on parts of the rows where they are many."""
    q = asked.question
    key = ("recommend", *scene.key, q.norm, q.stop, q.methods, q.seed)
    # Seconds are those of one run at a time.
    return running(key, lambda: screen_jobs(q), alone=True, rows=scene.data.n)


def verifying(scene: Scene, asked: Asked, tried: Sequence[Tried]) -> Run:
    """Return the run of the first methods on all rows, and of the floor."""
    job = second_stage_job(asked.question, asked.budget, tried)
    key, rows = ("recommend all rows", job.key), scene.data.n
    return running(key, lambda: [job, floor_job(asked.question)], alone=True, rows=rows)


def widening(scene: Scene, asked: Asked) -> Run:
    """Return the run of the bandwidths."""
    q = asked.question
    key = ("recommend bandwidths", *scene.key, q.norm, q.seed, q.target, asked.task, asked.y is not None)
    return running(key, lambda: width_jobs(q, asked.y, asked.task), rows=scene.data.n)


def recommendation(asked: Asked, tried: Sequence[Tried], more: Sequence[object] = ()) -> Recommendation:
    """Put together what is there so far."""
    verified = {one.method: one for one in more if isinstance(one, Verified)}
    floors = [one for one in more if isinstance(one, Floor)]
    found = candidates(asked.question, asked.budget, tried, verified)
    return Recommendation(asked.question, asked.budget, found, floors[0] if floors else None)


def with_widths(found: Recommendation, widths: Sequence[Width]) -> Recommendation:
    """The same answer, with what is known of other bandwidths, narrowest first."""
    return replace(found, widths=tuple(sorted(widths, key=lambda one: one.sigma)))


def first_of(found: Recommendation) -> Candidate | None:
    """The recommended candidate, else the one that comes nearest."""
    return found.best or (found.candidates[0] if found.candidates else None)
