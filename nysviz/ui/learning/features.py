"""The view "Nyström against random features" of the page "Learning": scores against m, trial by trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.figures.learning import learning_chart, score_line
from nysviz.kernels import Gaussian
from nysviz.landmarks import METHODS
from nysviz.learning.feature_map import RANDOM_FEATURES, READINGS
from nysviz.learning.feature_trial import MACHINES, Setting, exact_rows
from nysviz.papers.yang2012.figure2 import Series, train_size
from nysviz.sweep import Progress, Record
from nysviz.text import counted, ranged
from nysviz.ui import large, page
from nysviz.ui.inputs import box, several, stops
from nysviz.ui.learning.features_result import (
    NO_TARGET,
    Outcome,
    Question,
    _answer,
    _jobs,
    _label_of,
    _numbers,
    _python,
    _rows,
    _too_few,
    spread,
)
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene

MS = (10, 20, 50, 100, 200, 500, 1000)
TRIALS = (2, 3, 5, 10, 20, 30)
# The exact machine takes longer than all others together: beyond so many training rows only when asked for.
EXACT_AT_FIRST = 2_000
SHORT = {"rff": "Fourier (RFF)", "orf": "orthogonal (ORF)"}
LABELS = {
    name: entry.label
    for name, entry in METHODS.items()
    if entry.family != "floor" and name not in RANDOM_FEATURES
}


def choose(scene: Scene) -> Question:
    """Draw the controls of the view."""
    gaussian, task = isinstance(scene.kernel, Gaussian), str(scene.data.task)
    first, second = st.columns(2, gap="small")
    method = _box(first, "Nyström landmarks", LABELS, "landmarks", "uniform")
    note = "RFF: random Fourier features. ORF: orthogonal random features, a variant of them."
    shut: Any = {"disabled": not gaussian}
    kind = _box(second, "Random features", SHORT, "random", help=note, **shut)
    first, second = st.columns(2, gap="small")
    note = (
        "Penalty or cost by 5-fold cross-validation on the training part. Ridge regression tells classes "
        "apart by targets -1 and 1."
    )
    machines = MACHINES if task == "classification" else {"ridge": MACHINES["ridge"]}
    machine = _box(first, "Learner", machines, "machine", help=note)
    note = (
        f"{READINGS['frequencies']}, as in the paper: each frequency gives a sine and a cosine. Or "
        f"{READINGS['columns']}: the linear machines are then of equal size."
    )
    readings = {name: name for name in READINGS}
    reading = _box(second, "m counts their", readings, "reading", help=note, **shut)
    if not gaussian:
        st.caption("Random Fourier features need the Gaussian kernel.")
    setting = Setting(task, machine)
    train = train_size(scene.data.n, setting)
    beside, trials, ms, exact = _more(train, gaussian, few=large.is_large(scene.data.n))
    m = stops("Numbers at m", ms, f"learning_features_m_{ms[-1]}", min(50, ms[-1]))
    extra = tuple(Series(name, reading if name in RANDOM_FEATURES else "frequencies") for name in beside)
    random = Series(kind, reading) if gaussian else None
    return Question(setting, Series(method), random, extra, ms, trials, m, exact and train <= exact_rows())


def _box(
    place: DeltaGenerator,
    label: str,
    names: Mapping[str, str],
    key: str,
    first: str | None = None,
    **more: Any,
) -> str:
    return box(label, names, f"learning_features_{key}", first, names, place, **more)


def _more(train: int, gaussian: bool, few: bool) -> tuple[tuple[str, ...], int, tuple[int, ...], bool]:
    """Controls that are seldom moved: other lines, trials (few of many rows), largest m, exact machine."""
    named = LABELS | dict(RANDOM_FEATURES if gaussian else {})
    possible = tuple(m for m in MS if m <= train) or (train,)
    own = "learning_features_"
    with st.popover("Lines, trials and largest m", width="stretch"):
        key = f"{own}beside" if gaussian else f"{own}beside_landmarks"
        beside = several("Beside them", named, key, ("kmeans",), named)
        note = "Each draws its own split, landmarks and frequencies; all lines share the split."
        key, first = (f"{own}few_trials", 3) if few else (f"{own}trials", 10)
        trials = stops("Trials", TRIALS, key, first, help=note)
        largest = stops("Largest m", possible, f"{own}largest_{possible[-1]}", min(200, possible[-1]))
        exact = st.checkbox(
            "Exact kernel",
            value=train <= min(EXACT_AT_FIRST, exact_rows()),
            disabled=train > exact_rows(),
            key=f"{own}exact_{'on' if train <= EXACT_AT_FIRST else 'off'}",
            bind="query-params",
            help=f"Holds the kernel matrix of up to {exact_rows()} training rows; the slowest line.",
        )
    return beside, trials, tuple(m for m in possible if m <= largest), exact


def view(scene: Scene) -> None:
    """Show how a linear machine scores on Nyström and on random Fourier features of the scene's kernel."""
    data = scene.data
    problem = NO_TARGET if data.y is None or data.task is None else _too_few(data)
    if problem:
        st.info(problem, icon=":material/info:")
        return
    answer = page.answer_place()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        question = choose(scene)
        numbers = st.container()
    below = st.container()

    def draw(records: Sequence[Record], progress: Progress) -> None:
        found = Outcome(question, records)
        _draw_chart(scene, found)
        if not records:
            # A fragment may fill only those places later on that it has written to when the page was drawn.
            for place in (answer, numbers, below):
                place.empty()
            return
        answer.markdown(page.unbroken(_answer(found)))
        numbers.html(_numbers(found))
        with below.container():
            script, rows = _python(scene, question), partial(_rows, scene, found)
            page.closing("learning_features", script, rows)

    with left, page.sentences():
        # Trials on many rows take turns for the sake of the memory.
        asked = (question.setting, question.lines, question.ms, question.trials, question.exact)
        key = ("features", *scene.key, asked, scene.seed)
        run = running(key, partial(_jobs, scene, question), alone=large.is_large(data.n), rows=data.n)
        follow(run, draw, what="trials")


