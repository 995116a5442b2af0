"""The second view of the page "Bounds": errors against the best of the same rank, with their guarantees."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.bounds.eigengap import conclusion
from nysviz.bounds.relative import (
    best_clustering,
    feature_rows,
    li_bound,
    oglic_bound,
    outside_share,
    theta,
)
from nysviz.figures.bounds_relative import relative_chart
from nysviz.landmarks import METHODS
from nysviz.papers.oglic2017.lift import LANDMARKS, landmark_count
from nysviz.papers.oglic2017.more_landmarks import rank_jobs
from nysviz.spectrum import best_errors
from nysviz.sweep import Job, Problem, Progress, Record
from nysviz.ui import address, computing, page
from nysviz.ui.asking import ask
from nysviz.ui.bounds import relative_rows as numbers
from nysviz.ui.bounds import relative_words as words
from nysviz.ui.bounds.relative_words import Clusters
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.unkept import FORMER
from nysviz.ui.work.needs import run_bytes
from nysviz.ui.work.store import store

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


def clusters_later(scene: Scene, rank: int) -> Future[Clusters]:
    """Cluster in feature space, in the background."""

    def compute() -> Clusters:
        values, vectors = computing.eigenpairs(scene.unseeded)
        features = feature_rows(values, vectors)
        found = best_clustering(features, rank + 1, CLUSTER_RUNS, scene.seed)
        tail = best_errors(values, rank)[0]
        seeds = found.seed_potentials.mean() / found.potential if found.potential > 0 else float("nan")
        return Clusters(
            theta(features, found.labels, rank, tail),
            float(seeds),
            outside_share(features, found.labels, rank),
            float((values[rank - 1] - values[rank]) / values[rank - 1]),
            conclusion(features, found.labels, rank),
        )

    # The eigenpairs, which it may have to compute first, or the features and what Lloyd's steps make of them.
    return store().later(
        ("bounds clusters", *scene.key, rank, scene.seed),
        compute,
        urgent=True,
        seconds=_clusters_seconds(scene),
        holds=computing.eigenpairs_bytes(scene),
    )


def _clusters_seconds(scene: Scene) -> float:
    """Estimate of their time: eigenpairs, and clusterings that take about as long."""
    return 2.0 * computing.decomposition_seconds(scene.data.n, vectors=True)


def show(scene: Scene) -> None:
    """Draw the whole view."""
    whole, scene = scene.data.n, computing.exact_part(scene)
    if scene.data.n < whole:
        st.info(
            "These guarantees compare with the best error of the rank, from all eigenvalues of K. They are "
            f"shown for {scene.data.n} random rows of {whole}, whose K is held; data of at most "
            f"{computing.exact_rows(scene)} rows are shown whole.",
            icon=":material/info:",
        )
    values = ask(computing.eigenvalues, scene.unseeded, what="All eigenvalues of K")
    if values is None:
        return
    ranks = ranks_of(values)
    if not ranks:
        raise ValueError("The kernel matrix has rank 2 or less up to rounding: there is no error to compare.")
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        rank = _choose_rank(ranks)
        rule = _choose_rule()
        table = st.container()
    found = clusters_later(scene, rank)
    # The chart does not wait for them.
    clusters = found.result() if page.ready(found) else None
    with table:
        if clusters is None:
            what = f"{CLUSTER_RUNS} clusterings in feature space"
            page.wait_for(found, what, _clusters_seconds(scene))
        else:
            landmarks = landmark_count(rank, scene.data.n, rule)
            st.html(words.numbers(scene, values, rank, landmarks, clusters))
    with left:
        most = landmark_count(ranks[-1], scene.data.n, rule)
        run = running(
            ("bounds relative", *scene.key, tuple(ranks), rule, scene.seed, REPEATS),
            partial(_jobs, scene, ranks, rule),
            rows=scene.data.n,
            holds=run_bytes(scene.data.n, GUARANTEED, most, matrix=True),
        )
        follow(run, partial(draw, scene, values, ranks, (rank, rule), clusters), what="runs of two methods")
    landmarks = landmark_count(rank, scene.data.n, rule)
    python = numbers.python(scene, ranks, rank, landmarks, rule, (CLUSTER_RUNS, REPEATS))
    told = partial(numbers.rows, scene, values, rank, landmarks, clusters, run)
    seen = "" if clusters is None else words.seen(scene, rank, clusters)
    page.closing(seen, words.MATHS, python, words.SOURCE, told)


def _choose_rank(ranks: list[int]) -> int:
    held = st.session_state.get("bounds_rank")
    if held is not None and held not in ranks:
        st.session_state["bounds_rank"] = min(ranks, key=lambda k: abs(k - held))
    if len(ranks) == 1:
        return ranks[0]
    # Whatever is held: a default that moves along drops out of the address.
    first = min(ranks, key=lambda k: abs(k - FIRST_RANK))
    rank: int = st.select_slider("Rank k", ranks, value=first, key="bounds_rank", bind="query-params")
    return rank


def _choose_rule() -> str:
    former = {text: _small(rule) for text, rule in FORMER["bounds_landmarks"].items()}
    address.translate("bounds_landmarks", former)
    rule: str | None = st.segmented_control(
        "Landmarks l",
        LANDMARKS,
        default=LANDMARKS[0],
        format_func=_small,
        key="bounds_landmarks",
        bind="query-params",
        wrap=True,
        help="As many landmarks as the rank, or more; then the best rank k of the approximation is taken.",
    )
    return rule or LANDMARKS[0]


def _small(rule: str) -> str:
    """The rule in the words of this view, where K is the matrix."""
    return rule.replace("K", "k")


def _jobs(scene: Scene, ranks: list[int], rule: str) -> list[Job]:
    data = scene.data
    problem = Problem("", data.X, scene.kernel, data.digest, dense=computing.kernel_matrix(scene))
    return rank_jobs(problem, GUARANTEED, ranks, REPEATS, scene.seed, rule)


def draw(
    scene: Scene,
    values: FloatArray,
    ranks: list[int],
    chosen: tuple[int, str],
    clusters: Clusters | None,
    records: Sequence[Record],
    progress: Progress,
) -> None:
    """Draw ratios and guarantees from the runs that are there, under one line that answers."""
    n, (rank, rule) = scene.data.n, chosen
    ratios = _ratios(values, ranks, records)
    counts = [landmark_count(k, n, rule) for k in ranks]
    guarantees = {"dpp": np.array([li_bound(m, k, n) for m, k in zip(counts, ranks, strict=True)])}
    at = ranks.index(rank)
    limits = {"kmeanspp": None, "dpp": float(guarantees["dpp"][at])}
    here: tuple[int, float] | None = None
    if rule == LANDMARKS[0]:
        # Theorem 4 speaks of as many landmarks as the rank.
        guarantees = {"kmeanspp": np.array([oglic_bound(k, n) for k in ranks]), **guarantees}
        here = (rank, oglic_bound(rank, n, clusters.theta if clusters is not None else 0.0))
        limits["kmeanspp"] = here[1]
    means = {
        name: float(np.nanmean(runs[at])) for name, runs in ratios.items() if np.isfinite(runs[at]).any()
    }
    if means:
        st.markdown(page.unbroken(words.answer(rank, counts[at], means, limits, clusters)))
    title = words.headline(means, limits, clusters)
    figure = relative_chart(
        ranks,
        ratios,
        guarantees,
        {"kmeanspp": "theorem 4 with Θ = 0", "dpp": "guaranteed"},
        {name: METHODS[name].label for name in GUARANTEED},
        here,
        page.theme(),
        title,
        f"{scene.subtitle}; {REPEATS} repeats, mean ± standard deviation",
        counted="rank and landmarks k" if here is not None else f"rank k of l = {_small(rule)} landmarks",
    )
    page.show(figure, "relative", f"Errors over the best of the rank, with their guarantees. {title}.")


def _ratios(values: FloatArray, ranks: list[int], records: Sequence[Record]) -> dict[str, FloatArray]:
    """Errors over the best of the rank, (ranks, repeats) by method, NaN where a run is missing."""
    ratios = {name: np.full((len(ranks), REPEATS), np.nan) for name in GUARANTEED}
    for record in records:
        rank = int(record.values["rank"])
        best = best_errors(values, rank)[0]
        ratios[record.method][ranks.index(rank), record.repeat] = record.values["frobenius"] / best
    return ratios
