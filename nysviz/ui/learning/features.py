"""The view "Nyström against random features" of the page "Learning": scores against m, trial by trial."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from nysviz.figures.bands import Line
from nysviz.figures.learning_curves import learning_chart
from nysviz.learning.trial_setting import EXACT, MACHINES
from nysviz.papers.yang2012.figure2 import Series, jobs
from nysviz.sweep import Job, Problem, Progress, Record
from nysviz.text import counted, ranged
from nysviz.ui import large, page
from nysviz.ui.learning import features_text as text
from nysviz.ui.learning.features_controls import Question, choose
from nysviz.ui.learning.features_text import Outcome
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene

NO_TARGET = (
    "These data have no target to learn. Choose data with labels or values in the sidebar, for example the "
    "handwritten digits or the diabetes data."
)


def view(scene: Scene) -> None:
    """Show how a linear machine scores on Nyström and on random Fourier features of the scene's kernel."""
    data = scene.data
    problem = NO_TARGET if data.y is None or data.task is None else text.too_few(data)
    if problem:
        st.info(problem, icon=":material/info:")
        return
    answer = st.container()
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
        answer.markdown(page.unbroken(text.answer(found)))
        numbers.html(text.numbers(found))
        with below.container():
            script, rows = text.python(scene, question), partial(text.rows, scene, found)
            page.closing(text.EXPLANATION, text.MATHS, script, text.SOURCE, rows)

    with left, page.sentences():
        # Trials on many rows take turns for the sake of the memory.
        asked = (question.setting, question.lines, question.ms, question.trials, question.exact)
        key = ("features", *scene.key, asked, scene.seed)
        run = running(key, partial(_jobs, scene, question), alone=large.is_large(data.n), rows=data.n)
        follow(run, draw, what="trials")


def _jobs(scene: Scene, question: Question) -> list[Job]:
    data = scene.data
    problem = Problem("", data.X, scene.kernel, data.digest, data.y)
    lines = question.lines + ((Series(EXACT),) if question.exact else ())
    return jobs(problem, question.setting, lines, question.ms, question.trials, scene.seed)


def _draw_chart(scene: Scene, found: Outcome) -> None:
    question = found.question
    scale, most = (100.0, 100.0) if found.percent else (1.0, np.inf)
    lines = []
    for series in question.lines:
        ms = sorted(found.scores.get(series.id, {}))
        if not ms:
            continue
        of_trials = [found.at(series, m) for m in ms]
        mean, around = scale * np.array([text.spread(values) for values in of_trials]).T
        label = text.label_of(series)
        told = [
            f"{label}, m = {m}, {found.columns[series.id, m]} columns<br>{found.written(values)}, "
            f"{counted(len(values), 'trial')}"
            for m, values in zip(ms, of_trials, strict=True)
        ]
        # No band crosses the ends that shares and squares have.
        low, high = np.maximum(mean - around, 0.0), np.minimum(mean + around, most)
        lines.append(Line(series.method, label, np.array(ms), mean, low, high, told))
    exact = None
    if found.exact:
        exact = scale * text.spread(found.exact)[0], f"exact machine: {found.written(found.exact)}"
    ends = [
        *(float(v) for line in lines for v in (line.low.min(), line.high.max())),
        *([exact[0]] if exact else []),
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, scale)
    room = 0.09 * (high - low) or 0.05 * abs(high) or 1.0
    title = text.headline(found)
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
    page.show(figure, "learning_features", title)
