"""The second view of the page "Bounds": errors against the best of the same rank, with their guarantees."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.bounds.relative import (
    best_clustering,
    feature_rows,
    li_bound,
    oglic_bound,
    outside_share,
    theta,
)
from nysviz.figures.bounds_relative import relative_chart
from nysviz.figures.look import three_digits
from nysviz.landmarks import METHODS
from nysviz.spectrum import best_errors
from nysviz.sweep import Job, Problem, Progress, Record, sweep_jobs
from nysviz.ui import bounds_relative_words as words
from nysviz.ui import computing, page
from nysviz.ui.bounds_relative_words import Clusters
from nysviz.ui.running import follow, running
from nysviz.ui.scene import Scene
from nysviz.ui.store import store

RANKS = (2, 5, 10, 15, 20, 30, 40, 50, 75, 100)
FIRST_RANK = 20
REPEATS = 10
CLUSTER_RUNS = 5
# Kernel k-means++ landmarks, of which theorem 4 speaks, and the k-DPP of Li et al.
GUARANTEED = ("kmeanspp", "dpp")
# Below this part of ‖K‖ the best error is rounding, and a multiple of it means nothing.
LEAST_TAIL = 1e-10


def ranks_of(values: FloatArray) -> list[int]:
    """Ranks for which there is a best error above rounding."""
    whole = float(np.linalg.norm(values))
    return [k for k in RANKS if k < len(values) and best_errors(values, k)[0] > LEAST_TAIL * whole]


def clusters_later(scene: Scene, values: FloatArray, vectors: FloatArray, rank: int) -> Future[Clusters]:
    """Cluster in feature space, in the background."""

    def compute() -> Clusters:
        features = feature_rows(values, vectors)
        found = best_clustering(features, rank + 1, CLUSTER_RUNS, scene.seed)
        tail = best_errors(values, rank)[0]
        seeds = found.seed_potentials.mean() / found.potential if found.potential > 0 else float("nan")
        return Clusters(
            theta(features, found.labels, rank, tail),
            float(seeds),
            outside_share(features, found.labels, rank),
            float((values[rank - 1] - values[rank]) / values[rank - 1]),
        )

    return store().later(("bounds clusters", *scene.key, rank, scene.seed), compute, urgent=True)


def show(scene: Scene) -> None:
    """Draw the whole view."""
    if not computing.is_exact(scene):
        st.info(
            "These guarantees compare with the best error of the rank, from all eigenvalues of K; with n = "
            f"{scene.data.n} that takes too long. Choose data of at most {computing.EXACT_ROWS} rows.",
            icon=":material/info:",
        )
        return
    pairs = computing.eigenpairs_later(scene)
    if not page.ready(pairs, page.ANSWER_SECONDS):
        seconds = computing.decomposition_seconds(scene.data.n, vectors=True)
        page.wait_for(pairs, "All eigenvectors of K", seconds)
        return
    values, vectors = pairs.result()
    ranks = ranks_of(values)
    if not ranks:
        raise ValueError("The kernel matrix has rank 2 or less up to rounding: there is no error to compare.")
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        rank = _choose_rank(ranks)
        table = st.container()
    found = clusters_later(scene, values, vectors, rank)
    clusters = found.result() if page.ready(found, page.ANSWER_SECONDS) else None
    with table:
        if clusters is None:
            seconds = 2.0 * computing.decomposition_seconds(scene.data.n)
            page.wait_for(found, f"{CLUSTER_RUNS} clusterings in feature space", seconds)
        else:
            st.html(words.numbers(scene, values, rank, clusters))
    with left:
        K = computing.kernel_matrix(scene)
        run = running(
            ("bounds relative", *scene.key, tuple(ranks), scene.seed, REPEATS),
            partial(_jobs, scene, K, ranks),
        )
        follow(run, partial(draw, scene, values, ranks, rank, clusters), what="runs of two methods")
    seen = "" if clusters is None else words.seen(scene, rank, clusters)
    page.closing(seen, words.MATHS, words.python(scene, rank), words.SOURCE)


def _choose_rank(ranks: list[int]) -> int:
    held = st.session_state.get("bounds_rank")
    nearest = min(ranks, key=lambda k: abs(k - (FIRST_RANK if held is None else held)))
    if held is not None and held not in ranks:
        st.session_state["bounds_rank"] = nearest
    if len(ranks) == 1:
        return ranks[0]
    rank: int = st.select_slider(
        "Rank and landmarks K", ranks, value=nearest, key="bounds_rank", bind="query-params"
    )
    return rank


def _jobs(scene: Scene, K: FloatArray | None, ranks: list[int]) -> list[Job]:
    data = scene.data
    problem = Problem(data.name, data.X, scene.kernel, data.digest, dense=K)
    return sweep_jobs(problem, dict.fromkeys(GUARANTEED, ()), ranks, REPEATS, scene.seed)


def draw(
    scene: Scene,
    values: FloatArray,
    ranks: list[int],
    rank: int,
    clusters: Clusters | None,
    records: Sequence[Record],
    progress: Progress,
) -> None:
    """Draw ratios and guarantees from the runs that are there, under one line that answers."""
    n = scene.data.n
    best = {k: best_errors(values, k)[0] for k in ranks}
    ratios = {name: np.full((len(ranks), REPEATS), np.nan) for name in GUARANTEED}
    for record in records:
        ratios[record.method][ranks.index(record.m), record.repeat] = (
            record.values["frobenius"] / best[record.m]
        )
    guarantees = {
        "kmeanspp": np.array([oglic_bound(k, n) for k in ranks]),
        "dpp": np.array([li_bound(k, k, n) for k in ranks]),
    }
    bound = oglic_bound(rank, n, clusters.theta if clusters is not None else 0.0)
    at = ranks.index(rank)
    line = []
    for name, limit in (("kmeanspp", bound), ("dpp", guarantees["dpp"][at])):
        if np.isfinite(ratios[name][at]).any():
            line.append(
                f"{METHODS[name].label} is **{three_digits(float(np.nanmean(ratios[name][at])))}** times the "
                f"best, guaranteed {three_digits(float(limit))}"
            )
    if line:
        st.markdown(f"With {rank} landmarks {'; '.join(line)}.")
    factor = (
        float(bound / np.nanmean(ratios["kmeanspp"][at])) if np.isfinite(ratios["kmeanspp"][at]).any() else 0
    )
    title = f"Theorem 4 allows {three_digits(factor)} times what is measured" if factor else "Runs begin"
    figure = relative_chart(
        ranks,
        ratios,
        guarantees,
        {name: METHODS[name].label for name in GUARANTEED},
        (rank, bound),
        page.theme(),
        title,
        f"{scene.subtitle}; {REPEATS} repeats, mean ± standard deviation",
    )
    page.show(figure, "relative", f"Errors over the best of the rank, with their guarantees. {title}.")
