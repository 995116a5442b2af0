"""The numbers of the second view of the page "Bounds" as tidy records, and the script that prints them."""

from __future__ import annotations

from collections.abc import Sequence

from nysviz.blocks import FloatArray
from nysviz.bounds.relative import arthur_bound, li_bound, oglic_bound
from nysviz.spectrum import best_errors
from nysviz.ui.bounds.relative_words import Clusters
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.sidebar.scene import Scene, head, loading_code
from nysviz.ui.work.runs import Run


def rows(
    scene: Scene,
    values: FloatArray,
    rank: int,
    landmarks: int,
    clusters: Clusters | None,
    run: Run,
) -> list[dict[str, object]]:
    """The guarantees of the chosen rank with their parts, the best errors, and what the run has by now."""
    n, begin = scene.data.n, head(scene, rank=rank)
    told: dict[str, object] = {
        "li_bound": li_bound(landmarks, rank, n),
        "arthur_bound": arthur_bound(rank + 1),
        "best_frobenius": best_errors(values, rank)[0],
    }
    if clusters is not None:
        told |= {
            "oglic_bound": oglic_bound(rank, n, clusters.theta),
            "theta": clusters.theta,
            "seeds_over_best": clusters.seeds,
            "gap": clusters.gap,
            "outside": clusters.outside,
            "centred_gap": clusters.centred.gap,
            "centred_outside": clusters.centred.outside,
        }
    found = measured(begin, told)
    for record in run.records():
        # More ranks than one may have the same number of landmarks.
        runs = of_records([record], scene.data.name, rank=int(record.values["rank"]))
        found += [row for row in runs if row["measure"] == "frobenius"]
    return found


def python(
    scene: Scene, ranks: Sequence[int], rank: int, landmarks: int, rule: str, counts: tuple[int, int]
) -> str:
    """Write the script; ``counts`` are the clusterings, and the repeats of the runs."""
    runs, repeats = counts
    asked = f'("kmeanspp", "dpp"), {list(ranks)}, {repeats}, {scene.seed}, "{rule}"'
    return f"""from scipy.linalg import eigh
import nysviz as nv
from nysviz.bounds.eigengap import conclusion
from nysviz.bounds.relative import (
    arthur_bound, best_clustering, feature_rows, li_bound, oglic_bound, outside_share, theta
)
from nysviz.papers.oglic2017.more_landmarks import rank_jobs
from nysviz.spectrum import best_errors
from nysviz.sweep import Problem, run_jobs

data = {loading_code(scene)}
kernel = nv.{scene.kernel!r}
K = kernel(data.X)
values, vectors = (found[..., ::-1].copy() for found in eigh(K, driver="evd"))
rank = {rank}
best = best_errors(values, rank)[0]
print("li_bound", li_bound({landmarks}, rank, data.n))
print("arthur_bound", arthur_bound(rank + 1))
print("best_frobenius", best)

features = feature_rows(values, vectors)
found = best_clustering(features, rank + 1, {runs}, {scene.seed})
of_theta = theta(features, found.labels, rank, best)
print("oglic_bound", oglic_bound(rank, data.n, of_theta))
print("theta", of_theta)
if found.potential > 0:
    print("seeds_over_best", found.seed_potentials.mean() / found.potential)
print("gap", (values[rank - 1] - values[rank]) / values[rank - 1])
print("outside", outside_share(features, found.labels, rank))
centred = conclusion(features, found.labels, rank)
print("centred_gap", centred.gap)
print("centred_outside", centred.outside)

problem = Problem(data.name, data.X, kernel, data.digest, dense=K)
jobs = rank_jobs(problem, {asked})
for finished in run_jobs(jobs):
    for record in finished.records:
        at = f"method={{record.method}} rank={{record.values['rank']:.0f}} repeat={{record.repeat}}"
        print(at, "frobenius", record.values["frobenius"])"""
