"""What is guaranteed relative to the best of the same rank? Oglic's theorem 4, and Li's bound of a k-DPP."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from nysviz.analysis.bounds import relative as theory
from nysviz.analysis.spectrum import best_errors
from nysviz.datasets import Dataset
from nysviz.engine import Run
from nysviz.engine.shared import shared
from nysviz.figures.bounds import relative_chart
from nysviz.kernels import Kernel
from nysviz.landmarks import METHODS
from nysviz.lazy import lazy_property
from nysviz.numerics.blocks import FloatArray
from nysviz.numerics.counts import quoted, whole
from nysviz.papers.oglic2017.lift import LANDMARKS, landmark_count, rank_jobs
from nysviz.refusal import Refusal
from nysviz.studies import html, matrices
from nysviz.studies.html import Label
from nysviz.studies.rows import measured, of_records
from nysviz.studies.scene import Scene, head, scene_of
from nysviz.studies.study import Ink, Part, Runs, Study, chart, complete, theme_of
from nysviz.text import grouped, listed, ranged, three_digits

RANKS, FIRST_RANK = (2, 5, 10, 15, 20, 30, 40, 50, 75, 100), 20
REPEATS = 10
CLUSTER_RUNS = 5
# Kernel k-means++ landmarks, to which theorem 4 applies, and the k-DPP of Li et al.
GUARANTEED = ("kmeanspp", "dpp")
# Below this part of ‖K‖ the best error is rounding, and a multiple of it means nothing.
ROUNDING = 1e-10
# Below this part of the centroids outside the top eigenvectors, ``outside``, theorem 4 has its condition.
CONDITION_ROUNDING = 1e-9


# The eigenpairs, which it may compute first, or the features and copies that Lloyd's steps make.
@shared(holds=lambda scene, rank: matrices.eigenpairs_bytes(scene))
def clusters_of(scene: Scene, rank: int) -> Mapping[str, float]:
    """Measure the quantities of theorem 4, and of theorem 1 (``centred``), on the best clustering found."""
    values, vectors = matrices.eigenpairs(scene.unseeded)
    tail = best_errors(values, rank)[0]
    return theory.on_best_clustering(values, vectors, rank, tail, CLUSTER_RUNS, scene.seed)


def best_by_rank(values: FloatArray, ranks: Sequence[int] = RANKS) -> dict[int, float]:
    """Return the best error of each of these ranks that is above rounding; raise Refusal if none is."""
    size = float(np.linalg.norm(values))
    best = {k: float(best_errors(values, k)[0]) for k in ranks if k < len(values)}
    best = {k: error for k, error in best.items() if error > ROUNDING * size}
    if not best:
        raise Refusal("The kernel matrix has rank 2 or less up to rounding: there is no error to compare.")
    return best


def rank_run(scene: Scene, ranks: tuple[int, ...], rule: str) -> Run:
    """Return the run of the errors of both methods at each rank."""
    return matrices.run_on(
        scene,
        "bounds relative",
        lambda problem: rank_jobs(problem, GUARANTEED, ranks, REPEATS, scene.seed, rule),
        *(ranks, rule),
        methods=GUARANTEED,
        m=landmark_count(ranks[-1], scene.data.n, rule),
    )


def relative_bounds(
    data: Dataset | ArrayLike,
    kernel: Kernel | None = None,
    *,
    rank: int | None = None,
    rule: str = "k",
    seed: int = 0,
    theme: Ink = "light",
) -> "RelativeBounds":
    """Compare errors with the best of the same rank, and with guarantees of their mean.

    Parameters
    ----------
    data : Dataset or (n, d) array
        Of many rows a random sample is taken: all eigenvalues are needed.
    kernel : Kernel, optional
        By default the Gaussian of the data's default width.
    rank : int, optional
        Rank k of the numbers, one of 2, 5, 10, 15, 20, 30, 40, 50, 75, 100; by default that next to 20.
    rule : {"k", "k ln k", "k ln n"}
        Number of landmarks for rank k.
    seed : int
    theme : {"light", "dark"}

    Returns
    -------
    RelativeBounds
        With ``answer``, ``table``, ``figures``; ``guarantees`` has ``oglic_bound``, ``theta``, ``li_bound``,
        ``arthur_bound``, ``best_frobenius`` and what theorem 1 implies.

    Raises
    ------
    ValueError
        A rank or a rule that is not offered, a kernel matrix of rank 2 or less.

    Notes
    -----
    All eigenpairs of K, O(n³), and 200 approximations.

    References
    ----------
    Oglic and Gärtner 2017, theorems 1 and 4; Li, Jegelka and Sra 2016; Arthur and Vassilvitskii 2007.

    Examples
    --------
    >>> import nysviz as nv
    >>> result = nv.studies.relative_bounds(nv.load("iris").sampled(30), rank=5)
    >>> sorted(result.figures)
    ['relative']
    """
    scene = scene_of(data, kernel, seed)
    if rule not in LANDMARKS:
        raise Refusal(f"rule = {quoted(rule)}; one of {', '.join(LANDMARKS)} is needed.")
    ranks = best_by_rank(matrices.eigenvalues(matrices.exact_part(scene).unseeded))
    rank = min(ranks, key=lambda k: abs(k - FIRST_RANK)) if rank is None else whole(rank)
    if rank not in ranks:
        raise Refusal(f"rank = {quoted(rank)}; one of {', '.join(map(str, ranks))} is needed.")
    return complete(RelativeBounds(scene=scene, rank=rank, rule=rule, theme=theme_of(theme)))


@dataclass(frozen=True, eq=False, kw_only=True)
class RelativeBounds(Study):
    """Errors over the best of their rank, beside their guarantees."""

    rank: int
    rule: str = LANDMARKS[0]

    name = "relative_bounds"
    question = "What is guaranteed relative to the best of the same rank, and how loosely?"

    eigenvalues = Part(matrices.eigenvalues, "unseeded_part", "All eigenvalues of K", needed=True)
    clusters = Part(clusters_of, "part rank", f"{CLUSTER_RUNS} clusterings in feature space", beside=True)
    runs = Runs(rank_run, "part ranks rule", "Runs")

    @lazy_property
    def part(self) -> Scene:
        """The rows whose eigenvalues are computed: all, or a random sample of many."""
        return matrices.exact_part(self.scene)

    @property
    def unseeded_part(self) -> Scene:
        """The data and kernel on which the eigenvalues depend."""
        return self.part.unseeded

    @lazy_property
    def best(self) -> dict[int, float]:
        """The best error of each rank."""
        return best_by_rank(self.eigenvalues)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks of the chart."""
        return tuple(self.best)

    @property
    def m(self) -> int:
        """Number of landmarks at the chosen rank."""
        return landmark_count(self.rank, self.part.data.n, self.rule)

    @property
    def guarantees(self) -> dict[str, float]:
        """The guarantees at the chosen rank, with their parts; by theorem 4 once there are clusters."""
        return {
            "li_bound": theory.li_bound(self.m, self.rank, self.part.data.n),
            "arthur_bound": theory.arthur_bound(self.rank + 1),
            "best_frobenius": self.best[self.rank],
            **(self.clusters if self.has("clusters") else {}),
        }

    @property
    def is_of_theorem(self) -> bool:
        """Whether there are as many landmarks as the rank, as theorem 4 requires."""
        return self.rule == LANDMARKS[0]

    @property
    def ratios(self) -> dict[int, dict[str, list[float]]]:
        """Errors over the best of their rank: rank → method → runs."""
        best = self.best
        ratios: dict[int, dict[str, list[float]]] = {k: {} for k in best}
        for record in self.runs:
            k = int(record.values["rank"])
            ratios[k].setdefault(record.method, []).append(record.values["frobenius"] / best[k])
        return ratios

    @property
    def answer(self) -> str:
        """Say how large the mean errors are, and what is guaranteed of them."""
        if not self.has("runs"):
            return ""
        ratios, guarantees = self.ratios[self.rank], self.guarantees
        limits = {"dpp": f"at most {three_digits(guarantees['li_bound'])}"}
        # Before Θ is known there is no guarantee.
        if self.is_of_theorem and self.has("clusters"):
            limits["kmeanspp"] = f"at most {three_digits(guarantees['oglic_bound'])}"
            if guarantees["outside"] > CONDITION_ROUNDING:
                limits["kmeanspp"] += " by theorem 4, whose condition fails here"
        means = [
            f"**{three_digits(float(np.mean(ratios[name])))}** with {METHODS[name].brief} "
            f"({limits.get(name, 'no guarantee for this m')})"
            for name in GUARANTEED
            if name in ratios
        ]
        return f"Mean error, times the best of rank {self.rank}: {listed(means)}." if means else html.WAITING

    @property
    def numbers(self) -> html.NumberTable | None:
        """The guarantees with their parts."""
        if not self.has("clusters"):
            return None
        numbers, rank = self.guarantees, self.rank
        words = {name: three_digits(value) for name, value in numbers.items()}
        outside, centred = (f"{100 * numbers[name]:.3g} %" for name in ("outside", "centred_outside"))
        rows: list[html.Row] = [
            (Label("best error of rank k", "best_error"), words["best_frobenius"], ""),
            (Label("k-DPP: error at most", "li_bound"), words["li_bound"], f"m = {self.m}"),
            (Label("k-means++: error at most", "oglic_bound"), words["oglic_bound"], f"m = {rank}"),
        ]
        root = f"√(n−k) = {three_digits((self.part.data.n - rank) ** 0.5)}"
        gap = Label("gap (λ<sub>k</sub> − λ<sub>k+1</sub>) / λ<sub>k</sub>", "relative_gap")
        parts: list[html.Row] = [
            (Label("potential ratio Θ", "theta"), words["theta"], root),
            (
                Label("seeds φ / best φ", "seeds_over_best"),
                words["seeds_over_best"],
                f"≤ {words['arthur_bound']}",
            ),
            (gap, words["gap"], f"centred: {words['centred_gap']}"),
            (Label("centroids outside U<sub>k</sub>", "outside"), outside, f"centred: {centred}"),
        ]
        return html.NumberTable((html.PLAIN,) * 3, rows, ("Conditions of theorem 4", parts))

    @property
    def notes(self) -> Sequence[str]:
        """Say which rows are used."""
        if (n := self.part.data.n) == (rows := self.scene.data.n):
            return []
        return [f"Shown for {grouped(n)} random rows of {grouped(rows)}: all eigenvalues are needed."]

    def fixed_rows(self) -> list[dict[str, object]]:
        """Return the guarantees of the chosen rank with their parts."""
        return measured(head(self.part, rank=self.rank), self.guarantees)

    def run_rows(self) -> list[dict[str, object]]:
        """Return the errors of the runs."""
        # More ranks than one may have the same number of landmarks.
        runs = sorted(self.runs, key=lambda record: record.values["rank"])
        rows = of_records(runs, self.scene.data.name, lambda record: {"rank": int(record.values["rank"])})
        return [row for row in rows if row["measure"] == "frobenius"]

    def _explain_guarantees(self) -> str:
        text = (
            "Lines with marks: errors divided by the smallest possible of rank k, so 1 is the best. Lines "
            "without: the guarantee for the mean error, whose gap to the measured one is how far it lies "
            "above."
        )
        if self.is_of_theorem:
            text += " Theorem 4 grows with Θ, the scatter of the best clusters: its line has 0, the least."
        return text

    @chart(
        "eigenvalues",
        "runs",
        caption=_explain_guarantees,
    )
    def relative(self) -> go.Figure:
        """Draw the errors over the best of their rank, and the guarantees."""
        ranks, rule, n = self.ranks, self.rule, self.part.data.n
        li = [theory.li_bound(landmark_count(k, n, rule), k, n) for k in ranks]
        guarantees, chosen_point = {"dpp": np.array(li)}, None
        counted = f"rank k, with m = {rule} landmarks"
        if self.is_of_theorem:
            oglic = [theory.oglic_bound(k, n) for k in ranks]
            guarantees = {"kmeanspp": np.array(oglic), **guarantees}
            counted = "rank and landmarks k"
            if self.has("clusters"):
                chosen_point = (self.rank, self.guarantees["oglic_bound"])
        runs = Counter((record.method, record.values["rank"]) for record in self.runs)
        subtitle = f"{self.part.subtitle}; {ranged(runs.values(), 'repeat')}, mean ± sd"
        sheet = self.sheet("Errors and their guarantees", subtitle)
        return relative_chart(ranks, self.ratios, guarantees, chosen_point, counted, sheet)
