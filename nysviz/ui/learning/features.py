"""The view "Nyström against random features" of the page "Learning": scores against m, trial by trial."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from nysviz.figures.learning_curves import Curve, learning_chart
from nysviz.learning.trial_setting import EXACT, MACHINES
from nysviz.papers.yang2012.figure2 import Scores, Series, jobs, scores
from nysviz.sweep import Job, Problem, Record
from nysviz.ui import large, page
from nysviz.ui.learning import features_rows as told
from nysviz.ui.learning import features_words
from nysviz.ui.learning.features_controls import Choice, choose
from nysviz.ui.learning.features_seen import Seen, ahead, label_of, score_name, spread
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene


def view(scene: Scene) -> None:
    """Show how a linear machine scores on Nyström and on random Fourier features of the scene's kernel."""
    data = scene.data
    if data.y is None or data.task is None:
        st.info(
            "These data have no target to learn. Choose data with labels or values in the sidebar, for "
            "example the handwritten digits or the diabetes data.",
            icon=":material/info:",
        )
        return
    if problem := features_words.too_few(data):
        st.info(problem, icon=":material/info:")
        return
    answer = st.container()
    left, right = st.columns([0.66, 0.34], gap="medium")
    with right:
        choice = choose(scene)
        numbers = st.container()
    below = st.container()

    def make_jobs() -> list[Job]:
        problem = Problem("", data.X, scene.kernel, data.digest, data.y)
        lines = choice.lines + ((Series(EXACT),) if choice.exact else ())
        return jobs(problem, choice.setting, lines, choice.ms, choice.trials, scene.seed)

    def draw(records: Sequence[Record], progress: Any) -> None:
        found = scores(records, choice.setting.measure)
        seen = Seen(scene, choice.setting, choice.nystroem, choice.random, found, choice.ms)
        _draw_chart(seen, choice, records)
        if not records:
            # A fragment may fill only those places later on that it has written to when the page was drawn.
            for place in (answer, numbers, below):
                place.empty()
        else:
            answer.markdown(page.unbroken(features_words.answer(seen, choice.m)))
            numbers.html(features_words.numbers(seen, choice.lines, choice.m, _columns(records)))
            with below.container():
                features_words.close(seen, told.python(seen, choice), partial(told.rows, seen, records))

    key = ("features", *scene.key, choice.setting, choice.lines, choice.ms, choice.trials, scene.seed)
    with left, page.sentences():
        # Trials on many rows take turns for the sake of the memory.
        run = running((*key, choice.exact), make_jobs, alone=large.is_large(data.n), rows=data.n)
        follow(run, draw, what="trials")


def _columns(records: Sequence[Record]) -> dict[tuple[str, int], int]:
    """Number of features of each line at each m; rounded mean over trials, as rank may be lost in some."""
    found: dict[tuple[str, int], list[float]] = {}
    for record in records:
        line = Series(record.method, str(dict(record.options)["reading"]))
        found.setdefault((line.id, record.m), []).append(record.values["columns"])
    return {key: round(sum(values) / len(values)) for key, values in found.items()}


def _draw_chart(seen: Seen, choice: Choice, records: Sequence[Record]) -> None:
    columns = _columns(records)
    curves = []
    for line in choice.lines:
        if of_line := seen.found.get(line.id):
            told = [(m, *spread(list(of_line[m].values())), len(of_line[m])) for m in of_line]
            ms, means, deviations, counts = zip(*told, strict=True)
            label, at = label_of(line), [columns[line.id, m] for m in ms]
            curves.append(Curve(line.method, label, ms, means, deviations, counts, at))
    title = features_words.headline(seen)
    figure = learning_chart(
        curves,
        _exact(seen.found),
        ahead(seen),
        choice.ms,
        score_name(choice.setting),
        page.theme(),
        title,
        f"{seen.scene.subtitle}; {MACHINES[choice.setting.machine]}; {choice.trials} trials, ± deviation",
        chosen=choice.m,
        percent=seen.percent,
        counted=choice.random.reading if choice.random else "frequencies",
    )
    page.show(figure, "learning_features", title)


def _exact(found: Scores) -> tuple[float, float] | None:
    of_exact = [score for at in found.get(EXACT, {}).values() for score in at.values()]
    return spread(of_exact) if of_exact else None
