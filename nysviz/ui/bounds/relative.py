"""The second view of the page "Bounds": errors against the best of the same rank, with their guarantees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from nysviz.blocks import FloatArray
from nysviz.bounds.eigengap import conclusion
from nysviz.bounds.relative import best_clustering, feature_rows, li_bound, oglic_bound, outside_share, theta
from nysviz.figures.bounds import relative_chart
from nysviz.landmarks import METHODS
from nysviz.papers.oglic2017.lift import LANDMARKS, landmark_count
from nysviz.papers.oglic2017.more_landmarks import rank_jobs
from nysviz.spectrum import best_errors
from nysviz.sweep import Job, Problem, Progress, Record
from nysviz.text import ranged
from nysviz.ui import address, computing, page
from nysviz.ui.asking import ask, shared
from nysviz.ui.bounds import relative_text as text
from nysviz.ui.bounds.relative_text import Clusters
from nysviz.ui.running import follow, running
from nysviz.ui.sidebar.scene import Scene
from nysviz.ui.unkept import FORMER
from nysviz.ui.work.needs import run_bytes

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


# The eigenpairs, which it may have to compute first, or the features and what Lloyd's steps make of them.
@shared(holds=lambda scene, rank: computing.eigenpairs_bytes(scene))
def clusters_of(scene: Scene, rank: int) -> Clusters:
    """Cluster in feature space, and measure what theorem 4 needs of it."""
    values, vectors = computing.eigenpairs(scene.unseeded)
    features = feature_rows(values, vectors)
    found = best_clustering(features, rank + 1, CLUSTER_RUNS, scene.seed)
    seeds = found.seed_potentials.mean() / found.potential if found.potential > 0 else float("nan")
    return Clusters(
        theta(features, found.labels, rank, best_errors(values, rank)[0]),
        float(seeds),
        outside_share(features, found.labels, rank),
        float((values[rank - 1] - values[rank]) / values[rank - 1]),
        conclusion(features, found.labels, rank),
    )


def show(scene: Scene) -> None:
    """Draw the whole view."""
    whole, scene = scene.data.n, computing.exact_part(scene)
    n = scene.data.n
    if n < whole:
        st.info(
            "These guarantees compare with the best error of the rank, from all eigenvalues of K. They are "
            f"shown for {n} random rows of {whole}, whose K is held.",
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
        rank = choose_number("Rank k", ranks, FIRST_RANK, "bounds_rank")
        rule = _choose_rule()
        m = landmark_count(rank, n, rule)
        clusters = ask(clusters_of, scene, rank, what=f"{CLUSTER_RUNS} clusterings in feature space")
        if clusters is not None:
            st.html(text.numbers(scene, values, rank, m, clusters))
    with left:
        run = running(
            ("bounds relative", *scene.key, tuple(ranks), rule, scene.seed, REPEATS),
            partial(_jobs, scene, ranks, rule),
            rows=n,
            holds=run_bytes(n, GUARANTEED, landmark_count(ranks[-1], n, rule), matrix=True),
        )
        follow(run, partial(_draw, scene, values, ranks, (rank, rule), clusters), what="runs of two methods")
    page.closing(
        "" if clusters is None else text.explanation(scene, rank, clusters),
        text.MATHS,
        text.python(scene, ranks, rank, m, rule, (CLUSTER_RUNS, REPEATS)),
        text.SOURCE,
        partial(text.rows, scene, values, rank, m, clusters, run),
    )


def choose_number(label: str, offered: Sequence[int], first: int, key: str) -> int:
    """Choose one of these numbers, or of those that are near to what is held from other data or a link."""
    held = st.session_state.get(key)
    if held is not None and held not in offered:
        st.session_state[key] = min(offered, key=lambda number: abs(number - held))
    if len(offered) == 1:
        return offered[0]
    # Whatever is held: a default that moves along drops out of the address.
    default = min(offered, key=lambda number: abs(number - first))
    chosen: int = st.select_slider(label, offered, value=default, key=key, bind="query-params")
    return chosen


def _choose_rule() -> str:
    former = {text: _small(rule) for text, rule in FORMER["bounds_landmarks"].items()}
    address.translate("bounds_landmarks", former)
    rule: str | None = st.segmented_control(
        "Landmarks m",
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


def _draw(
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
    at, ms = ranks.index(rank), [landmark_count(k, n, rule) for k in ranks]
    ratios = {name: np.full((len(ranks), REPEATS), np.nan) for name in GUARANTEED}
    for record in records:
        k = int(record.values["rank"])
        ratio = record.values["frobenius"] / best_errors(values, k)[0]
        ratios[record.method][ranks.index(k), record.repeat] = ratio
    means = {
        name: float(np.nanmean(runs[at])) for name, runs in ratios.items() if np.isfinite(runs[at]).any()
    }
    guarantees = {"dpp": np.array([li_bound(m, k, n) for m, k in zip(ms, ranks, strict=True)])}
    limits = {"dpp": float(guarantees["dpp"][at])}
    counted, here = f"rank k, with m = {_small(rule)} landmarks", None
    if rule == LANDMARKS[0]:
        # Theorem 4 speaks of as many landmarks as the rank.
        guarantees = {"kmeanspp": np.array([oglic_bound(k, n) for k in ranks]), **guarantees}
        limits["kmeanspp"] = oglic_bound(rank, n, clusters.theta if clusters is not None else 0.0)
        counted, here = "rank and landmarks k", (rank, limits["kmeanspp"])
    if means:
        st.markdown(page.unbroken(text.answer(rank, ms[at], means, limits)))
    title = text.headline(means, limits)
    runs = Counter((record.method, record.values["rank"]) for record in records)
    figure = relative_chart(
        ranks,
        ratios,
        guarantees,
        {"kmeanspp": "theorem 4 with Θ = 0", "dpp": "guaranteed"},
        {name: METHODS[name].label for name in GUARANTEED},
        here,
        page.theme(),
        title,
        f"{scene.subtitle}; {ranged(runs.values(), 'repeat')}, mean ± standard deviation",
        counted,
    )
    page.show(figure, "relative", f"Errors over the best of the rank, with their guarantees. {title}.")
