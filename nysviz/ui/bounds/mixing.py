"""The third view of the page "Bounds": chains of the k-DPP from two starts, watched as they swap."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from nysviz.figures.mixing import chain_chart
from nysviz.papers.oglic2017.mixing import mixing_jobs
from nysviz.steps.mixing import STARTS, checkpoints
from nysviz.sweep import Job, Problem, Progress, Record
from nysviz.ui import computing, page
from nysviz.ui.bounds import mixing_text as text
from nysviz.ui.bounds.mixing_text import MEASURES, Chains
from nysviz.ui.bounds.relative import choose_number
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.stopping import at_rest

COUNTS = (2, 5, 10, 20, 50, 100, 200)
FIRST_COUNT = 50
CHAINS = 5
# Of the rows, so that there are others to swap in.
LARGEST_SHARE = 0.5


def show(scene: Scene) -> None:
    """Draw the whole view."""
    whole = scene.data.n
    rows, scene = computing.sampled(scene)
    n = scene.data.n
    counts = [m for m in COUNTS if m <= LARGEST_SHARE * n]
    if not counts:
        raise ValueError(f"n = {n}; a chain of swaps needs at least {2 * COUNTS[0]} rows.")
    answer = st.container()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        m = choose_number("Landmarks", counts, FIRST_COUNT, "bounds_chain")
        table = st.container()
        if rows is not None:
            st.caption(f"The chains run on {n} random rows of {whole}.")
    below = st.container()
    run = running(("bounds mixing", *scene.key, m, scene.seed, CHAINS), partial(_jobs, scene, m), rows=n)
    with left:
        follow(run, partial(_draw, scene, m, answer, table), what=f"{2 * CHAINS} chains")
    with below:
        found = chains_of(run.records(), n, m) if at_rest(run) else None
        if found is not None:
            _draw_behind(scene, found)
        page.closing(
            "" if found is None else text.explanation(found),
            text.MATHS,
            text.python(scene, m, CHAINS),
            text.SOURCE,
            partial(text.rows, scene, found, run.records()),
        )


def _jobs(scene: Scene, m: int) -> list[Job]:
    data = scene.data
    problem = Problem("", data.X, scene.kernel, data.digest, dense=computing.kernel_matrix(scene))
    return mixing_jobs(problem, m, CHAINS, scene.seed)


def chains_of(records: Sequence[Record], n: int, m: int) -> Chains | None:
    """The chains that are there by start, (chains, t) each; None before there is one from either start."""
    runs: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        runs.setdefault((str(dict(record.options)["start"]), record.repeat), []).append(record)
    of_start = {start: [run for (one, _), run in sorted(runs.items()) if one == start] for start in STARTS}
    if not all(of_start.values()):
        return None
    values = {
        measure: {
            start: np.array([[moment.values[measure] for moment in run] for run in found])
            for start, found in of_start.items()
        }
        for measure in MEASURES
    }
    return Chains(m, n, checkpoints(n), values)


def _draw(
    scene: Scene,
    m: int,
    answer: DeltaGenerator,
    table: DeltaGenerator,
    records: Sequence[Record],
    progress: Progress,
) -> None:
    """Draw the log-determinants of the chains that are there, under one line that answers."""
    found = chains_of(records, scene.data.n, m)
    if found is None:
        answer.empty()
        table.empty()
        st.caption("The first two chains are on their way.")
        return
    answer.markdown(page.unbroken(text.answer(found)))
    table.html(text.numbers(found))
    subtitle = f"{scene.subtitle}; m = {m}; {found.count} a start, medians and quartiles"
    _draw_chart(scene, found, "log_determinant", "ln det W", text.headline(found), subtitle, "mixing", 430)


def _draw_behind(scene: Scene, found: Chains) -> None:
    """The errors of the same chains, and how many landmarks of the start are left."""
    error, kept = st.columns(2, gap="medium")
    same = f"The same chains, m = {found.m}"
    sampled = "" if computing.is_exact(scene) else "; estimated from sampled rows"
    quantity = "‖K − K̃‖<sub>F</sub> / ‖K‖<sub>F</sub>"
    with error:
        title = text.error_headline(found)
        subtitle = f"{same}{sampled}"
        _draw_chart(scene, found, "relative_frobenius", quantity, title, subtitle, "mixing_error", 340)
    quantity = "part of the start's landmarks left"
    with kept:
        _draw_chart(scene, found, "kept", quantity, text.kept_headline(found), same, "mixing_kept", 340)


def _draw_chart(
    scene: Scene, found: Chains, measure: str, quantity: str, title: str, subtitle: str, key: str, height: int
) -> None:
    values, n = found.values[measure], scene.data.n
    figure = chain_chart(found.steps, values, quantity, n, page.theme(), title, subtitle, height)
    page.show(figure, key, f"{quantity} against swap steps. {title}.")
