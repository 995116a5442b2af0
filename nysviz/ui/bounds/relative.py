"""The second view of the page "Bounds": errors against the best of the same rank, with their guarantees."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from nysviz.analysis.bounds import relative as theory
from nysviz.analysis.spectrum import best_errors
from nysviz.engine import Run
from nysviz.figures.bounds import relative_chart
from nysviz.landmarks import METHODS
from nysviz.papers.oglic2017.lift import LANDMARKS, landmark_count, rank_jobs
from nysviz.refusal import Refusal
from nysviz.sweep import Record
from nysviz.text import grouped, listed, ranged, three_digits
from nysviz.ui import computing, page
from nysviz.ui.asking import ask, sentences, shared
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.inputs import segments, stops
from nysviz.ui.running import follow
from nysviz.ui.sidebar.scene import Scene, head, script

RANKS = (2, 5, 10, 15, 20, 30, 40, 50, 75, 100)
REPEATS = 10
CLUSTER_RUNS = 5
# Kernel k-means++ landmarks, of which theorem 4 speaks, and the k-DPP of Li et al.
GUARANTEED = ("kmeanspp", "dpp")


# The eigenpairs, which it may have to compute first, or the features and what Lloyd's steps make of them.
@shared(holds=lambda scene, rank: computing.eigenpairs_bytes(scene))
def clusters_of(scene: Scene, rank: int) -> Mapping[str, float]:
    """Measure on the best clustering found what theorem 4 needs, and theorem 1 (``centred``)."""
    values, vectors = computing.eigenpairs(scene.unseeded)
    tail = best_errors(values, rank)[0]
    return theory.on_best_clustering(values, vectors, rank, tail, CLUSTER_RUNS, scene.seed)


@st.fragment
@sentences()
def view(scene: Scene) -> None:
    """Draw the whole view: errors over the best of their rank, and guarantees, as the runs come in."""
    place = page.answer_place()
    whole, scene = scene.data.n, computing.exact_part(scene)
    n = scene.data.n
    if n < whole:
        text = f"Shown for {grouped(n)} random rows of {grouped(whole)}: all eigenvalues are needed."
        st.info(text, icon=":material/info:")
    values = ask(computing.eigenvalues, scene.unseeded, what="All eigenvalues of K")
    if values is None:
        return
    size = float(np.linalg.norm(values))
    best = {k: best_errors(values, k)[0] for k in RANKS if k < len(values)}
    # Below this part of ‖K‖ the best error is rounding, and a multiple of it means nothing.
    best = {k: error for k, error in best.items() if error > 1e-10 * size}
    if not best:
        raise Refusal("The kernel matrix has rank 2 or less up to rounding: there is no error to compare.")
    ranks = list(best)
    left, right = st.columns([0.64, 0.36], gap="medium")
    with right:
        rank = stops("Rank k", ranks, "bounds_rank", 20)
        note = "As many landmarks as the rank, or more; then the best rank k of the approximation is taken."
        rule = segments("Landmarks m", LANDMARKS, "bounds_landmarks", help=note)
        m = landmark_count(rank, n, rule)
        what = f"{CLUSTER_RUNS} clusterings in feature space"
        clusters = ask(clusters_of, scene, rank, what=what, beside=True)
        found = {
            "li_bound": theory.li_bound(m, rank, n),
            "arthur_bound": theory.arthur_bound(rank + 1),
            "best_frobenius": best[rank],
            **(clusters or {}),
        }
        if clusters is not None:
            st.html(_numbers(n, rank, m, found))

    def draw(records: Sequence[Record]) -> None:
        ratios: dict[int, dict[str, list[float]]] = {k: {} for k in ranks}
        for record in records:
            k = int(record.values["rank"])
            ratios[k].setdefault(record.method, []).append(record.values["frobenius"] / best[k])
        guarantees = {"dpp": np.array([theory.li_bound(landmark_count(k, n, rule), k, n) for k in ranks])}
        limits = {"dpp": found["li_bound"]}
        counted, here = f"rank k, with m = {rule} landmarks", None
        if rule == LANDMARKS[0]:
            # Theorem 4 speaks of as many landmarks as the rank.
            guarantees = {"kmeanspp": np.array([theory.oglic_bound(k, n) for k in ranks]), **guarantees}
            counted = "rank and landmarks k"
            # Before Θ is known there is no guarantee.
            if clusters is not None:
                limits["kmeanspp"] = found["oglic_bound"]
                here = (rank, limits["kmeanspp"])
        means = [
            f"**{three_digits(float(np.mean(ratios[rank][name])))}** with {METHODS[name].brief} "
            f"(at most {three_digits(limits[name]) if name in limits else '–'})"
            for name in GUARANTEED
            if name in ratios[rank]
        ]
        # Also without runs: a fragment may later fill only the places that it filled as the page was drawn.
        text = f"Mean error, times the best of rank {rank}: {listed(means)}." if means else page.WAITING
        place.markdown(page.unbroken(text))
        repeats = ranged(Counter((r.method, r.values["rank"]) for r in records).values(), "repeat")
        about = f"{scene.subtitle}; {repeats}, mean ± sd"
        sheet = page.sheet("Errors and their guarantees", about)
        page.show(relative_chart(ranks, ratios, guarantees, here, counted, sheet), "relative")

    with left:
        run = computing.run_on(
            scene,
            "bounds relative",
            lambda problem: rank_jobs(problem, GUARANTEED, ranks, REPEATS, scene.seed, rule),
            *(tuple(ranks), rule),
            methods=GUARANTEED,
            m=landmark_count(ranks[-1], n, rule),
        )
        follow(run, draw, what="Runs")
    rows = partial(_rows, scene, rank, found, run)
    page.closing("bounds_relative", _python(scene, ranks, rank, m, rule), rows)


def _numbers(n: int, rank: int, m: int, found: Mapping[str, float]) -> str:
    shown = {name: three_digits(value) for name, value in found.items()}
    outside, centred = (f"{100 * found[name]:.3g} %" for name in ("outside", "centred_outside"))
    gap = "(λ<sub>k</sub> − λ<sub>k+1</sub>) / λ<sub>k</sub>"
    rows = [
        ("theorem 4, with Θ", shown["oglic_bound"], f"m = {rank}"),
        ("Θ", shown["theta"], f"√(n−k) = {three_digits((n - rank) ** 0.5)}"),
        ("k-DPP (Li et al.)", shown["li_bound"], f"m = {m}"),
        ("seeds φ / best φ", shown["seeds_over_best"], f"≤ {shown['arthur_bound']}"),
        (gap, shown["gap"], f"centred: {shown['centred_gap']}"),
        ("centroids outside U<sub>k</sub>", outside, f"centred: {centred}"),
        ("best error of rank k", shown["best_frobenius"], ""),
    ]
    return page.number_table(("", "", ""), rows)


def _rows(scene: Scene, rank: int, found: Mapping[str, float], run: Run) -> list[dict[str, object]]:
    """The guarantees of the chosen rank with their parts, and what the run has by now."""
    # More ranks than one may have the same number of landmarks.
    of_run = of_records(run.records(), scene.data.name, lambda record: {"rank": int(record.values["rank"])})
    begin = measured(head(scene, rank=rank), found)
    return begin + [row for row in of_run if row["measure"] == "frobenius"]


def _python(scene: Scene, ranks: list[int], rank: int, m: int, rule: str) -> str:
    return script(
        scene,
        """from scipy.linalg import eigh
from nysviz.analysis.bounds.relative import arthur_bound, li_bound, on_best_clustering
from nysviz.papers.oglic2017.lift import rank_jobs
from nysviz.analysis.spectrum import best_errors
from nysviz.sweep import Problem, run_jobs""",
        f"""K = kernel(data.X)
values, vectors = (found[..., ::-1].copy() for found in eigh(K, driver="evd"))
rank = {rank}
print("li_bound", li_bound({m}, rank, data.n))
print("arthur_bound", arthur_bound(rank + 1))
best = best_errors(values, rank)[0]
print("best_frobenius", best)
for name, value in on_best_clustering(values, vectors, rank, best, {CLUSTER_RUNS}, {scene.seed}).items():
    print(name, value)

problem = Problem(data.name, data.X, kernel, data.digest, dense=K)
jobs = rank_jobs(problem, {GUARANTEED}, {ranks}, {REPEATS}, {scene.seed}, "{rule}")
for finished in run_jobs(jobs):
    for record in finished.records:
        at = f"method={{record.method}} rank={{record.values['rank']:.0f}} repeat={{record.repeat}}"
        print(at, "frobenius", record.values["frobenius"])""",
    )