def _draw_chart(scene: Scene, found: Outcome) -> None:
    question = found.question
    scale, most = (100.0, 100.0) if found.percent else (1.0, np.inf)
    lines = []
    for series in question.lines:
        ms = sorted(found.scores.get(series.id, {}))
        if not ms:
            continue
        of_trials = [found.at(series, m) for m in ms]
        label = _label_of(series)
        hover = [
            f"{label}, m = {m}, {found.columns[series.id, m]} columns<br>{found.written(values)}, "
            f"{counted(len(values), 'trial')}"
            for m, values in zip(ms, of_trials, strict=True)
        ]
        runs = [[scale * value for value in values] for values in of_trials]
        lines.append(score_line(series.method, label, ms, runs, hover, most))
    exact = None
    if found.exact:
        exact = scale * spread(found.exact)[0], f"exact kernel: {found.written(found.exact)}"
    ends = [
        *(float(v) for line in lines for v in (line.low.min(), line.high.max())),
        *([exact[0]] if exact else []),
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, scale)
    room = 0.09 * (high - low) or 0.05 * abs(high) or 1.0
    title = f"{'Test accuracy' if found.percent else 'Test error'} against m"
    trials = ranged(Counter((r.method, r.options, r.m) for r in found.records).values(), "trial")
    figure = learning_chart(
        lines,
        exact,
        question.ms,
        (question.ms[0], question.ms[-1]),
        question.m,
        (
            f"landmarks or {question.random.reading if question.random else 'frequencies'} m",
            "test accuracy (%)" if found.percent else "test mean square error / variance",
        ),
        (max(0.0, low - room), min(100.5, high + room) if found.percent else high + room),
        page.theme(),
        title,
        f"{scene.subtitle}; {MACHINES[question.setting.machine]}; {trials}, mean ± deviation",
        500,
        found.ahead,
    )
    page.show(figure, "learning_features", f"{title}, a line a method.")
