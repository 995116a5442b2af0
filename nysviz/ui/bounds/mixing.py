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
from nysviz.ui.bounds import mixing_rows as numbers
from nysviz.ui.bounds import mixing_words as words
from nysviz.ui.bounds.mixing_seen import seen as seen_in
from nysviz.ui.bounds.mixing_words import Chains
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.stopping import at_rest

COUNTS = (2, 5, 10, 20, 50, 100, 200)
FIRST_COUNT = 50
CHAINS = 5
# Of the rows, so that there are others to swap in.
LARGEST_SHARE = 0.5
MEASURES = ("log_determinant", "relative_frobenius", "kept", "singular")


def counts_of(n: int) -> list[int]:
    """Numbers of landmarks to choose from: at most half of the rows."""
    return [m for m in COUNTS if m <= LARGEST_SHARE * n]


def show(scene: Scene) -> None:
    """Draw the whole view."""
    whole = scene.data.n
    rows, scene = computing.sampled(scene)
    counts = counts_of(scene.data.n)
    if not counts:
        raise ValueError(f"n = {scene.data.n}; a chain of swaps needs at least {2 * COUNTS[0]} rows.")
    answer = st.container()
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        m = _choose_count(counts)
        table = st.container()
        if rows is not None:
            st.caption(f"The chains run on {scene.data.n} random rows of {whole}.")
    below = st.container()
    run = running(
        ("bounds mixing", *scene.key, m, scene.seed, CHAINS),
        partial(_jobs, scene, m),
        rows=scene.data.n,
    )
    with left:
        follow(run, partial(draw, scene, m, answer, table), what=f"{2 * CHAINS} chains")
    with below:
        found = chains_of(run.records(), scene.data.n, m) if at_rest(run) else None
        if found is not None:
            _behind(scene, found)
        seen = "" if found is None else seen_in(found)
        told = partial(numbers.rows, scene, found, run.records())
        page.closing(seen, words.MATHS, numbers.python(scene, m, CHAINS), words.SOURCE, told)


def _choose_count(counts: list[int]) -> int:
    held = st.session_state.get("bounds_chain")
    if held is not None and held not in counts:
        st.session_state["bounds_chain"] = min(counts, key=lambda m: abs(m - held))
    if len(counts) == 1:
        return counts[0]
    # Whatever is held: a default that moves along drops out of the address.
    first = min(counts, key=lambda m: abs(m - FIRST_COUNT))
    m: int = st.select_slider("Landmarks", counts, value=first, key="bounds_chain", bind="query-params")
    return m


def _jobs(scene: Scene, m: int) -> list[Job]:
    data = scene.data
    problem = Problem("", data.X, scene.kernel, data.digest, dense=computing.kernel_matrix(scene))
    return mixing_jobs(problem, m, CHAINS, scene.seed)


def chains_of(records: Sequence[Record], n: int, m: int) -> Chains | None:
    """The chains that are there by start, (chains, t) each; None before there is one from either start."""
    steps = checkpoints(n)
    found = {measure: {start: np.empty((0, len(steps))) for start in STARTS} for measure in MEASURES}
    runs: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        runs.setdefault((str(dict(record.options)["start"]), record.repeat), []).append(record)
    for (start, _), moments in sorted(runs.items()):
        for measure, of in found.items():
            of[start] = np.vstack([of[start], [moment.values[measure] for moment in moments]])
    if not all(len(found["kept"][start]) for start in STARTS):
        return None
    return Chains(m, n, steps, *(found[measure] for measure in MEASURES))


def draw(
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
    answer.markdown(page.unbroken(words.answer(found)))
    table.html(words.numbers(found))
    figure = chain_chart(
        found.steps,
        found.log_determinant,
        "ln det W",
        scene.data.n,
        page.theme(),
        words.headline(found),
        f"{scene.subtitle}; m = {m}; {words.told(found)}, medians and quartiles",
        430,
    )
    page.show(figure, "mixing", f"Log-determinant against swap steps. {words.headline(found)}.")


def _behind(scene: Scene, found: Chains) -> None:
    """The errors of the same chains, and how many landmarks of the start are left."""
    sampled = "" if computing.is_exact(scene) else "estimated from sampled rows; "
    pictures = (
        ("mixing_error", found.error, "‖K − K̃‖<sub>F</sub> / ‖K‖<sub>F</sub>", words.error_headline(found)),
        ("mixing_kept", found.kept, "part of the start's landmarks left", words.kept_headline(found)),
    )
    for place, (key, values, quantity, title) in zip(st.columns(2, gap="medium"), pictures, strict=True):
        with place:
            note = sampled if key == "mixing_error" else ""
            subtitle = f"{note}the same chains, m = {found.m}"
            figure = chain_chart(
                found.steps, values, quantity, scene.data.n, page.theme(), title, subtitle, 340
            )
            page.show(figure, key, f"{title}.")
