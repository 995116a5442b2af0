"""The page "Compare": its question, its runs, and the chart of what they found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.landmarks import METHODS
from nysviz.sweep import Job, Problem, Record, cost_jobs, sweep_jobs
from nysviz.sweep.ranking import Values, by_method
from nysviz.ui import large
from nysviz.ui.computing import MOST_LANDMARKS, is_exact, kernel_matrix
from nysviz.ui.running import running
from nysviz.ui.sidebar.scene import Scene, keep_choices
from nysviz.ui.work.needs import run_bytes
from nysviz.ui.work.runs import Run

# The five schemes of the paper's figure 1, and the one that a specialist asks for today.
FIRST_METHODS = ("svd", "icd", "uniform", "column_norm", "kmeans", "rpcholesky")
FLOOR = "svd"
VIEWS = {
    "error": "error against m / n",
    "budget": "error against seconds",
    "seconds": "seconds against m / n",
    "evaluations": "kernel evaluations against m / n",
}
WITH_ERRORS = ("error", "budget")
NORMS = {"frobenius": "Frobenius", "spectral": "spectral", "trace": "trace"}
SYMBOLS = {"frobenius": "F", "spectral": "2", "trace": "*"}
SCALES = {"relative": "relative to K", "best": "times the best possible", "absolute": "absolute"}
# Ten ratios up to the largest one, as in the paper; from 1 % to 10 % at first.
UP_TO = (2, 5, 10, 20, 50)
RATIOS = 10
REPEATS = (3, 5, 10, 20, 50)
# Where there are many rows and a run takes seconds.
LARGE_REPEATS = (2, 3, 5, 10)
# Seconds are taken from fewer runs: each m is a run of its own there, one after the other.
COST_REPEATS = 3
# Relative errors below this are rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Question:
    """What is to be compared."""

    methods: tuple[str, ...]
    view: str
    norm: str
    scale: str
    up_to: int
    repeats: int

    def counts(self, n: int) -> tuple[int, ...]:
        """Numbers of landmarks, each once."""
        if large.is_large(n):
            return large.counts(n, self.up_to)
        percents = [self.up_to * (i + 1) / RATIOS for i in range(RATIOS)]
        ms = {min(MOST_LANDMARKS, max(1, round(n * percent / 100))) for percent in percents}
        return tuple(sorted(ms))


def ask(scene: Scene) -> Question:
    """Draw the controls of the page."""
    offered, left_out = large.offered(scene, list(METHODS))
    methods = st.multiselect(
        "Methods",
        offered,
        default=[name for name in FIRST_METHODS if name in offered],
        format_func=lambda name: METHODS[name].label,
        key="compare_methods",
        bind="query-params",
    )
    view = st.selectbox("Show", VIEWS, format_func=VIEWS.__getitem__, key="compare_view", bind="query-params")
    left, right = st.columns(2)
    norm, scale, repeats = _ask_of_errors(scene, left, right, shown=view in WITH_ERRORS)
    up_to = left.selectbox(
        "m / n up to",
        UP_TO,
        index=2,
        format_func=lambda p: f"{p} %",
        key="compare_up_to",
        bind="query-params",
    )
    if left_out:
        st.caption(large.left_out_sentence(left_out))
    question = Question(tuple(methods), view, norm, scale, up_to, repeats)
    if told := large.mixtures_sentence(methods, question.counts(scene.data.n)):
        st.caption(told)
    return question


def _ask_of_errors(
    scene: Scene, left: DeltaGenerator, right: DeltaGenerator, *, shown: bool
) -> tuple[str, str, int]:
    """Ask for norm, scale and repeats; a view without errors has no use for them, and they wait."""
    few = large.is_large(scene.data.n)
    repeats_key = "compare_few_repeats" if few else "compare_repeats"
    if not shown:
        keep_choices(("compare_norm", "compare_scale", repeats_key))
        return "frobenius", "relative", COST_REPEATS
    norms = NORMS if is_exact(scene) else {name: NORMS[name] for name in ("frobenius", "trace")}
    norm = left.selectbox(
        "Error", norms, format_func=NORMS.__getitem__, key="compare_norm", bind="query-params"
    )
    scales = SCALES if is_exact(scene) else {name: SCALES[name] for name in ("relative", "absolute")}
    scale = right.selectbox(
        "Scale", scales, format_func=SCALES.__getitem__, key="compare_scale", bind="query-params"
    )
    repeats = right.selectbox(
        "Repeats",
        LARGE_REPEATS if few else REPEATS,
        index=0 if few else 2,
        key=repeats_key,
        bind="query-params",
    )
    return norm, scale, repeats


def run_of(scene: Scene, question: Question) -> Run:
    """Return the run that measures what the view shows: errors, what an approximation costs, or both."""
    methods = question.methods
    if question.scale == "best" and FLOOR not in methods and is_exact(scene):
        # The best possible errors come along for the scale.
        methods = (FLOOR, *methods)
    ms = question.counts(scene.data.n)
    costs = question.view != "error"

    def make() -> Sequence[Job]:
        problem, jobs = _problem(scene), []
        if question.view in WITH_ERRORS:
            asked = dict.fromkeys(methods, ())
            jobs += sweep_jobs(problem, asked, ms, question.repeats, scene.seed, (question.norm,))
        if costs:
            jobs += cost_jobs(problem, dict.fromkeys(question.methods, ()), ms, COST_REPEATS, scene.seed)
        return jobs

    settings = (question.repeats, question.norm) if question.view in WITH_ERRORS else ()
    key = ("compare", *scene.key, methods, ms, scene.seed, settings, costs)
    # Seconds are those of one run at a time; runs on many rows take turns for the sake of the memory.
    n = scene.data.n
    held = run_bytes(n, question.methods if costs else methods, ms[-1], matrix=is_exact(scene))
    return running(key, make, alone=costs or large.is_large(n), rows=n, holds=held)


def _problem(scene: Scene) -> Problem:
    data = scene.data
    # Runs are shared by sessions, and a file's name is nobody else's business: equal data have no name here.
    return Problem("", data.X, scene.kernel, data.digest, data.y, kernel_matrix(scene))


def values_of(records: Sequence[Record], question: Question) -> Values:
    """Return the chosen error of every run, on the chosen scale."""
    measure = f"relative_{question.norm}" if question.scale == "relative" else question.norm
    values = by_method([_rounded(record, question.norm) for record in records], measure)
    if question.scale != "best":
        return values
    return {
        m: {name: runs / methods[FLOOR][0] for name, runs in methods.items()}
        for m, methods in values.items()
        if FLOOR in methods and methods[FLOOR][0] > 0
    }


def _rounded(record: Record, norm: str) -> Record:
    """Count an error that is rounding as none, so that nobody is ahead by rounding."""
    if record.values.get(f"relative_{norm}", 1.0) > ROUNDING:
        return record
    return replace(record, values=record.values | {norm: 0.0, f"relative_{norm}": 0.0})
