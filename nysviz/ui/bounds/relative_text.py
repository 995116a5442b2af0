"""The sentences, the table and the rows of the second view of the page "Bounds"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nysviz.blocks import FloatArray
from nysviz.bounds.eigengap import Conclusion
from nysviz.bounds.relative import arthur_bound, li_bound, oglic_bound
from nysviz.landmarks import METHODS
from nysviz.spectrum import best_errors
from nysviz.text import three_digits
from nysviz.ui import page
from nysviz.ui.downloads import measured, of_records
from nysviz.ui.sidebar.scene import Scene, head, loading_code
from nysviz.ui.work.runs import Run

MATHS = r"""
Let $K_k$ be the best approximation of rank $k$ (rank $K$ in Oglic and Gärtner's paper), $m$ the number of
landmarks (theirs, $l$) and $n$ that of the rows. For $m = k$ kernel k-means++ landmarks, Oglic and Gärtner
(2017), theorem 4, state

$$\mathbb{E}\,\frac{\|K-\tilde K\|_F}{\|K-K_k\|_F} \le 8\,(\ln(k+1)+2)\,\big(\sqrt{n-k}+\Theta_k\big), \qquad
\Theta_k = \frac{\phi(C^* \mid U_k)}{\|K-K_k\|_F},$$

provided that the eigengap is large enough for the $k+1$ centroids of the best clustering $C^*$ in feature
space to span the top $k$ eigenvectors $U_k$ (theorem 1). Their corollary 5 assumes $\Theta_k \le \sqrt{n-k}$.
For $m \ge k$ landmarks drawn by a k-DPP, Li, Jegelka and Sra (2016) have
$\frac{m+1}{m+1-k}\sqrt{n-k}$ in place of the right side; where $m$ is more than $k$ the errors are those of
the best rank $k$ of $\tilde K$, as Oglic and Gärtner read it. For the seeds of k-means++,
Arthur and Vassilvitskii (2007) have $\mathbb{E}\,\phi \le 8(\ln k + 2)\,\phi^*$.

$C^*$ cannot be computed. The best of five Lloyd runs stands for it: its $\phi$ is at least $\phi^*$, so the
ratio of potentials shown is at most the true one. Theorem 1 is about points centred in feature
space, and how large its gap has to be is defined in its proof, in the paper's appendix, not in its text. The
condition is therefore tried by what it implies: the centroids of the centred points would span their top $k$
singular vectors. The bounds take $K$ as it stands, as in the paper's experiments; the table has the gap, and
the part of the centroids outside the eigenvectors, both ways.
"""
SOURCE = (
    "Oglic and Gärtner, Nyström method with kernel k-means++ samples as landmarks, ICML 2017: theorems 1, 3 "
    "and 4, corollary 5, equation (5); Li, Jegelka and Sra 2016; Arthur and Vassilvitskii 2007."
)


@dataclass(frozen=True)
class Clusters:
    """What theorem 4 needs beside n and the rank, measured on the best clustering found.

    ``seeds`` is the mean potential of k-means++ seeds over that of the best clustering, NaN where that is 0
    as each point has a cluster of its own; ``outside`` the part of the centroids' squared length outside the
    top eigenvectors; ``gap`` is λ_k − λ_{k+1} over λ_k. ``centred`` has both for points centred in feature
    space, of which theorem 1 speaks.
    """

    theta: float
    seeds: float
    outside: float
    gap: float
    centred: Conclusion


def answer(rank: int, m: int, means: Mapping[str, float], limits: Mapping[str, float]) -> str:
    """Answer in one line: mean errors over the best of the rank, and what is guaranteed."""
    stated = {"kmeanspp": "theorem 4", "dpp": "guaranteed"}
    parts = []
    for name, mean in means.items():
        limit = "no guarantee"
        if name in limits:
            limit = f"{stated[name]}: at most {three_digits(limits[name])}"
        parts.append(f"{METHODS[name].label} is **{three_digits(mean)}** times the best ({limit})")
    return f"With m = {m} landmarks for rank {rank}, {' and '.join(parts)}."


def headline(means: Mapping[str, float], limits: Mapping[str, float]) -> str:
    """Compare Li's bound, which has no condition, with the k-DPP's mean."""
    if "dpp" not in means:
        return "Runs begin"
    return (
        f"Li's bound allows {three_digits(limits['dpp'] / means['dpp'])} times what the k-DPP has on average"
    )


def numbers(scene: Scene, values: FloatArray, rank: int, m: int, clusters: Clusters) -> str:
    """Return the parts of the guarantees as a table."""
    n = scene.data.n
    rows = [
        ("theorem 4, with Θ", three_digits(oglic_bound(rank, n, clusters.theta)), f"m = {rank}"),
        ("Θ", three_digits(clusters.theta), f"√(n−k) = {three_digits(np.sqrt(n - rank))}"),
        ("k-DPP (Li et al.)", three_digits(li_bound(m, rank, n)), f"m = {m}"),
        (
            "k-means++ seeds φ / best φ",
            three_digits(clusters.seeds),
            f"≤ {three_digits(arthur_bound(rank + 1))}",
        ),
        (
            "eigengap (λ<sub>k</sub> − λ<sub>k+1</sub>) / λ<sub>k</sub>",
            three_digits(clusters.gap),
            f"centred: {three_digits(clusters.centred.gap)}",
        ),
        (
            "centroids outside U<sub>k</sub>",
            f"{100 * clusters.outside:.3g} %",
            f"centred: {100 * clusters.centred.outside:.3g} %",
        ),
        ("best error of rank k", three_digits(best_errors(values, rank)[0]), ""),
    ]
    return page.number_table(("", "value", ""), rows)


def explanation(scene: Scene, rank: int, clusters: Clusters) -> str:
    """Set the conditions of the theorems beside what was measured."""
    return (
        f"Θ is {three_digits(clusters.theta)} on the best clustering found; corollary 5 assumes at most "
        f"√(n − k) = {three_digits(math.sqrt(scene.data.n - rank))}. Theorem 4 rests on theorem 1, whose gap "
        f"condition would put all centroids of the centred points into the span of their top {rank} singular "
        f"vectors; {100 * clusters.centred.outside:.3g} % of their squared length lies outside."
    )


def rows(
    scene: Scene, values: FloatArray, rank: int, m: int, clusters: Clusters | None, run: Run
) -> list[dict[str, object]]:
    """The guarantees of the chosen rank with their parts, the best errors, and what the run has by now."""
    n = scene.data.n
    found: dict[str, object] = {
        "li_bound": li_bound(m, rank, n),
        "arthur_bound": arthur_bound(rank + 1),
        "best_frobenius": best_errors(values, rank)[0],
    }
    if clusters is not None:
        found |= {
            "oglic_bound": oglic_bound(rank, n, clusters.theta),
            "theta": clusters.theta,
            "seeds_over_best": clusters.seeds,
            "gap": clusters.gap,
            "outside": clusters.outside,
            "centred_gap": clusters.centred.gap,
            "centred_outside": clusters.centred.outside,
        }
    told = measured(head(scene, rank=rank), found)
    for record in run.records():
        # More ranks than one may have the same number of landmarks.
        of_run = of_records([record], scene.data.name, rank=int(record.values["rank"]))
        told += [row for row in of_run if row["measure"] == "frobenius"]
    return told


def python(scene: Scene, ranks: Sequence[int], rank: int, m: int, rule: str, counts: tuple[int, int]) -> str:
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
print("li_bound", li_bound({m}, rank, data.n))
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
